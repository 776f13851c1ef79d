// The parts of a summary file whose columns are read when they are needed: of 16,384 ranks a value
// of all is read in the time that its bytes take, and nothing of the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "ranks/run_summary.h"
#include "ranks/summary_layout.h"

struct ZSTD_DCtx_s;

namespace dlview::ranks {

// The bytes of a summary: of an open file, or in memory that outlives them.
class SummaryBytes {
 public:
  explicit SummaryBytes(std::string_view bytes) : bytes_(bytes), size_(bytes.size()) {}
  SummaryBytes(base::Descriptor file, uint64_t size) : file_(std::move(file)), size_(size) {}

  uint64_t size() const { return size_; }
  // Into all of `place`; false = they cannot be read. On any thread.
  bool read(uint64_t offset, std::span<char> place) const;

 private:
  std::string_view bytes_;
  base::Descriptor file_;
  uint64_t size_;
};

// Unpacks sections, one after another, into memory that it keeps.
class SectionUnpacker {
 public:
  enum class Fault : uint8_t { none, ends_early, checksum, size, packing };
  explicit SectionUnpacker(const SummaryBytes& bytes);

  // Whether the section has its checksum and its size; does not unpack it.
  Fault check(const SectionEntry& entry);
  // The result is valid until the next call.
  Fault unpack(const SectionEntry& entry, std::string& bytes);

 private:
  struct FreeContext {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  const SummaryBytes& bytes_;
  std::vector<char> packed_;
  std::unique_ptr<ZSTD_DCtx_s, FreeContext> context_;
};

// What a file has of its parts.
class StoredParts {
 public:
  // Columns of a block: those of rows, those of groups, and the clock.
  static constexpr std::size_t kColumns = kRowColumns + GroupRows::kColumns + 1;
  static constexpr std::size_t kClock = kColumns - 1;
  static constexpr std::size_t row(RowColumn column) { return static_cast<std::size_t>(column); }
  static constexpr std::size_t of_group(std::size_t column) { return kRowColumns + column; }

  StoredParts(SummaryBytes bytes, std::size_t blocks)
      : bytes_(std::move(bytes)), sections_(blocks) {}

  const SummaryBytes& bytes() const { return bytes_; }
  std::size_t blocks() const { return sections_.size(); }
  std::optional<SectionEntry>& section(std::size_t block, std::size_t column) {
    return sections_[block][column];
  }
  const std::optional<SectionEntry>& section(std::size_t block, std::size_t column) const {
    return sections_[block][column];
  }

 private:
  SummaryBytes bytes_;
  std::vector<std::array<std::optional<SectionEntry>, kColumns>> sections_;  // by block
};

// Reads columns of parts. Those of stored parts cost least in the order of the parts: a section is
// unpacked once for all parts of its block. Not for several threads at once.
class ColumnReader {
 public:
  ColumnReader();
  ~ColumnReader();
  ColumnReader(const ColumnReader&) = delete;
  ColumnReader& operator=(const ColumnReader&) = delete;

  // Packed columns, until the next call for this column; nullopt = the file does not have them.
  std::optional<std::string_view> packed(const RankPart& part, RowColumn column);
  // `group`: the place of its name among those of the part; `column`: of GroupRows.
  std::optional<std::string_view> packed(const RankPart& part, std::size_t group,
                                         std::size_t column);
  std::optional<std::vector<ClockSample>> clock(const RankPart& part);

  // All numbers of the part; false = they do not fit, and all are 0.
  bool read(const RankPart& part, RowColumn column, std::vector<int64_t>& values);
  bool read(const RankPart& part, std::size_t group, std::size_t column,
            std::vector<int64_t>& values);

 private:
  struct Texts;
  const Texts& texts_of(const StoredPlace& stored, std::size_t column);
  std::optional<std::string_view> text(const StoredPlace& stored, std::size_t column,
                                       std::size_t place);

  std::array<std::unique_ptr<Texts>, StoredParts::kColumns> texts_;
  std::shared_ptr<const StoredParts> file_;
  std::unique_ptr<SectionUnpacker> unpacker_;
};

// Reads the columns of all parts that are stored; false = some do not fit. On all cores.
bool load_parts(RunSummary& summary);

}  // namespace dlview::ranks
