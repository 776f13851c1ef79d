#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>
#include <xxhash.h>

#include <fmt/format.h>

#include "base/parallel.h"
#include "ranks/stored_parts.h"
#include "ranks/summary_file.h"
#include "ranks/summary_layout.h"

namespace dlview::ranks {
namespace {

constexpr std::size_t kSectionsAtOnce = 32;  // that are checked one after another

class Reader {
 public:
  Reader(SummaryBytes bytes, const std::string& name) : bytes_(std::move(bytes)), name_(name) {}

  // The parts stay stored.
  base::Result<RunSummary> read() {
    DLVIEW_TRY(read_directory());
    DLVIEW_TRY(check_sections());
    DLVIEW_TRY(place_sections());
    DLVIEW_TRY(read_section(Section::rules, [this](Unpacker& in) {
      FieldReader read(in);
      read(summary_.rules, parts_);
    }));
    DLVIEW_TRY(read_heads());
    DLVIEW_TRY(read_map(Section::ops, summary_.ops));
    DLVIEW_TRY(read_map(Section::kernels, summary_.kernels));
    DLVIEW_TRY(read_map(Section::groups, summary_.groups));
    DLVIEW_TRY(read_section(Section::collectives, [this](Unpacker& in) { take_collectives(in); }));
    DLVIEW_TRY(check_parts());
    return std::move(summary_);
  }

  base::Error damaged(std::string_view why) const {
    return {"This summary is damaged", fmt::format("{}: {}", name_, why),
            "Run dlview summarize and dlview merge again"};
  }

 private:
  using Fault = SectionUnpacker::Fault;

  base::Error damaged(Fault fault) const {
    switch (fault) {
      case Fault::none:
        break;
      case Fault::ends_early:
        return damaged("it ends early");
      case Fault::checksum:
        return damaged("the checksum of a section is wrong");
      case Fault::size:
        return damaged("a section has another size");
      case Fault::packing:
        return damaged("a section cannot be unpacked");
    }
    return damaged("a section does not fit");
  }

  base::Status read_directory() {
    SummaryHead head;
    const auto read = [this](uint64_t offset, void* place, std::size_t size) {
      return bytes_.read(offset, std::span(static_cast<char*>(place), size));
    };
    if (!read(0, &head, sizeof head)) return damaged("it is shorter than its head");
    if (head.magic != kSummaryMagic) return damaged("it does not begin as one");
    if (head.version != kSummaryVersion) {
      return base::Error{"This summary is of another version of dlview",
                         fmt::format("{}: version {}, this dlview reads version {}", name_,
                                     head.version, kSummaryVersion),
                         "Summarize the profiles again with this dlview"};
    }
    const uint64_t directory_bytes = uint64_t{head.sections} * sizeof(SectionEntry);
    if (directory_bytes > bytes_.size() - sizeof head) return damaged("it ends in its directory");
    entries_.resize(head.sections);
    if (!read(sizeof head, entries_.data(), directory_bytes)) return damaged(Fault::ends_early);
    if (XXH3_64bits(entries_.data(), directory_bytes) != head.checksum) {
      return damaged("the checksum of its directory is wrong");
    }
    return base::Success{};
  }

  // Costs all bytes of the file.
  base::Status check_sections() const {
    std::vector<Fault> faults(entries_.size());
    base::parallel_for(entries_.size(), kSectionsAtOnce, [&](std::size_t begin, std::size_t end) {
      SectionUnpacker unpacker(bytes_);
      for (std::size_t i = begin; i < end; ++i) faults[i] = unpacker.check(entries_[i]);
    });
    for (const Fault fault : faults) {
      if (fault != Fault::none) return damaged(fault);
    }
    return base::Success{};
  }

