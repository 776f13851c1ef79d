#include "report/parquet/parquet_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
#include <zstd.h>

#include "base/stop_point.h"
#include "report/parquet/hybrid.h"
#include "report/parquet/thrift.h"
#include "report/writers/utf8.h"

namespace dlview::report::parquet {
namespace {

using Kind = ThriftWriter::Kind;

static_assert(std::endian::native == std::endian::little, "PLAIN values are little-endian");

constexpr std::string_view kMagic = "PAR1";
constexpr int kZstdLevel = 3;

// Numbers of parquet.thrift.
constexpr int32_t kFormatVersion = 1;
constexpr int32_t kBoolean = 0, kInt64 = 2, kDouble = 5, kByteArray = 6;
constexpr int32_t kOptional = 1;
constexpr int32_t kUtf8 = 0;
constexpr int32_t kPlain = 0, kRle = 3, kRleDictionary = 8;
constexpr int32_t kZstd = 6;
constexpr int32_t kDataPage = 0, kDictionaryPage = 2;

int32_t type_of(CellKind kind) {
  switch (kind) {
    case CellKind::integer:
      return kInt64;
    case CellKind::real:
      return kDouble;
    case CellKind::flag:
      return kBoolean;
    default:
      return kByteArray;
  }
}

void append_int32(std::string& bytes, uint32_t value) {
  const auto raw = std::bit_cast<std::array<char, sizeof value>>(value);
  bytes.append(raw.data(), raw.size());
}

template <typename T>
void append_8_bytes(std::string& bytes, T value) {
  const auto raw = std::bit_cast<std::array<char, 8>>(value);
  bytes.append(raw.data(), raw.size());
}

void append_plain(std::string& bytes, int64_t value) {
  append_8_bytes(bytes, value);
}
void append_plain(std::string& bytes, std::string_view value) {
  append_int32(bytes, static_cast<uint32_t>(value.size()));
  bytes += value;
}

struct Chunk {
  int32_t type = kByteArray;
  bool has_dictionary = false;
  int64_t values = 0, nulls = 0;
  int64_t dictionary_at = 0, data_at = 0;
  int64_t size = 0, packed_size = 0;  // with headers of pages
  std::optional<std::pair<int64_t, int64_t>> range;
};

struct Group {
  int64_t rows = 0;
  std::vector<Chunk> chunks;
};

// The values of a chunk that are there, and which rows they belong to.
template <typename T>
struct Values {
  std::vector<uint32_t> is_there;  // 1 or 0, by row
  std::vector<T> values;
};

// Numbers of the distinct values in order of their first use, or nothing if there are too many.
template <typename T>
struct Dictionary {
  std::vector<T> entries;
  std::vector<uint32_t> ids;  // by value
};
template <typename T>
std::optional<Dictionary<T>> find_dictionary(const std::vector<T>& values, std::size_t most) {
  Dictionary<T> dictionary;
  std::unordered_map<T, uint32_t> known;
  dictionary.ids.reserve(values.size());
  for (const T& value : values) {
    const auto [entry, is_new] =
        known.try_emplace(value, static_cast<uint32_t>(dictionary.entries.size()));
    if (is_new) {
      if (dictionary.entries.size() == most) return std::nullopt;
      dictionary.entries.push_back(value);
    }
    dictionary.ids.push_back(entry->second);
  }
  return dictionary;
}

class Writer {
 public:
  Writer(const Table& table, std::string_view creator, std::ostream& out, const Sizes& sizes)
      : table_(table),
        creator_(creator),
        out_(out),
        sizes_(sizes),
        zstd_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    if (zstd_ == nullptr) throw std::bad_alloc();
  }

  void write() {
    put(kMagic);
    for (std::size_t row = 0; row < table_.row_count; row += sizes_.rows_of_group) {
      write_group(row, std::min(table_.row_count, row + sizes_.rows_of_group));
    }
    const std::string bytes = footer();
    put(bytes);
    std::string size;
    append_int32(size, static_cast<uint32_t>(bytes.size()));
    put(size);
    put(kMagic);
  }

