#include "common/id/digest.hpp"

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <memory>
#include <random>

#include "common/result/result.hpp"

namespace autokernel {
namespace {

struct ContextDeleter {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

}  // namespace

std::string digest_of(std::initializer_list<std::string_view> parts) {
  const std::unique_ptr<EVP_MD_CTX, ContextDeleter> context(EVP_MD_CTX_new());
  AUTOKERNEL_CHECK(context != nullptr);
  AUTOKERNEL_CHECK(EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1);
  for (const std::string_view part : parts) {
    const std::uint64_t size = part.size();
    AUTOKERNEL_CHECK(EVP_DigestUpdate(context.get(), &size, sizeof size) == 1);
    AUTOKERNEL_CHECK(EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1);
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned length = 0;
  AUTOKERNEL_CHECK(EVP_DigestFinal_ex(context.get(), bytes.data(), &length) == 1);
  std::string text;
  for (unsigned i = 0; i < length; ++i) {
    text += fmt::format("{:02x}", bytes.at(i));
  }
  return text;
}

std::string digest_of(std::string_view bytes) { return digest_of({bytes}); }

unsigned long long random_bits() {
  std::random_device source;
  return (static_cast<unsigned long long>(source()) << 32U) | source();
}

}  // namespace autokernel
