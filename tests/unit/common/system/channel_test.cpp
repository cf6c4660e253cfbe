#include "common/system/channel.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <thread>

namespace autokernel::system {
namespace {

using namespace std::chrono_literals;

constexpr auto kNow = 0ms;        // what is there already
constexpr auto kSoon = 20'000ms;  // never reached where the code is right

class ChannelTest : public testing::Test {
 protected:
  ChannelTest() {
    auto ends = Channel::make_pair();
    here_.emplace(std::move(ends->first));
    there_.emplace(std::move(ends->second));
  }

  std::string receive_bytes() {
    auto frame = there_->receive(kSoon);
    return frame && *frame ? (*frame)->bytes : "nothing";
  }

  std::optional<Channel> here_;
  std::optional<Channel> there_;
};

/// The open pipe's two ends; reading tells whose write end was passed.
std::pair<UniqueFd, UniqueFd> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for (int fd = 0; fd < 1024; ++fd) count += ::fcntl(fd, F_GETFD) >= 0 ? 1 : 0;
  return count;
}

TEST_F(ChannelTest, KeepsMessagesApart) {
  ASSERT_TRUE(here_->send("one"));
  ASSERT_TRUE(here_->send(""));
  ASSERT_TRUE(here_->send(std::string("t\0o", 3)));
  EXPECT_EQ(receive_bytes(), "one");
  EXPECT_EQ(receive_bytes(), "");
  EXPECT_EQ(receive_bytes(), std::string("t\0o", 3));
}

TEST_F(ChannelTest, CarriesMessagesBiggerThanTheSocketsBuffer) {
  const std::string big(3U << 20U, 'x');
  std::thread writer([&] { EXPECT_TRUE(here_->send(big)); });
  EXPECT_EQ(receive_bytes(), big);
  writer.join();
}

TEST_F(ChannelTest, HasNothingWhenNothingWasSent) {
  const auto frame = there_->receive(kNow);
  ASSERT_TRUE(frame) << frame.error().message;
  EXPECT_FALSE(*frame);
}

TEST_F(ChannelTest, KeepsAPartlyReadMessageForTheNextCall) {
  const std::array<char, 6> first{3, 0, 0, 0, 'a', 'b'};
  ASSERT_EQ(::write(here_->fd(), first.data(), first.size()), 6);
  EXPECT_FALSE(there_->receive(kNow).value());
  ASSERT_EQ(::write(here_->fd(), "c", 1), 1);
  EXPECT_EQ(receive_bytes(), "abc");
}

TEST_F(ChannelTest, DeliversWhatWasSentBeforeThePeerDied) {
  ASSERT_TRUE(here_->send("last words"));
  here_.reset();
  EXPECT_EQ(receive_bytes(), "last words");
  EXPECT_EQ(there_->receive(kSoon).error().code, Code::kUnavailable);
}

TEST_F(ChannelTest, SendingToADeadPeerIsAnErrorAndNoSignal) {
  there_.reset();
  EXPECT_EQ(here_->send("hello").error().code, Code::kUnavailable);
}

TEST_F(ChannelTest, GivesUpOnAPeerThatDoesNotRead) {
  const auto sent = here_->send(std::string(16U << 20U, 'x'), {}, 1ms);
  ASSERT_FALSE(sent);
  EXPECT_THAT(sent.error().message, testing::HasSubstr("does not read"));
}

TEST_F(ChannelTest, RefusesAMessageOverTheLimitBeforeItsBodyArrives) {
  const std::uint32_t size = 0xffff'ffff;
  ASSERT_EQ(::write(here_->fd(), &size, sizeof size), 4);
  EXPECT_EQ(there_->receive(kSoon).error().code, Code::kInvalid);
}

TEST_F(ChannelTest, AcceptsAMessageOfExactlyTheLimit) {
  ASSERT_TRUE(here_->send("12345"));
  EXPECT_TRUE(there_->receive(kSoon, 5).value());
  ASSERT_TRUE(here_->send("123456"));
  EXPECT_EQ(there_->receive(kSoon, 5).error().code, Code::kInvalid);
}

TEST_F(ChannelTest, GivesEachMessageItsOwnDescriptors) {
  auto [read_one, write_one] = make_pipe();
  auto [read_two, write_two] = make_pipe();
  ASSERT_TRUE(here_->send("plain"));
  ASSERT_TRUE(here_->send("first", {write_one.get()}));
  ASSERT_TRUE(here_->send("second", {write_two.get()}));
  write_one.reset();
  write_two.reset();

  auto plain = there_->receive(kSoon).value();
  auto first = there_->receive(kSoon).value();
  auto second = there_->receive(kSoon).value();
  EXPECT_TRUE(plain->fds.empty());
  ASSERT_EQ(first->fds.size(), 1U);
  ASSERT_EQ(second->fds.size(), 1U);
  ASSERT_EQ(::write(first->fds[0].get(), "1", 1), 1);
  ASSERT_EQ(::write(second->fds[0].get(), "2", 1), 1);
  char letter = 0;
  ASSERT_EQ(::read(read_one.get(), &letter, 1), 1);
  EXPECT_EQ(letter, '1');
  ASSERT_EQ(::read(read_two.get(), &letter, 1), 1);
  EXPECT_EQ(letter, '2');
}

TEST_F(ChannelTest, ReceivedDescriptorsAreNotInheritedByPrograms) {
  auto [read_end, write_end] = make_pipe();
  ASSERT_TRUE(here_->send("with", {read_end.get()}));
  const auto frame = there_->receive(kSoon).value();
  EXPECT_NE(::fcntl(frame->fds.at(0).get(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(ChannelTest, APeerCannotUseUpOurDescriptors) {
  const auto before = open_descriptors();
  const std::uint32_t size = 100;
  ASSERT_EQ(::write(here_->fd(), &size, sizeof size), 4);
  auto [read_end, write_end] = make_pipe();
  for (std::uint32_t i = 0; i < size; ++i) {  // a descriptor with every byte
    char byte = 'x';
    iovec part{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    const int fd = read_end.get();
    std::memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    ASSERT_EQ(::sendmsg(here_->fd(), &header, 0), 1);
  }
  const auto frame = there_->receive(kSoon).value();
  EXPECT_EQ(frame->bytes, std::string(size, 'x'));
  EXPECT_LE(frame->fds.size(), 8U);
  EXPECT_LE(open_descriptors(), before + 2 + 8);
}

}  // namespace
}  // namespace autokernel::system