  // The place of a section among those of its block, and how many there are; nullopt = it is not by
  // block.
  static std::optional<std::size_t> column_of(const SectionEntry& entry) {
    switch (static_cast<Section>(entry.section)) {
      case Section::rows:
        return entry.column < kRowColumns ? entry.column : StoredParts::kColumns;
      case Section::groups_of_parts:
        return entry.column < GroupRows::kColumns ? StoredParts::of_group(entry.column)
                                                  : StoredParts::kColumns;
      case Section::clock:
        return entry.column == 0 ? StoredParts::kClock : StoredParts::kColumns;
      default:
        return std::nullopt;
    }
  }

  base::Status place_sections() {
    // Each block has as many sections, and its heads.
    const std::size_t blocks = entries_.size() / (StoredParts::kColumns + 1);
    stored_ = std::make_shared<StoredParts>(std::move(bytes_), blocks);
    heads_.resize(blocks);
    for (const SectionEntry& entry : entries_) {
      std::optional<SectionEntry>* place = nullptr;
      if (const auto column = column_of(entry)) {
        if (entry.block < blocks && *column < StoredParts::kColumns) {
          place = &stored_->section(entry.block, *column);
        }
      } else if (entry.column == 0 && static_cast<Section>(entry.section) == Section::heads) {
        if (entry.block < blocks) place = &heads_[entry.block];
      } else if (entry.column == 0 && entry.block == 0 && entry.section < singles_.size()) {
        place = &singles_[entry.section];
      }
      if (place == nullptr) return damaged("a section has a wrong number");
      if (*place) return damaged("a section is there twice");
      *place = entry;
    }
    for (std::size_t block = 0; block < blocks; ++block) {
      bool has_all = heads_[block].has_value();
      for (std::size_t column = 0; column < StoredParts::kColumns; ++column) {
        has_all = has_all && stored_->section(block, column);
      }
      if (!has_all) return damaged("a section is missing");
    }
    return base::Success{};
  }

  template <typename Take>
  base::Status read_entry(const std::optional<SectionEntry>& entry, const Take& take) {
    if (!entry) return damaged("a section is missing");
    SectionUnpacker unpacker(stored_->bytes());
    std::string bytes;
    if (const Fault fault = unpacker.unpack(*entry, bytes); fault != Fault::none) {
      return damaged(fault);
    }
    Unpacker in(bytes);
    take(in);
    return in.is_done() ? base::Status(base::Success{}) : damaged("a section does not fit");
  }
  template <typename Take>
  base::Status read_section(Section section, const Take& take) {
    return read_entry(singles_[static_cast<std::size_t>(section)], take);
  }

  template <typename Map>
  base::Status read_map(Section section, Map& map) {
    return read_section(section, [&map](Unpacker& in) {
      const std::size_t count = in.size();
      FieldReader read(in);
      for (std::size_t i = 0; i < count && in.fits(); ++i) {
        std::pair<typename Map::key_type, typename Map::mapped_type> entry;
        read(entry.first, entry.second);
        // In order, so that reading is as fast as what there is.
        map.emplace_hint(map.end(), std::move(entry));
      }
    });
  }

  void take_collectives(Unpacker& in) {
    const std::size_t count = in.size();
    FieldReader read(in);
    CollectiveKey key;
    for (std::size_t i = 0; i < count && in.fits(); ++i) {
      take_place(in, key);
      CollectiveSum sum;
      read(sum);
      summary_.collectives.emplace_hint(summary_.collectives.end(), key, sum);
    }
  }

  base::Status read_heads() {
    for (std::size_t block = 0; block < heads_.size(); ++block) {
      DLVIEW_TRY(read_entry(heads_[block], [this, block](Unpacker& in) { take_heads(in, block); }));
    }
    if (parts_ != summary_.parts.size()) return damaged("ranks are missing");
    return base::Success{};
  }

