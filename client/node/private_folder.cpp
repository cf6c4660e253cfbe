#include "client/node/private_folder.hpp"

namespace autokernel::client {

Result<system::OwnedFolder> make_private_folder() { return system::OwnedFolder::make("/tmp", "autokernel-run"); }

}  // namespace autokernel::client
