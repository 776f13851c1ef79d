#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>
#include <xxhash.h>
#include <zstd.h>

#include <fmt/format.h>

#include "base/parallel.h"
#include "ranks/summary_file.h"
#include "ranks/summary_layout.h"

namespace dlview::ranks {
namespace {

// More room is not made for a section, nor for each byte of it.
constexpr uint64_t kMostBytesOfSection = uint64_t{1} << 32U;
constexpr uint64_t kMostOfPackedByte = 1 << 16U;

class Reader {
 public:
  Reader(std::string_view file, const std::string& name) : file_(file), name_(name) {}

  base::Result<RunSummary> read() {
    DLVIEW_TRY(read_directory());
    DLVIEW_TRY(refuse_doubles());
    // The parts first: the others fill them, each section what no other one does.
    std::vector<const SectionEntry*> rest;
    for (const SectionEntry& entry : entries_) {
      const auto section = static_cast<Section>(entry.section);
      if (section == Section::rules || section == Section::heads) {
        DLVIEW_TRY(read_section(entry));
      } else {
        rest.push_back(&entry);
      }
    }
    std::vector<std::optional<base::Error>> errors(rest.size());
    base::parallel_for(rest.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        if (const base::Status read = read_section(*rest[i]); !read) errors[i] = read.error();
      }
    });
    for (const std::optional<base::Error>& error : errors) {
      if (error) return *error;
    }
    if (parts_ != summary_.parts.size()) return damaged("ranks are missing");
    return check();
  }

 private:
  base::Error damaged(std::string_view why) const {
    return {"This summary is damaged", fmt::format("{}: {}", name_, why),
            "Run dlview summarize and dlview merge again"};
  }

  base::Status refuse_doubles() const {
    std::set<std::tuple<uint32_t, uint32_t, uint32_t>> seen;
    for (const SectionEntry& entry : entries_) {
      if (!seen.emplace(entry.section, entry.column, entry.block).second) {
        return damaged("a section is there twice");
      }
      // Of those that are not by rank there is one.
      const auto section = static_cast<Section>(entry.section);
      const bool is_by_rank = section == Section::heads || section == Section::rows ||
                              section == Section::groups_of_parts || section == Section::clock;
      if ((!is_by_rank && entry.block != 0) || (section != Section::rows && entry.column != 0)) {
        return damaged("a section has a wrong number");
      }
    }
    return base::Success{};
  }

  base::Status read_section(const SectionEntry& entry) {
    const base::Result<std::string> bytes = unpacked(entry);
    if (!bytes) return bytes.error();
    Unpacker in(*bytes);
    if (!take(entry, in) || !in.is_done()) return damaged("a section does not fit");
    return base::Success{};
  }

  base::Status read_directory() {
    SummaryHead head;
    if (file_.size() < sizeof head) return damaged("it is shorter than its head");
    std::memcpy(&head, file_.data(), sizeof head);
    if (head.magic != kSummaryMagic) return damaged("it does not begin as one");
    if (head.version != kSummaryVersion) {
      return base::Error{"This summary is of another version of dlview",
                         fmt::format("{}: version {}, this dlview reads version {}", name_,
                                     head.version, kSummaryVersion),
                         "Summarize the profiles again with this dlview"};
    }
    const uint64_t directory_bytes = uint64_t{head.sections} * sizeof(SectionEntry);
    if (directory_bytes > file_.size() - sizeof head) return damaged("it ends in its directory");
    entries_.resize(head.sections);
    std::memcpy(entries_.data(), file_.data() + sizeof head, directory_bytes);
    if (XXH3_64bits(entries_.data(), directory_bytes) != head.checksum) {
      return damaged("the checksum of its directory is wrong");
    }
    return base::Success{};
  }

  base::Result<std::string> unpacked(const SectionEntry& entry) const {
    if (entry.offset > file_.size() || entry.packed_bytes > file_.size() - entry.offset) {
      return damaged("it ends early");
    }
    const std::string_view packed = file_.substr(entry.offset, entry.packed_bytes);
    if (XXH3_64bits(packed.data(), packed.size()) != entry.checksum) {
      return damaged("the checksum of a section is wrong");
    }
    if (entry.bytes > std::min(kMostBytesOfSection, kMostOfPackedByte * entry.packed_bytes) ||
        ZSTD_getFrameContentSize(packed.data(), packed.size()) != entry.bytes) {
      return damaged("a section has another size");
    }
    std::string bytes(entry.bytes, '\0');
    const std::size_t size =
        ZSTD_decompress(bytes.data(), bytes.size(), packed.data(), packed.size());
    if (ZSTD_isError(size) != 0 || size != bytes.size())
      return damaged("a section cannot be unpacked");
    return bytes;
  }

  // The parts of a block, which its heads have made; nullptr = there is no such block yet.
  template <typename Use>
  bool for_each_part(const SectionEntry& entry, const Use& use) {
    const std::size_t first = std::size_t{entry.block} * kPartsOfBlock;
    if (first >= summary_.parts.size()) return false;
    const std::size_t end = std::min(first + kPartsOfBlock, summary_.parts.size());
    for (std::size_t part = first; part < end; ++part) use(summary_.parts[part]);
    return true;
  }

