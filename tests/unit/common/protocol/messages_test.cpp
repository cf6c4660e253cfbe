#include "common/protocol/messages.hpp"

#include <gtest/gtest.h>

#include <set>

namespace autokernel::protocol {
namespace {

/// Runs `check` with a default-built message of every type of the family.
template <class Family, class Check, std::size_t... Index>
void for_each_message(const Check& check, std::index_sequence<Index...> /*indices*/) {
  (check(Family(std::variant_alternative_t<Index, Family>{})), ...);
}

template <class Family>
class MessageFamily : public testing::Test {
 protected:
  template <class Check>
  void for_each(const Check& check) {
    for_each_message<Family>(check, std::make_index_sequence<std::variant_size_v<Family>>{});
  }
};

using Families = testing::Types<WorkerMessage, ToWorkerMessage, ClientMessage, ToClientMessage>;
TYPED_TEST_SUITE(MessageFamily, Families);

TYPED_TEST(MessageFamily, ComesBackByteForByte) {
  this->for_each([](const TypeParam& message) {
    const std::string bytes = pack_message(message);
    const auto received = unpack_message<TypeParam>(bytes);
    ASSERT_TRUE(received) << type_of(message) << ": " << received.error().message;
    EXPECT_EQ(received->index(), message.index());
    EXPECT_EQ(pack_message(*received), bytes) << type_of(message);
  });
}

TYPED_TEST(MessageFamily, HasATypeNameOfItsOwnEach) {
  std::set<std::string_view> names;
  this->for_each([&](const TypeParam& message) { EXPECT_TRUE(names.insert(type_of(message)).second); });
}

TYPED_TEST(MessageFamily, RefusesEveryTruncation) {
  this->for_each([](const TypeParam& message) {
    const std::string bytes = pack_message(message);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(unpack_message<TypeParam>(std::string_view(bytes).substr(0, size))) << type_of(message);
    }
  });
}

TYPED_TEST(MessageFamily, SurvivesOneWrongByteAnywhere) {
  this->for_each([](const TypeParam& message) {
    const std::string good = pack_message(message);
    for (std::size_t at = 0; at < good.size(); ++at) {
      for (const int wrong : {0x00, 0x7f, 0x80, 0xc0, 0xdf, 0xff}) {
        std::string bytes = good;
        bytes[at] = static_cast<char>(wrong);
        const auto received = unpack_message<TypeParam>(bytes);
        EXPECT_TRUE(received || received.error().code == Code::kInvalid);
      }
    }
  });
}

TEST(Token, TravelsAsTwoNumbers) {
  const LeaseToken token{Epoch{3}, 41};
  const auto received = unpack_message<WorkerMessage>(pack_message<WorkerMessage>(Started{Token(token)}));
  ASSERT_TRUE(received) << received.error().message;
  EXPECT_EQ(LeaseToken(std::get<Started>(*received).token), token);
}

}  // namespace
}  // namespace autokernel::protocol
