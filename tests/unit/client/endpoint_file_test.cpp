#include "client/node/endpoint_file.hpp"

#include <gtest/gtest.h>

#include "client/node/private_folder.hpp"
#include "tests/support/temporary_folder.hpp"

namespace autokernel::client {
namespace {

namespace fs = std::filesystem;

TEST(EndpointFile, ReadsBackWhatItWrote) {
  const test::TemporaryFolder run;
  ASSERT_TRUE(write_endpoint(run.path(), {"ipc:///tmp/a/clients", "/tmp/a", 42}));
  const auto endpoint = read_endpoint(run.path());
  ASSERT_TRUE(endpoint) << endpoint.error().message;
  EXPECT_EQ(endpoint->clients, "ipc:///tmp/a/clients");
  EXPECT_EQ(endpoint->process, 42);
  remove_endpoint(run.path());
  EXPECT_EQ(read_endpoint(run.path()).error().code, Code::kNotFound);
}

TEST(PrivateFolder, IsForThisUserAloneWithRoomForASocketsPathAndGoesAway) {
  fs::path path;
  {
    const auto folder = make_private_folder();
    ASSERT_TRUE(folder) << folder.error().message;
    path = folder->path();
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    EXPECT_LT(path.string().size(), 40U);
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace autokernel::client
