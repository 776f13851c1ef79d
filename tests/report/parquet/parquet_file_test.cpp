// The writer against a reader that decodes every byte on its own.

#include "report/parquet/parquet_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <zstd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/parquet/hybrid.h"

namespace dlview::report::parquet {
namespace {

using ::testing::ElementsAre;

// A value of Thrift's compact protocol; a struct has its fields by id, a list its items.
struct Node {
  int64_t number = 0;
  std::string text;
  std::map<int, Node> fields;
  std::vector<Node> items;
  const Node& at(int id) const { return fields.at(id); }
  bool has(int id) const { return fields.contains(id); }
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  uint8_t byte() {
    if (at_ >= bytes_.size()) throw std::out_of_range("the bytes end early");
    return static_cast<uint8_t>(bytes_[at_++]);
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const uint8_t next = byte();
      value |= uint64_t{next & 0x7FU} << shift;
      if (next < 0x80) return value;
    }
  }
  int64_t zigzag() {
    const uint64_t value = varint();
    return static_cast<int64_t>(value >> 1U) ^ -static_cast<int64_t>(value & 1U);
  }
  uint64_t little(int count) {
    uint64_t value = 0;
    for (int i = 0; i < count; ++i) value |= uint64_t{byte()} << 8 * i;
    return value;
  }
  std::string take(std::size_t count) {
    std::string taken;
    for (std::size_t i = 0; i < count; ++i) taken += static_cast<char>(byte());
    return taken;
  }
  Node structure() {
    Node node;
    int id = 0;
    for (uint8_t head = byte(); head != 0; head = byte()) {
      id = head >> 4 != 0 ? id + (head >> 4) : static_cast<int>(zigzag());
      node.fields[id] = value(head & 15);
    }
    return node;
  }
  std::size_t place() const { return at_; }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  Node value(int kind) {
    Node node;
    if (kind >= 4 && kind <= 6) {
      node.number = zigzag();
    } else if (kind == 8) {
      node.text = take(varint());
    } else if (kind == 9) {
      const uint8_t head = byte();
      const uint64_t count = head >> 4 == 15 ? varint() : head >> 4;
      for (uint64_t i = 0; i < count; ++i) node.items.push_back(value(head & 15));
    } else if (kind == 12) {
      node = structure();
    } else {
      throw std::runtime_error("unexpected kind " + std::to_string(kind));
    }
    return node;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

// Numbers of a hybrid, bit by bit.
std::vector<uint32_t> read_hybrid(Reader& reader, unsigned width, std::size_t count) {
  std::vector<uint32_t> numbers;
  while (numbers.size() < count) {
    const uint64_t head = reader.varint();
    if (head % 2 == 0) {
      const auto number = static_cast<uint32_t>(reader.little(static_cast<int>((width + 7) / 8)));
      numbers.insert(numbers.end(), head / 2, number);
      continue;
    }
    const std::string packed = reader.take(head / 2 * width);
    for (std::size_t i = 0; i < head / 2 * 8; ++i) {
      uint32_t number = 0;
      for (std::size_t bit = 0; bit < width; ++bit) {
        const std::size_t place = i * width + bit;
        const auto byte = static_cast<unsigned char>(packed[place / 8]);
        number |= (byte >> place % 8 & 1U) << bit;
      }
      numbers.push_back(number);
    }
  }
  numbers.resize(count);
  return numbers;
}

struct ReadColumn {
  std::string name;
  std::vector<std::string> cells;  // "null", or the value
  std::vector<bool> has_dictionary;
  std::vector<std::string> ranges;  // of each chunk: "least..most"
  std::size_t pages = 0;            // with values
};

class FileReader {
 public:
  explicit FileReader(std::string bytes) : bytes_(std::move(bytes)) {
    EXPECT_EQ(bytes_.substr(0, 4), "PAR1");
    EXPECT_EQ(bytes_.substr(bytes_.size() - 4), "PAR1");
    const auto size = Reader(std::string_view(bytes_).substr(bytes_.size() - 8, 4)).little(4);
    Reader footer(std::string_view(bytes_).substr(bytes_.size() - 8 - size, size));
    meta = footer.structure();
    EXPECT_TRUE(footer.at_end());
    const auto& schema = meta.at(2).items;
    EXPECT_EQ(schema[0].at(5).number + 1, static_cast<int64_t>(schema.size()));
    for (std::size_t i = 1; i < schema.size(); ++i)
      columns.emplace_back().name = schema[i].at(4).text;
    for (const Node& group : meta.at(4).items) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        read_chunk(group.at(1).items[i].at(3), columns[i]);
      }
    }
  }

