#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

#include "tests/support/temporary_folder.hpp"

namespace autokernel::kernelbench {

inline constexpr std::string_view kGoodProblem =
    "import torch.nn as nn\n"
    "class Model(nn.Module):\n    def forward(self, x):\n        return x\n"
    "batch_size = 16\n"
    "def get_inputs():\n    return []\n"
    "def get_init_inputs():\n    return []\n";

/// Writes a file, and the folders on the way to it.
inline std::filesystem::path put(const test::TemporaryFolder& folder, std::string_view name, std::string_view bytes) {
  std::filesystem::path path = folder / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace autokernel::kernelbench