  bool take(const SectionEntry& entry, Unpacker& in) {
    switch (static_cast<Section>(entry.section)) {
      case Section::rules:
        return take_rules(in);
      case Section::heads:
        return take_heads(entry, in);
      case Section::rows:
        return entry.column < kRowColumns &&
               for_each_part(entry, [&](RankPart& part) { part.rows[entry.column] = in.text(); });
      case Section::groups_of_parts:
        return for_each_part(entry, [&](RankPart& part) {
          const std::size_t groups = in.size();
          for (std::size_t i = 0; i < groups && in.fits(); ++i) {
            GroupRows& rows = part.groups[std::string(in.text())];
            rows.calls = in.text();
            for (std::string& column : rows.ns) column = in.text();
            for (std::string& column : rows.exposed_ns) column = in.text();
          }
        });
      case Section::clock:
        return for_each_part(entry, [&](RankPart& part) { take_clock(in, part); });
      case Section::ops:
        return take_map(in, summary_.ops);
      case Section::kernels:
        return take_map(in, summary_.kernels);
      case Section::groups:
        return take_map(in, summary_.groups);
      case Section::collectives:
        return take_collectives(in);
    }
    return false;
  }

  bool take_rules(Unpacker& in) {
    FieldReader read(in);
    read(summary_.rules, parts_);
    return true;
  }

  bool take_heads(const SectionEntry& entry, Unpacker& in) {
    if (summary_.parts.size() != std::size_t{entry.block} * kPartsOfBlock) return false;
    const std::size_t end = std::min<std::size_t>(summary_.parts.size() + kPartsOfBlock, parts_);
    FieldReader read(in);
    while (summary_.parts.size() < end && in.fits()) {
      RankPart& part = summary_.parts.emplace_back();
      read(part.head, part.first, part.size);
    }
    return true;
  }

  // What add_place() of the writer wrote.
  template <typename Placed>
  static void take_place(Unpacker& in, Placed& placed) {
    if (in.count() != 0) {
      placed.group = in.text();
      placed.place = 0;
    }
    placed.place = wrapping_sum(placed.place, in.number());
  }

  static void take_clock(Unpacker& in, RankPart& part) {
    const std::size_t samples = in.size();
    for (std::size_t i = 0; i < samples && in.fits(); ++i) {
      ClockSample sample = part.clock.empty() ? ClockSample() : part.clock.back();
      take_place(in, sample);
      sample.start_ns = wrapping_sum(sample.start_ns, in.number());
      sample.stop_ns = wrapping_sum(sample.start_ns, in.number());
      part.clock.push_back(std::move(sample));
    }
  }

  template <typename Map>
  static bool take_map(Unpacker& in, Map& map) {
    const std::size_t count = in.size();
    FieldReader read(in);
    for (std::size_t i = 0; i < count && in.fits(); ++i) {
      std::pair<typename Map::key_type, typename Map::mapped_type> entry;
      read(entry.first, entry.second);
      // In order, so that reading is as fast as what there is.
      map.emplace_hint(map.end(), std::move(entry));
    }
    return true;
  }

  bool take_collectives(Unpacker& in) {
    const std::size_t count = in.size();
    FieldReader read(in);
    CollectiveKey key;
    for (std::size_t i = 0; i < count && in.fits(); ++i) {
      take_place(in, key);
      CollectiveSum sum;
      read(sum);
      summary_.collectives.emplace_hint(summary_.collectives.end(), key, sum);
    }
    return true;
  }

  // What the rest of the program relies on.
  base::Result<RunSummary> check() {
    const auto is_in_order = [](const RankPart& a, const RankPart& b) {
      return std::pair(a.head.rank, a.first) < std::pair(b.head.rank, b.first);
    };
    const auto& parts = summary_.parts;
    if (parts.empty() || !std::ranges::is_sorted(parts, is_in_order)) {
      return damaged("its ranks are out of order");
    }
    for (const RankPart& part : parts) {
      if (part.size < 1) return damaged("a rank has no iterations");
      for (std::size_t column = 0; column < kRowColumns; ++column) {
        // Each value has a byte at least.
        if (part.rows[column].size() < static_cast<std::size_t>(part.size)) {
          return damaged("iterations are missing");
        }
      }
    }
    return std::move(summary_);
  }

  std::string_view file_;
  const std::string& name_;
  std::vector<SectionEntry> entries_;
  uint64_t parts_ = 0;
  RunSummary summary_;
};
}  // namespace

base::Result<RunSummary> from_bytes(std::string_view bytes, const std::string& name) {
  return Reader(bytes, name).read();
}

bool is_summary(const std::filesystem::path& path) {
  std::array<char, kSummaryMagic.size()> begin{};
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  return file.read(begin.data(), begin.size()) && begin == kSummaryMagic;
}

base::Result<RunSummary> read_summary(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) {
    return base::Error{"Cannot read the summary", path.string(),
                       "Check the path and your permissions"};
  }
  std::string bytes(static_cast<std::size_t>(file.tellg()), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    return base::Error{"Cannot read the summary", path.string(),
                       "Check the disk, and copy the file again"};
  }
  return from_bytes(bytes, path.filename().string());
}

}  // namespace dlview::ranks