  void take_heads(Unpacker& in, std::size_t block) {
    FieldReader read(in);
    StoredPlace place{stored_, static_cast<uint32_t>(block)};
    // All blocks but the last are full.
    const uint64_t left = parts_ - std::min<uint64_t>(parts_, summary_.parts.size());
    for (uint64_t i = 0; i < std::min<uint64_t>(left, kPartsOfBlock) && in.fits(); ++i) {
      RankPart& part = summary_.parts.emplace_back();
      std::vector<std::string> groups;
      read(part.head, part.first, part.size, groups);
      for (std::string& group : groups) part.groups.emplace(std::move(group), GroupRows());
      part.stored = place;
      ++place.place;
      place.groups_before += static_cast<uint32_t>(part.groups.size());
    }
  }

  // What the rest of the program relies on.
  base::Status check_parts() const {
    const auto is_in_order = [](const RankPart& a, const RankPart& b) {
      return std::pair(a.head.rank, a.first) < std::pair(b.head.rank, b.first);
    };
    const auto& parts = summary_.parts;
    if (parts.empty() || !std::ranges::is_sorted(parts, is_in_order)) {
      return damaged("its ranks are out of order");
    }
    // Parts of a rank are of one file and do not overlap.
    const auto contradict = [](const RankPart& a, const RankPart& b) {
      if (a.head.rank != b.head.rank) return false;
      const uint64_t apart = static_cast<uint64_t>(b.first) - static_cast<uint64_t>(a.first);
      return a.head.checksum != b.head.checksum || apart < static_cast<uint64_t>(a.size);
    };
    if (std::ranges::adjacent_find(parts, contradict) != parts.end()) {
      return damaged("two parts are the same rank");
    }
    // Each value has a byte at least.
    std::vector<uint64_t> values(stored_->blocks());
    for (const RankPart& part : parts) {
      if (part.size < 1) return damaged("a rank has no iterations");
      uint64_t& of_block = values[part.stored.block];
      const uint64_t most = stored_->section(part.stored.block, 0)->bytes;
      if (static_cast<uint64_t>(part.size) > most - of_block) {
        return damaged("iterations are missing");
      }
      of_block += static_cast<uint64_t>(part.size);
    }
    for (std::size_t block = 0; block < values.size(); ++block) {
      for (std::size_t column = 0; column < kRowColumns; ++column) {
        if (stored_->section(block, column)->bytes < values[block]) {
          return damaged("iterations are missing");
        }
      }
    }
    return base::Success{};
  }

  SummaryBytes bytes_;
  const std::string& name_;
  std::vector<SectionEntry> entries_;
  std::shared_ptr<StoredParts> stored_;
  std::vector<std::optional<SectionEntry>> heads_;  // by block
  std::array<std::optional<SectionEntry>, static_cast<std::size_t>(Section::collectives) + 1>
      singles_;  // by Section
  uint64_t parts_ = 0;
  RunSummary summary_;
};

base::Result<RunSummary> loaded(SummaryBytes bytes, const std::string& name) {
  Reader reader(std::move(bytes), name);
  auto summary = reader.read();
  if (summary && !load_parts(*summary)) return reader.damaged("a section does not fit");
  return summary;
}

base::Result<SummaryBytes> bytes_of(const std::filesystem::path& path) {
  base::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(path, error);
  if (!file || error) {
    return base::Error{"Cannot read the summary", path.string(),
                       "Check the path and your permissions"};
  }
  return SummaryBytes(std::move(file), size);
}

}  // namespace

base::Result<RunSummary> from_bytes(std::string_view bytes, const std::string& name) {
  return loaded(SummaryBytes(bytes), name);
}

bool is_summary(const std::filesystem::path& path) {
  std::array<char, kSummaryMagic.size()> begin{};
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  return file.read(begin.data(), begin.size()) && begin == kSummaryMagic;
}

base::Result<RunSummary> read_summary(const std::filesystem::path& path) {
  auto bytes = bytes_of(path);
  if (!bytes) return bytes.error();
  return loaded(*std::move(bytes), path.filename().string());
}

base::Result<RunSummary> open_summary(const std::filesystem::path& path) {
  auto bytes = bytes_of(path);
  if (!bytes) return bytes.error();
  const std::string name = path.filename().string();
  return Reader(*std::move(bytes), name).read();
}

}  // namespace dlview::ranks