 private:
  void put(std::string_view bytes) {
    out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    at_ += static_cast<int64_t>(bytes.size());
  }

  void write_group(std::size_t first, std::size_t end) {
    Group& group = groups_.emplace_back();
    group.rows = static_cast<int64_t>(end - first);
    for (const Column& column : table_.columns) {
      base::stop_point();
      chunk_ = Chunk();
      chunk_.type = type_of(column.kind);
      chunk_.values = group.rows;
      switch (chunk_.type) {
        case kInt64:
          write_integers(column, first, end);
          break;
        case kDouble:
          write_reals(column, first, end);
          break;
        case kBoolean:
          write_flags(column, first, end);
          break;
        default:
          write_texts(column, first, end);
      }
      group.chunks.push_back(chunk_);
    }
  }

  // `value_of` makes a value of a cell that is there.
  template <typename T, typename ValueOf>
  Values<T> read(const Column& column, std::size_t first, std::size_t end,
                 const ValueOf& value_of) {
    Values<T> all;
    all.is_there.reserve(end - first);
    for (std::size_t row = first; row < end; ++row) {
      const Cell cell = column.cell(row);
      const bool is_there = !std::holds_alternative<std::monostate>(cell);
      all.is_there.push_back(is_there ? 1 : 0);
      if (is_there) all.values.push_back(value_of(cell));
    }
    chunk_.nulls = static_cast<int64_t>(all.is_there.size() - all.values.size());
    return all;
  }

  void write_integers(const Column& column, std::size_t first, std::size_t end) {
    const auto all =
        read<int64_t>(column, first, end, [](const Cell& cell) { return std::get<int64_t>(cell); });
    if (!all.values.empty()) {
      const auto [least, most] = std::ranges::minmax(all.values);
      chunk_.range = std::pair(least, most);
    }
    write_dictionary_or_plain(all, std::min(kMostDistinct, all.values.size() / 2));
  }

  // The cells may make their texts: a set owns those that it cannot refer to.
  void write_texts(const Column& column, std::size_t first, std::size_t end) {
    std::unordered_map<std::string, std::string_view> cleaned;
    const auto keep = [&cleaned](std::string_view text) -> std::string_view {
      const auto found = cleaned.find(std::string(text));
      if (found != cleaned.end()) return found->second;
      std::string clean;
      append_clean_text(clean, text);
      const auto entry = cleaned.try_emplace(std::move(clean)).first;
      const std::string_view kept = entry->second = entry->first;
      cleaned.try_emplace(std::string(text), kept);
      return kept;
    };
    // Texts of the profile stay where they are.
    std::unordered_map<const char*, std::pair<std::size_t, std::string_view>> by_place;
    const auto all =
        read<std::string_view>(column, first, end, [&](const Cell& cell) -> std::string_view {
          if (const auto* own = std::get_if<std::string>(&cell)) return keep(*own);
          const std::string_view text = std::get<std::string_view>(cell);
          auto& known = by_place[text.data()];
          if (known.second.data() == nullptr || known.first != text.size()) {
            known = {text.size(), keep(text)};
          }
          return known.second;
        });
    write_dictionary_or_plain(all, all.values.size() / 2 + 1);
  }

  template <typename T>
  void write_dictionary_or_plain(const Values<T>& all, std::size_t most) {
    if (const auto dictionary = find_dictionary(all.values, most);
        dictionary && !dictionary->entries.empty()) {
      write_dictionary(*dictionary);
      const unsigned width = bit_width(static_cast<uint32_t>(dictionary->entries.size() - 1));
      const std::span<const uint32_t> ids = dictionary->ids;
      write_pages(all.is_there, kRleDictionary,
                  [&](std::string& bytes, std::size_t from, std::size_t count) {
                    bytes += static_cast<char>(width);
                    append_hybrid(bytes, ids.subspan(from, count), width);
                  });
      return;
    }
    write_pages(all.is_there, kPlain, [&](std::string& bytes, std::size_t from, std::size_t count) {
      for (std::size_t i = from; i < from + count; ++i) append_plain(bytes, all.values[i]);
    });
  }

