#pragma once

#include "common/result/result.hpp"
#include "common/system/owned_folder.hpp"

namespace autokernel::client {

/// A fresh folder under /tmp that only this user may enter, for sockets: their paths must be short (107 bytes), and a
/// run folder's need not be. Removes those of clients that were killed.
[[nodiscard]] Result<system::OwnedFolder> make_private_folder();

}  // namespace autokernel::client