  Node meta;
  std::vector<ReadColumn> columns;

 private:
  std::pair<Node, std::string> read_page(std::size_t& at) {
    Reader reader(std::string_view(bytes_).substr(at));
    Node header = reader.structure();
    const std::string packed = reader.take(static_cast<std::size_t>(header.at(3).number));
    std::string page(static_cast<std::size_t>(header.at(2).number), '\0');
    EXPECT_EQ(ZSTD_decompress(page.data(), page.size(), packed.data(), packed.size()), page.size());
    at += reader.place();
    return {header, page};
  }

  static std::string plain(Reader& reader, int64_t type) {
    if (type == 2) return std::to_string(static_cast<int64_t>(reader.little(8)));
    if (type == 6) return reader.take(reader.little(4));
    const uint64_t bits = reader.little(8);
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return std::to_string(value);
  }

  void read_chunk(const Node& chunk, ReadColumn& column) {
    const int64_t type = chunk.at(1).number;
    std::vector<std::string> dictionary;
    auto at = static_cast<std::size_t>(chunk.at(9).number);
    const bool has_dictionary = chunk.has(11);
    if (has_dictionary) {
      auto dictionary_at = static_cast<std::size_t>(chunk.at(11).number);
      const auto [header, page] = read_page(dictionary_at);
      EXPECT_EQ(header.at(1).number, 2);
      EXPECT_EQ(dictionary_at, at);
      Reader reader(page);
      for (int64_t i = 0; i < header.at(7).at(1).number; ++i) {
        dictionary.push_back(plain(reader, type));
      }
      EXPECT_TRUE(reader.at_end());
    }
    const std::size_t start = has_dictionary ? static_cast<std::size_t>(chunk.at(11).number) : at;
    int64_t values = 0, nulls = 0;
    while (values < chunk.at(5).number) {
      const auto [header, page] = read_page(at);
      const int64_t rows = header.at(5).at(1).number;
      Reader reader(page);
      const std::size_t levels_size = reader.little(4);
      const std::size_t before = reader.place();
      const auto levels = read_hybrid(reader, 1, static_cast<std::size_t>(rows));
      EXPECT_EQ(reader.place() - before, levels_size);
      const auto there = static_cast<std::size_t>(std::count(levels.begin(), levels.end(), 1U));
      const auto read = values_of(reader, type, header.at(5).at(2).number, there, dictionary);
      std::size_t next = 0;
      for (const uint32_t level : levels) {
        column.cells.push_back(level == 1 ? read[next++] : "null");
        nulls += level == 1 ? 0 : 1;
      }
      values += rows;
      ++column.pages;
    }
    EXPECT_EQ(at - start, static_cast<std::size_t>(chunk.at(7).number));
    EXPECT_EQ(nulls, chunk.at(12).at(3).number);
    column.has_dictionary.push_back(has_dictionary);
    column.ranges.push_back(range_of(chunk.at(12)));
  }

