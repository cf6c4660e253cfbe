#include "common/transport/transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"

namespace autokernel::transport {
namespace {

using namespace std::chrono_literals;
using test::TemporaryFolder;
using testing::HasSubstr;

constexpr auto kSoon = 20'000ms;  // never reached where the code is right

Received receive_soon(Socket& socket) {
  Poll poll;
  poll.add(socket);
  for (;;) {
    auto received = socket.receive();
    EXPECT_TRUE(received) << received.error().message;
    if (*received) return **std::move(received);
    if (poll.wait(kSoon).value().empty()) return Received{"", "nothing came", false};
  }
}

class TransportTest : public testing::Test {
 protected:
  TransportTest() : endpoint_("ipc://" + (folder_ / "socket").string()) {}

  TemporaryFolder folder_;
  std::string endpoint_;
  Context context_;
};

TEST_F(TransportTest, AnswersThePeerThatAsked) {
  auto router = Router::bind(context_, endpoint_).value();
  auto one = Dealer::connect(context_, endpoint_).value();
  auto two = Dealer::connect(context_, endpoint_).value();
  ASSERT_TRUE(one->send("from one"));
  const Received first = receive_soon(*router);
  ASSERT_TRUE(two->send("from two"));
  const Received second = receive_soon(*router);
  EXPECT_EQ(first.body, "from one");
  EXPECT_EQ(second.body, "from two");
  EXPECT_NE(first.peer, second.peer);

  ASSERT_TRUE(router->send(second.peer, "to two"));
  ASSERT_TRUE(router->send(first.peer, "to one"));
  EXPECT_EQ(receive_soon(*one).body, "to one");
  EXPECT_EQ(receive_soon(*two).body, "to two");
}

TEST_F(TransportTest, DeliversOnceTheRouterAppears) {
  auto dealer = Dealer::connect(context_, endpoint_).value();
  ASSERT_TRUE(dealer->send("early"));
  auto router = Router::bind(context_, endpoint_).value();
  EXPECT_EQ(receive_soon(*router).body, "early");
}

TEST_F(TransportTest, CarriesZeroBytesAndNothingAtAll) {
  auto router = Router::bind(context_, endpoint_).value();
  auto dealer = Dealer::connect(context_, endpoint_).value();
  ASSERT_TRUE(dealer->send(std::string_view("a\0b", 3)));
  ASSERT_TRUE(dealer->send(""));
  EXPECT_EQ(receive_soon(*router).body, std::string_view("a\0b", 3));
  EXPECT_EQ(receive_soon(*router).body, "");
}

TEST_F(TransportTest, HasNothingWhenNothingWasSent) {
  auto router = Router::bind(context_, endpoint_).value();
  EXPECT_FALSE(router->receive().value());
}

TEST_F(TransportTest, SaysThatAPeerIsGone) {
  auto router = Router::bind(context_, endpoint_).value();
  const auto sent = router->send("nobody", "hello");
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Code::kUnavailable);
}

TEST_F(TransportTest, DropsAPeerThatSendsTooMuch) {
  auto router = Router::bind(context_, endpoint_).value();
  auto loud = Dealer::connect(context_, endpoint_).value();
  auto calm = Dealer::connect(context_, endpoint_).value();
  ASSERT_TRUE(loud->send(std::string(static_cast<std::size_t>(kMaxMessageBytes) + 1, 'x')));
  ASSERT_TRUE(calm->send("still served"));
  EXPECT_EQ(receive_soon(*router).body, "still served");
}

TEST_F(TransportTest, PicksAFreePortAndTellsIt) {
  auto router = Router::bind(context_, "tcp://127.0.0.1:0").value();
  EXPECT_THAT(router->endpoint(), testing::MatchesRegex("tcp://127\\.0\\.0\\.1:[1-9][0-9]*"));
  auto dealer = Dealer::connect(context_, router->endpoint()).value();
  ASSERT_TRUE(dealer->send("over tcp"));
  EXPECT_EQ(receive_soon(*router).body, "over tcp");
}

TEST_F(TransportTest, TellsAMalformedEndpointFromATakenOne) {
  auto router = Router::bind(context_, "tcp://127.0.0.1:0").value();
  const auto taken = Router::bind(context_, router->endpoint());
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Code::kUnavailable);
  EXPECT_THAT(taken.error().message, HasSubstr(router->endpoint()));
  EXPECT_EQ(Router::bind(context_, "nonsense").error().code, Code::kInvalid);
  EXPECT_EQ(Dealer::connect(context_, "carrier-pigeon://roof").error().code, Code::kInvalid);
}

}  // namespace
}  // namespace autokernel::transport
