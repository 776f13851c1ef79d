#include "ranks/stored_parts.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <unistd.h>
#include <utility>
#include <xxhash.h>
#include <zstd.h>

#include "base/parallel.h"

namespace dlview::ranks {
namespace {

// More room is not made for a section, nor for each byte of it.
constexpr uint64_t kMostBytesOfSection = uint64_t{1} << 32U;
constexpr uint64_t kMostOfPackedByte = 1 << 16U;

}  // namespace

bool SummaryBytes::read(uint64_t offset, std::span<char> place) const {
  if (offset > size_ || place.size() > size_ - offset) return false;
  if (place.empty()) return true;
  if (!file_) {
    std::memcpy(place.data(), bytes_.data() + offset, place.size());
    return true;
  }
  while (!place.empty()) {
    const ssize_t count =
        pread(file_.get(), place.data(), place.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    place = place.subspan(static_cast<std::size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
  return true;
}

void SectionUnpacker::FreeContext::operator()(ZSTD_DCtx_s* context) const {
  ZSTD_freeDCtx(context);
}

SectionUnpacker::SectionUnpacker(const SummaryBytes& bytes)
    : bytes_(bytes), context_(ZSTD_createDCtx()) {}

SectionUnpacker::Fault SectionUnpacker::check(const SectionEntry& entry) {
  if (entry.offset > bytes_.size() || entry.packed_bytes > bytes_.size() - entry.offset) {
    return Fault::ends_early;
  }
  packed_.resize(std::max(packed_.size(), static_cast<std::size_t>(entry.packed_bytes)));
  if (!bytes_.read(entry.offset, std::span(packed_.data(), entry.packed_bytes))) {
    return Fault::ends_early;
  }
  if (XXH3_64bits(packed_.data(), entry.packed_bytes) != entry.checksum) return Fault::checksum;
  const uint64_t most = entry.packed_bytes < kMostBytesOfSection / kMostOfPackedByte
                            ? kMostOfPackedByte * entry.packed_bytes
                            : kMostBytesOfSection;
  const bool has_size = entry.bytes <= most &&
                        ZSTD_getFrameContentSize(packed_.data(), entry.packed_bytes) == entry.bytes;
  return has_size ? Fault::none : Fault::size;
}

SectionUnpacker::Fault SectionUnpacker::unpack(const SectionEntry& entry, std::string& bytes) {
  if (const Fault fault = check(entry); fault != Fault::none) return fault;
  bytes.resize(entry.bytes);
  const std::size_t size = ZSTD_decompressDCtx(context_.get(), bytes.data(), bytes.size(),
                                               packed_.data(), entry.packed_bytes);
  return ZSTD_isError(size) != 0 || size != bytes.size() ? Fault::packing : Fault::none;
}

// The texts of a section.
struct ColumnReader::Texts {
  const StoredParts* file = nullptr;
  uint32_t block = 0;
  std::string bytes;
  std::vector<std::string_view> texts;
};

ColumnReader::ColumnReader() = default;
ColumnReader::~ColumnReader() = default;

const ColumnReader::Texts& ColumnReader::texts_of(const StoredPlace& stored, std::size_t column) {
  std::unique_ptr<Texts>& its = texts_[column];
  if (!its) its = std::make_unique<Texts>();
  if (its->file == stored.file.get() && its->block == stored.block) return *its;
  if (file_ != stored.file) {
    file_ = stored.file;
    unpacker_ = std::make_unique<SectionUnpacker>(file_->bytes());
    for (auto& texts : texts_) {
      if (texts) texts->file = nullptr;
    }
  }
  its->file = file_.get();
  its->block = stored.block;
  its->texts.clear();
  const std::optional<SectionEntry>& entry = file_->section(stored.block, column);
  if (!entry || unpacker_->unpack(*entry, its->bytes) != SectionUnpacker::Fault::none) return *its;
  Unpacker in(its->bytes);
  while (in.fits() && !in.is_done()) its->texts.push_back(in.text());
  if (!in.fits()) its->texts.clear();
  return *its;
}

std::optional<std::string_view> ColumnReader::text(const StoredPlace& stored, std::size_t column,
                                                   std::size_t place) {
  const Texts& its = texts_of(stored, column);
  if (place >= its.texts.size()) return std::nullopt;
  return its.texts[place];
}

std::optional<std::string_view> ColumnReader::packed(const RankPart& part, RowColumn column) {
  const std::size_t at = StoredParts::row(column);
  if (!part.stored.file) return part.rows[at];
  return text(part.stored, at, part.stored.place);
}

std::optional<std::string_view> ColumnReader::packed(const RankPart& part, std::size_t group,
                                                     std::size_t column) {
  if (!part.stored.file) {
    return std::next(part.groups.begin(), static_cast<std::ptrdiff_t>(group))
        ->second.column(column);
  }
  return text(part.stored, StoredParts::of_group(column), part.stored.groups_before + group);
}

bool ColumnReader::read(const RankPart& part, RowColumn column, std::vector<int64_t>& values) {
  values.resize(static_cast<std::size_t>(part.size));
  const auto bytes = packed(part, column);
  if (bytes && unpack_column(*bytes, values)) return true;
  std::ranges::fill(values, 0);
  return false;
}

bool ColumnReader::read(const RankPart& part, std::size_t group, std::size_t column,
                        std::vector<int64_t>& values) {
  values.resize(static_cast<std::size_t>(part.size));
  const auto bytes = packed(part, group, column);
  if (bytes && unpack_column(*bytes, values)) return true;
  std::ranges::fill(values, 0);
  return false;
}

std::optional<std::vector<ClockSample>> ColumnReader::clock(const RankPart& part) {
  if (!part.stored.file) return part.clock;
  const auto bytes = text(part.stored, StoredParts::kClock, part.stored.place);
  if (!bytes) return std::nullopt;
  Unpacker in(*bytes);
  FieldReader read(in);
  std::vector<ClockSample> samples(in.size());
  bool have_calls = false;
  read(have_calls);
  ClockSample last;
  for (ClockSample& sample : samples) {
    take_place(in, last);
    last.start_ns = wrapping_sum(last.start_ns, in.number());
    last.stop_ns = wrapping_sum(last.start_ns, in.number());
    if (have_calls) read(last.collective, last.bytes, last.exposed_ns);
    if (!is_possible(last.start_ns) || !is_possible(last.stop_ns)) return std::nullopt;
    sample = last;
  }
  if (!in.is_done()) return std::nullopt;
  return samples;
}

namespace {

bool load_part(RankPart& part, ColumnReader& reader) {
  for (std::size_t column = 0; column < kRowColumns; ++column) {
    const auto bytes = reader.packed(part, static_cast<RowColumn>(column));
    // Each value has a byte at least.
    if (!bytes || bytes->size() < static_cast<std::size_t>(part.size)) return false;
    part.rows[column] = *bytes;
  }
  std::size_t group = 0;
  for (auto& entry : part.groups) {
    for (std::size_t column = 0; column < GroupRows::kColumns; ++column) {
      const auto bytes = reader.packed(part, group, column);
      if (!bytes) return false;
      entry.second.column(column) = *bytes;
    }
    ++group;
  }
  auto clock = reader.clock(part);
  if (!clock) return false;
  part.clock = *std::move(clock);
  part.stored = {};
  return true;
}

}  // namespace

bool load_parts(RunSummary& summary) {
  std::atomic<bool> fits = true;
  base::parallel_for(summary.parts.size(), kPartsOfBlock, [&](std::size_t begin, std::size_t end) {
    ColumnReader reader;
    for (std::size_t part = begin; part < end && fits; ++part) {
      if (summary.parts[part].stored.file && !load_part(summary.parts[part], reader)) fits = false;
    }
  });
  return fits;
}

}  // namespace dlview::ranks