  static std::vector<std::string> values_of(Reader& reader, int64_t type, int64_t encoding,
                                            std::size_t count,
                                            const std::vector<std::string>& dictionary) {
    std::vector<std::string> values;
    if (encoding == 8) {
      const unsigned width = reader.byte();
      for (const uint32_t id : read_hybrid(reader, width, count)) {
        values.push_back(dictionary.at(id));
      }
    } else if (type == 0) {
      const std::string bits = reader.take((count + 7) / 8);
      for (std::size_t i = 0; i < count; ++i) {
        values.push_back((static_cast<unsigned char>(bits[i / 8]) >> i % 8 & 1U) != 0 ? "true"
                                                                                      : "false");
      }
    } else {
      for (std::size_t i = 0; i < count; ++i) values.push_back(plain(reader, type));
    }
    EXPECT_TRUE(reader.at_end());
    return values;
  }

  static std::string range_of(const Node& statistics) {
    if (!statistics.has(5)) return "none";
    const auto number = [&](int id) {
      return std::to_string(static_cast<int64_t>(Reader(statistics.at(id).text).little(8)));
    };
    return number(6) + ".." + number(5);
  }

  std::string bytes_;
};

FileReader written(const Table& table, const Sizes& sizes = {}) {
  std::ostringstream out;
  write(table, "dlview version 1 (build 2)", out, sizes);
  return FileReader(out.str());
}

std::string text_of(const Cell& cell) {
  if (const auto* number = std::get_if<int64_t>(&cell)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&cell)) return std::to_string(*real);
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string_view>(&cell)) return std::string(*text);
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return "null";
}

void expect_same(const Table& table, const FileReader& file) {
  ASSERT_EQ(file.columns.size(), table.columns.size());
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const ReadColumn& column = file.columns[i];
    EXPECT_EQ(column.name, table.columns[i].id);
    ASSERT_EQ(column.cells.size(), table.row_count) << column.name;
    for (std::size_t row = 0; row < table.row_count; ++row) {
      ASSERT_EQ(column.cells[row], text_of(table.cell(row, i))) << column.name << " " << row;
    }
  }
}

// Columns of all kinds, of which some have nulls, few values, or one.
Table mixed_table(std::size_t rows) {
  using aggregate::Unit;
  static const std::array<std::string, 4> kNames{"gemm", "Kärnel", "", "conv<2>"};
  Table table{"mixed", "mixed", report::Layout::rows, {}, rows};
  const auto spread = [](std::size_t row) { return static_cast<int64_t>(row * 2654435761U); };
  table.columns = {
      integer_column("time", "", Unit::ns, [=](std::size_t row) { return Cell(spread(row) - 7); }),
      integer_column("device", "", Unit::none,
                     [](std::size_t row) { return Cell(static_cast<int64_t>(row / 9 % 3)); }),
      integer_column("constant", "", Unit::none, [](std::size_t) { return Cell(int64_t{-5}); }),
      integer_column("some", "", Unit::none,
                     [=](std::size_t row) { return row % 5 == 2 ? Cell() : Cell(spread(row)); }),
      integer_column("nothing", "", Unit::none, [](std::size_t) { return Cell(); }),
      real_column("real", "", Unit::none,
                  [](std::size_t row) {
                    return row % 3 == 0 ? Cell() : Cell(static_cast<double>(row) / 4);
                  }),
      flag_column("flag", "",
                  [](std::size_t row) { return row % 11 == 0 ? Cell() : Cell(row % 3 == 1); }),
      text_column("name", "",
                  [](std::size_t row) {
                    return row % 13 == 0 ? Cell() : Cell(std::string_view(kNames[row * 7 % 4]));
                  }),
      text_column("distinct", "",
                  [](std::size_t row) { return Cell("row " + std::to_string(row)); })};
  return table;
}

TEST(ParquetFile, ReaderFindsTheCells) {
  for (const std::size_t rows : {1U, 7U, 8U, 9U, 100U, 5000U}) {
    SCOPED_TRACE(rows);
    const Table table = mixed_table(rows);
    expect_same(table, written(table));
  }
}

