// Tables as Apache Parquet files, which DuckDB, Spark, Polars and Dask read. Source: the Parquet
// specification (github.com/apache/parquet-format, README.md, Encodings.md, parquet.thrift).
//
//   file      "PAR1", row groups, footer (FileMetaData in Thrift's compact protocol), its size,
//             "PAR1"; format version 1
//   group     rows of all columns, kRowsOfGroup at most: one chunk for each column
//   chunk     a dictionary page or none, then data pages (version 1), each packed by zstd
//   values    all columns are optional: definition levels in the RLE/bit-packed hybrid, then the
//             values that are there
//
// CellKind     Parquet type               encoding
//   text, word   BYTE_ARRAY, STRING, UTF-8  RLE_DICTIONARY; PLAIN where most values are distinct
//   integer      INT64                      RLE_DICTIONARY up to kMostDistinct values; else PLAIN
//   real         DOUBLE                     PLAIN
//   flag         BOOLEAN                    PLAIN
// Chunks of integers have minimum and maximum, all chunks the number of nulls.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string_view>

#include "report/table.h"

namespace dlview::report::parquet {

inline constexpr std::size_t kRowsOfGroup = std::size_t{1} << 20U;
inline constexpr std::size_t kRowsOfPage = std::size_t{1} << 17U;
// Of integers, in a dictionary.
inline constexpr std::size_t kMostDistinct = std::size_t{1} << 14U;

struct Sizes {
  std::size_t rows_of_group = kRowsOfGroup;
  std::size_t rows_of_page = kRowsOfPage;
};

// Writes all rows of the table; its kinds are those above, and a missing cell is a null. Invalid
// UTF-8 is replaced. Reads each cell once, column by column within a group; holds one chunk and
// the facts of all others in memory. `creator`: "dlview version 0.1.0 (build 1a2b3c)".
void write(const Table& table, std::string_view creator, std::ostream& out,
           const Sizes& sizes = {});

}  // namespace dlview::report::parquet
