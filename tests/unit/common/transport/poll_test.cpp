#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "common/transport/transport.hpp"
#include "tests/support/temporary_folder.hpp"

namespace autokernel::transport {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kNow = 0ms;
constexpr auto kSoon = 20'000ms;  // never reached where the code is right

TEST(Poll, NamesWhatIsReadyInTheOrderOfAdding) {
  const test::TemporaryFolder folder;
  Context context;
  auto router = Router::bind(context, "ipc://" + (folder / "socket").string()).value();
  const Waker idle;
  const Waker busy;
  busy.wake();
  Poll poll;
  poll.add(*router);
  poll.add_fd(idle.fd());
  poll.add_fd(busy.fd());
  EXPECT_THAT(poll.wait(kSoon).value(), ElementsAre(2));
}

TEST(Poll, IsEmptyAtTheTimeout) {
  const Waker idle;
  Poll poll;
  poll.add_fd(idle.fd());
  EXPECT_THAT(poll.wait(kNow).value(), IsEmpty());
  EXPECT_THAT(poll.wait(-5ms).value(), IsEmpty()) << "a deadline in the past is no wait for ever";
}

TEST(Poll, TellsOfAnEndThatHungUp) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  ::close(ends[1]);
  Poll poll;
  poll.add_fd(ends[0]);
  EXPECT_THAT(poll.wait(kSoon).value(), ElementsAre(0));
  ::close(ends[0]);
}

TEST(Waker, EndsAWaitFromAnotherThread) {
  const Waker waker;
  Poll poll;
  poll.add_fd(waker.fd());
  std::thread other([&] { waker.wake(); });
  EXPECT_THAT(poll.wait(kSoon).value(), ElementsAre(0));
  other.join();
}

TEST(Waker, IsQuietOnceDrained) {
  const Waker waker;
  waker.wake();
  waker.wake();
  waker.drain();
  Poll poll;
  poll.add_fd(waker.fd());
  EXPECT_THAT(poll.wait(kNow).value(), IsEmpty());
}

}  // namespace
}  // namespace autokernel::transport