TEST(ParquetFile, SplitsGroupsAndPages) {
  const Table table = mixed_table(1000);
  const FileReader file = written(table, {.rows_of_group = 300, .rows_of_page = 77});
  expect_same(table, file);
  EXPECT_EQ(file.meta.at(4).items.size(), 4U);
  EXPECT_EQ(file.columns[0].pages, 3U * 4U + 2U);
  EXPECT_EQ(file.meta.at(3).number, 1000);
}

TEST(ParquetFile, EmptyTableHasColumns) {
  const FileReader file = written(mixed_table(0));
  EXPECT_EQ(file.columns.size(), 9U);
  EXPECT_EQ(file.meta.at(3).number, 0);
  EXPECT_TRUE(file.meta.at(4).items.empty());
}

TEST(ParquetFile, FewValuesGetDictionary) {
  const FileReader file = written(mixed_table(1000));
  std::vector<std::string> with;
  for (const ReadColumn& column : file.columns) {
    if (column.has_dictionary.at(0)) with.push_back(column.name);
  }
  EXPECT_THAT(with, ElementsAre("device", "constant", "name"));
}

TEST(ParquetFile, StatesRangesOfIntegers) {
  const FileReader file = written(mixed_table(1000), {.rows_of_group = 600});
  EXPECT_THAT(file.columns[1].ranges, ElementsAre("0..2", "0..2"));
  EXPECT_THAT(file.columns[2].ranges, ElementsAre("-5..-5", "-5..-5"));
  EXPECT_THAT(file.columns[4].ranges, ElementsAre("none", "none"));
  EXPECT_EQ(file.columns[0].ranges[0], "-7.." + std::to_string(int64_t{599} * 2654435761 - 7));
  EXPECT_EQ(file.meta.at(6).text, "dlview version 1 (build 2)");
}

TEST(ParquetFile, ReplacesInvalidUtf8) {
  Table table{"t", "t", report::Layout::rows, {}, 4};
  static const std::array<std::string, 4> kTexts{"a\xFF", "a\uFFFD", "\xC3\xA4", ""};
  table.columns = {
      text_column("text", "", [](std::size_t row) { return Cell(std::string_view(kTexts[row])); })};
  EXPECT_THAT(written(table).columns[0].cells, ElementsAre("a\uFFFD", "a\uFFFD", "\u00E4", ""));
}

TEST(ParquetHybrid, ReaderFindsTheNumbers) {
  std::mt19937 random(3);  // NOLINT: the same in each run
  for (int round = 0; round < 400; ++round) {
    const unsigned width = 1 + random() % 32;
    std::vector<uint32_t> numbers;
    const std::size_t least = random() % 200;
    while (numbers.size() < least) {
      const auto number = static_cast<uint32_t>(random() & ((uint64_t{1} << width) - 1));
      numbers.insert(numbers.end(), random() % 3 == 0 ? 1 + random() % 40 : 1, number);
    }
    std::string bytes;
    append_hybrid(bytes, numbers, width);
    Reader reader(bytes);
    ASSERT_EQ(read_hybrid(reader, width, numbers.size()), numbers);
    EXPECT_TRUE(reader.at_end());
  }
}

TEST(ParquetHybrid, RunsTakeFewBytes) {
  std::string bytes;
  append_hybrid(bytes, std::vector<uint32_t>(1'000'000, 3), 2);
  EXPECT_LE(bytes.size(), 5U);
}

TEST(ParquetHybrid, WidthHoldsTheLargest) {
  EXPECT_EQ(bit_width(0), 1U);
  EXPECT_EQ(bit_width(1), 1U);
  EXPECT_EQ(bit_width(2), 2U);
  EXPECT_EQ(bit_width(255), 8U);
  EXPECT_EQ(bit_width(UINT32_MAX), 32U);
}

}  // namespace
}  // namespace dlview::report::parquet
