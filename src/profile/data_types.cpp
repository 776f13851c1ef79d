#include "profile/data_types.h"

#include <algorithm>
#include <array>

namespace dlview::profile {
namespace {

struct DataType {
  // Python's name; that of C++ and of c10 without "c10::"; empty = none of its own.
  std::string_view name, cpp, c10;
  int64_t bytes;  // of an element; 0 = less than one
};

constexpr auto kDataTypes = std::to_array<DataType>({
    {"float32", "float", "Float", 4},
    {"float64", "double", "Double", 8},
    {"float16", "c10::Half", "Half", 2},
    {"bfloat16", "c10::BFloat16", "BFloat16", 2},
    {"float8_e4m3fn", "c10::Float8_e4m3fn", "Float8_e4m3fn", 1},
    {"float8_e4m3fnuz", "c10::Float8_e4m3fnuz", "Float8_e4m3fnuz", 1},
    {"float8_e5m2", "c10::Float8_e5m2", "Float8_e5m2", 1},
    {"float8_e5m2fnuz", "c10::Float8_e5m2fnuz", "Float8_e5m2fnuz", 1},
    {"float8_e8m0fnu", "c10::Float8_e8m0fnu", "Float8_e8m0fnu", 1},
    {"float4_e2m1fn_x2", "c10::Float4_e2m1fn_x2", "Float4_e2m1fn_x2", 1},
    {"complex32", "c10::complex<c10::Half>", "ComplexHalf", 4},
    {"complex64", "c10::complex<float>", "ComplexFloat", 8},
    {"complex128", "c10::complex<double>", "ComplexDouble", 16},
    {"complex32", "c10::complex<Half>", "", 4},
    {"int64", "long int", "Long", 8},
    {"int64", "long", "", 8},
    {"int32", "int", "Int", 4},
    {"int16", "short", "Short", 2},
    {"int16", "short int", "", 2},
    {"int8", "signed char", "Char", 1},
    {"uint8", "unsigned char", "Byte", 1},
    {"uint16", "unsigned short", "UInt16", 2},
    {"uint32", "unsigned int", "UInt32", 4},
    {"uint64", "unsigned long", "UInt64", 8},
    {"qint8", "c10::qint8", "QInt8", 1},
    {"quint8", "c10::quint8", "QUInt8", 1},
    {"qint32", "c10::qint32", "QInt32", 4},
    {"bool", "bool", "Bool", 1},
    {"tf32", "", "", 4},
});

}  // namespace

std::string_view data_type_of(std::string_view input_types) {
  std::string_view first;
  while (true) {
    const std::size_t begin = input_types.find('"');
    if (begin == std::string_view::npos) return first;
    const std::size_t end = input_types.find('"', begin + 1);
    if (end == std::string_view::npos) return first;
    const std::string_view type = input_types.substr(begin + 1, end - begin - 1);
    input_types.remove_prefix(end + 1);
    if (type.empty()) continue;
    const auto known = std::ranges::find(kDataTypes, type, &DataType::cpp);
    if (known == kDataTypes.end()) continue;
    if (!is_of_integers(known->name)) return known->name;
    if (first.empty()) first = known->name;
  }
}

bool is_of_integers(std::string_view data_type) {
  constexpr auto kBegins =
      std::to_array<std::string_view>({"int", "uint", "qint", "quint", "bool"});
  return std::ranges::any_of(kBegins,
                             [&](std::string_view begin) { return data_type.starts_with(begin); });
}

std::optional<int64_t> bytes_of_data_type(std::string_view name) {
  if (name.empty()) return std::nullopt;
  constexpr std::string_view kScope = "c10::";
  const std::string_view unscoped = name.starts_with(kScope) ? name.substr(kScope.size()) : name;
  const auto known = std::ranges::find_if(kDataTypes, [&](const DataType& type) {
    return name == type.name || name == type.cpp || unscoped == type.c10 ||
           (type.cpp.starts_with(kScope) && unscoped == type.cpp.substr(kScope.size()));
  });
  return known == kDataTypes.end() ? std::nullopt : std::optional(known->bytes);
}

}  // namespace dlview::profile
