#include "import/pytorch/tensor_layout.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace dlview::import::pytorch {
namespace {

constexpr std::size_t kMostDimensions = 5;

struct Numbers5 {
  std::array<int64_t, kMostDimensions> values{};
  std::size_t count = 0;
};

// The numbers of the first list of `[[1,2],[3]]`; nullopt = it is no list of up to five natural
// numbers.
std::optional<Numbers5> first_list(std::string_view lists) {
  if (!lists.starts_with("[[")) return std::nullopt;
  lists.remove_prefix(2);
  Numbers5 numbers;
  while (!lists.starts_with(']')) {
    if (numbers.count == kMostDimensions) return std::nullopt;
    int64_t& number = numbers.values[numbers.count++];
    const char* const end = lists.data() + lists.size();
    const auto [next, error] = std::from_chars(lists.data(), end, number);
    if (error != std::errc{} || number < 0) return std::nullopt;
    lists.remove_prefix(static_cast<std::size_t>(next - lists.data()));
    if (lists.starts_with(',')) lists.remove_prefix(1);
  }
  return numbers;
}

// Whether the elements lie without gaps, the dimensions of `order` from the innermost on.
bool is_dense(const Numbers5& sizes, const Numbers5& strides, std::span<const uint8_t> order) {
  int64_t stride = 1;
  for (const uint8_t dimension : order) {
    const int64_t size = sizes.values[dimension];
    if (size != 1 && strides.values[dimension] != stride) return false;
    if (__builtin_mul_overflow(stride, size, &stride)) return false;
  }
  return true;
}

}  // namespace

bool is_convolution(std::string_view op_type) {
  const std::size_t found = op_type.find("conv");
  return found != std::string_view::npos && !op_type.substr(found).starts_with("convert");
}

std::string_view layout_of(std::string_view dims, std::string_view strides) {
  constexpr std::array<uint8_t, 4> kPlanes{3, 2, 1, 0}, kPixels{1, 3, 2, 0};
  constexpr std::array<uint8_t, 5> kVolumes{4, 3, 2, 1, 0}, kVoxels{1, 4, 3, 2, 0};
  const std::optional<Numbers5> sizes = first_list(dims), steps = first_list(strides);
  if (!sizes || !steps || sizes->count != steps->count || sizes->count < 4) return {};
  const bool is_flat = sizes->count == 4;
  const bool channels_first =
      is_flat ? is_dense(*sizes, *steps, kPlanes) : is_dense(*sizes, *steps, kVolumes);
  const bool channels_last =
      is_flat ? is_dense(*sizes, *steps, kPixels) : is_dense(*sizes, *steps, kVoxels);
  if (channels_first == channels_last) return {};
  if (channels_first) return is_flat ? "N,C,H,W" : "N,C,D,H,W";
  return is_flat ? "N,H,W,C" : "N,D,H,W,C";
}

}  // namespace dlview::import::pytorch