  void write_reals(const Column& column, std::size_t first, std::size_t end) {
    const auto all =
        read<double>(column, first, end, [](const Cell& cell) { return std::get<double>(cell); });
    write_pages(all.is_there, kPlain, [&](std::string& bytes, std::size_t from, std::size_t count) {
      for (std::size_t i = from; i < from + count; ++i) append_8_bytes(bytes, all.values[i]);
    });
  }

  // A bit each, the lowest first.
  void write_flags(const Column& column, std::size_t first, std::size_t end) {
    const auto all = read<uint8_t>(column, first, end, [](const Cell& cell) {
      return static_cast<uint8_t>(std::get<bool>(cell) ? 1 : 0);
    });
    write_pages(all.is_there, kPlain, [&](std::string& bytes, std::size_t from, std::size_t count) {
      const std::size_t start = bytes.size();
      bytes.resize(start + (count + 7) / 8);
      for (std::size_t i = 0; i < count; ++i) {
        if (all.values[from + i] == 0) continue;
        char& byte = bytes[start + i / 8];
        byte = static_cast<char>(static_cast<unsigned char>(byte) | 1U << i % 8);
      }
    });
  }

  template <typename T>
  void write_dictionary(const Dictionary<T>& dictionary) {
    chunk_.has_dictionary = true;
    chunk_.dictionary_at = at_;
    std::string bytes;
    for (const T& entry : dictionary.entries) append_plain(bytes, entry);
    write_page(bytes, kDictionaryPage, static_cast<int64_t>(dictionary.entries.size()), kPlain);
  }

  // `append(bytes, from, count)` appends these values, counted without nulls.
  template <typename Append>
  void write_pages(std::span<const uint32_t> is_there, int32_t encoding, const Append& append) {
    chunk_.data_at = at_;
    std::size_t value = 0;
    for (std::size_t row = 0; row < is_there.size(); row += sizes_.rows_of_page) {
      const auto levels =
          is_there.subspan(row, std::min(sizes_.rows_of_page, is_there.size() - row));
      const auto count = static_cast<std::size_t>(std::ranges::count(levels, 1U));
      std::string packed_levels;
      append_hybrid(packed_levels, levels, 1);
      std::string bytes;
      append_int32(bytes, static_cast<uint32_t>(packed_levels.size()));
      bytes += packed_levels;
      append(bytes, value, count);
      value += count;
      write_page(bytes, kDataPage, static_cast<int64_t>(levels.size()), encoding);
    }
  }

  void write_page(const std::string& bytes, int32_t kind, int64_t values, int32_t encoding) {
    std::string packed(ZSTD_compressBound(bytes.size()), '\0');
    const std::size_t size = ZSTD_compressCCtx(zstd_.get(), packed.data(), packed.size(),
                                               bytes.data(), bytes.size(), kZstdLevel);
    if (ZSTD_isError(size) != 0) throw std::bad_alloc();  // the room is enough
    packed.resize(size);

    ThriftWriter header;
    header.i32(1, kind);
    header.i32(2, static_cast<int32_t>(bytes.size()));
    header.i32(3, static_cast<int32_t>(packed.size()));
    header.begin_struct(kind == kDataPage ? 5 : 7);
    header.i32(1, static_cast<int32_t>(values));
    header.i32(2, encoding);
    if (kind == kDataPage) {
      header.i32(3, kRle);  // of definition levels
      header.i32(4, kRle);  // of repetition levels, which there are none of
    }
    header.end_struct();
    header.end_struct();
    put(header.bytes());
    put(packed);
    const auto header_size = static_cast<int64_t>(header.bytes().size());
    chunk_.size += header_size + static_cast<int64_t>(bytes.size());
    chunk_.packed_size += header_size + static_cast<int64_t>(packed.size());
  }

