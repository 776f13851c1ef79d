// Values in Thrift's compact protocol, as far as Parquet's headers need it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlview::report::parquet {

// Appends a number, 7 bits to a byte.
inline void append_varint(std::string& bytes, uint64_t value) {
  while (value >= 0x80) {
    bytes += static_cast<char>(value | 0x80);
    value >>= 7U;
  }
  bytes += static_cast<char>(value);
}

// Writes a struct field by field, in ascending order of their ids; structs may contain others.
class ThriftWriter {
 public:
  enum class Kind : uint8_t { i16 = 4, i32 = 5, i64 = 6, binary = 8, list = 9, structure = 12 };

  void i16(int id, int16_t value) { number(id, Kind::i16, value); }
  void i32(int id, int32_t value) { number(id, Kind::i32, value); }
  void i64(int id, int64_t value) { number(id, Kind::i64, value); }
  void binary(int id, std::string_view value) {
    field(id, Kind::binary);
    item(value);
  }
  void begin_struct(int id) {
    field(id, Kind::structure);
    begin_item();
  }
  void empty_struct(int id) {
    begin_struct(id);
    end_struct();
  }
  // Also the end of the whole.
  void end_struct() {
    bytes_ += '\0';
    if (!last_ids_.empty()) last_ids_.pop_back();
  }

  // A list is followed by its items: begin_item() ... end_struct(), or item().
  void list(int id, Kind items, std::size_t count) {
    field(id, Kind::list);
    const auto kind = static_cast<unsigned>(items);
    if (count < 15) {
      bytes_ += static_cast<char>(count << 4U | kind);
    } else {
      bytes_ += static_cast<char>(0xF0U | kind);
      append_varint(bytes_, count);
    }
  }
  void begin_item() { last_ids_.push_back(0); }
  void item(int32_t value) { append_varint(bytes_, zigzag(value)); }
  void item(std::string_view value) {
    append_varint(bytes_, value.size());
    bytes_ += value;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  static uint64_t zigzag(int64_t value) {
    return static_cast<uint64_t>(value) << 1U ^ static_cast<uint64_t>(value >> 63U);
  }
  void number(int id, Kind kind, int64_t value) {
    field(id, kind);
    append_varint(bytes_, zigzag(value));
  }
  // Ids of Parquet lie less than 16 apart.
  void field(int id, Kind kind) {
    bytes_ += static_cast<char>(static_cast<unsigned>(id - last_ids_.back()) << 4U |
                                static_cast<unsigned>(kind));
    last_ids_.back() = id;
  }

  std::string bytes_;
  std::vector<int> last_ids_{0};  // of the structs that are open, outermost first
};

}  // namespace dlview::report::parquet