  std::string footer() const {
    ThriftWriter meta;
    meta.i32(1, kFormatVersion);
    meta.list(2, Kind::structure, table_.columns.size() + 1);
    meta.begin_item();
    meta.binary(4, "schema");
    meta.i32(5, static_cast<int32_t>(table_.columns.size()));
    meta.end_struct();
    for (const Column& column : table_.columns) add_schema(meta, column);
    meta.i64(3, static_cast<int64_t>(table_.row_count));
    meta.list(4, Kind::structure, groups_.size());
    for (std::size_t i = 0; i < groups_.size(); ++i) add_group(meta, groups_[i], i);
    meta.binary(6, creator_);
    // Minimum and maximum follow the order of the type.
    meta.list(7, Kind::structure, table_.columns.size());
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      meta.begin_item();
      meta.empty_struct(1);
      meta.end_struct();
    }
    meta.end_struct();
    return meta.bytes();
  }

  static void add_schema(ThriftWriter& meta, const Column& column) {
    meta.begin_item();
    meta.i32(1, type_of(column.kind));
    meta.i32(3, kOptional);
    meta.binary(4, column.id);
    if (type_of(column.kind) == kByteArray) {
      meta.i32(6, kUtf8);
      meta.begin_struct(10);  // the logical type
      meta.empty_struct(1);   // STRING
      meta.end_struct();
    }
    meta.end_struct();
  }

  void add_group(ThriftWriter& meta, const Group& group, std::size_t place) const {
    int64_t size = 0, packed_size = 0;
    for (const Chunk& chunk : group.chunks) {
      size += chunk.size;
      packed_size += chunk.packed_size;
    }
    meta.begin_item();
    meta.list(1, Kind::structure, group.chunks.size());
    for (std::size_t i = 0; i < group.chunks.size(); ++i) {
      add_chunk(meta, group.chunks[i], table_.columns[i].id);
    }
    meta.i64(2, size);
    meta.i64(3, group.rows);
    if (!group.chunks.empty()) meta.i64(5, start_of(group.chunks.front()));
    meta.i64(6, packed_size);
    // The field has 16 bits; it is optional.
    if (place <= INT16_MAX) meta.i16(7, static_cast<int16_t>(place));
    meta.end_struct();
  }

  static int64_t start_of(const Chunk& chunk) {
    return chunk.has_dictionary ? chunk.dictionary_at : chunk.data_at;
  }

  static void add_chunk(ThriftWriter& meta, const Chunk& chunk, const std::string& name) {
    meta.begin_item();
    meta.i64(2, start_of(chunk));
    meta.begin_struct(3);
    meta.i32(1, chunk.type);
    meta.list(2, Kind::i32, chunk.has_dictionary ? 3 : 2);
    meta.item(kPlain);
    meta.item(kRle);
    if (chunk.has_dictionary) meta.item(kRleDictionary);
    meta.list(3, Kind::binary, 1);
    meta.item(std::string_view(name));
    meta.i32(4, kZstd);
    meta.i64(5, chunk.values);
    meta.i64(6, chunk.size);
    meta.i64(7, chunk.packed_size);
    meta.i64(9, chunk.data_at);
    if (chunk.has_dictionary) meta.i64(11, chunk.dictionary_at);
    meta.begin_struct(12);
    meta.i64(3, chunk.nulls);
    if (chunk.range) {
      std::string least, most;
      append_8_bytes(least, chunk.range->first);
      append_8_bytes(most, chunk.range->second);
      meta.binary(5, most);
      meta.binary(6, least);
    }
    meta.end_struct();
    meta.end_struct();
    meta.end_struct();
  }

  const Table& table_;
  const std::string_view creator_;
  std::ostream& out_;
  const Sizes sizes_;
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> zstd_;
  int64_t at_ = 0;
  std::vector<Group> groups_;
  Chunk chunk_;  // that is being written
};

}  // namespace

void write(const Table& table, std::string_view creator, std::ostream& out, const Sizes& sizes) {
  Writer(table, creator, out, sizes).write();
}

}  // namespace dlview::report::parquet
