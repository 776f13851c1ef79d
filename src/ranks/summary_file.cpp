#include "ranks/summary_file.h"

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

namespace dlview::ranks {
namespace {

constexpr std::array<char, 8> kMagic{'d', 'l', 's', 'u', 'm', '\r', '\n', '\x1a'};
constexpr uint32_t kVersion = 1;
constexpr int kLevel = 3;  // of Zstandard
constexpr std::size_t kPartsOfBlock = 64;
// More room is not made for a section, nor for each byte of it.
constexpr uint64_t kMostBytesOfSection = uint64_t{1} << 32U;
constexpr uint64_t kMostOfPackedByte = 1 << 16U;

enum class Section : uint32_t {
  rules,
  heads,
  rows,
  groups_of_parts,
  clock,
  ops,
  kernels,
  groups,
  collectives
};

struct Entry {
  uint32_t section = 0;  // Section
  uint32_t column = 0;   // of rows
  uint32_t block = 0;    // of parts
  uint32_t reserved = 0;
  uint64_t offset = 0, packed_bytes = 0, bytes = 0;
  uint64_t checksum = 0;  // of the packed bytes
};

struct FileHead {
  std::array<char, 8> magic = kMagic;
  uint32_t version = kVersion;
  uint32_t sections = 0;
  uint64_t checksum = 0;  // of the directory
};

std::string compressed(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), kLevel);
  packed.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return packed;
}

void add(Packer& out, const std::optional<int64_t>& value) {
  out.add_count(value ? 1 : 0);
  if (value) out.add(*value);
}
std::optional<int64_t> optional_number(Unpacker& in) {
  if (in.count() == 0) return std::nullopt;
  return in.number();
}
void add(Packer& out, const std::vector<std::string>& texts) {
  out.add_count(texts.size());
  for (const std::string& text : texts) out.add(text);
}
std::vector<std::string> texts(Unpacker& in) {
  std::vector<std::string> texts(in.size());
  for (std::string& text : texts) text = in.text();
  return texts;
}
void add(Packer& out, const WideStats& stats) {
  out.add(stats.count);
  if (stats.count == 0) return;
  out.add(stats.min);
  out.add(stats.max - stats.min);
  out.add_wide(stats.sum);
}
WideStats stats(Unpacker& in) {
  WideStats stats;
  stats.count = in.number();
  if (stats.count == 0) return stats;
  stats.min = in.number();
  stats.max =
      static_cast<int64_t>(static_cast<uint64_t>(stats.min) + static_cast<uint64_t>(in.number()));
  stats.sum = in.wide();
  return stats;
}

void add(Packer& out, const RankPart& part) {
  const RankHead& head = part.head;
  out.add(head.rank);
  add(out, head.world_size);
  out.add(head.source);
  add(out, head.contradictions);
  out.add(head.host);
  out.add(head.gpus);
  out.add(head.gpu_name);
  out.add(head.first_device);
  out.add(head.format);
  out.add(head.file);
  add(out, head.process_id);
  out.add_count(head.checksum);
  add(out, head.utc_start_ns);
  add(out, head.system_start_ns);
  out.add_count(head.work_signature);
  add(out, head.not_recorded);
  out.add(part.first);
  out.add(part.size);
}
RankPart part_of(Unpacker& in) {
  RankPart part;
  RankHead& head = part.head;
  head.rank = in.number();
  head.world_size = optional_number(in);
  head.source = in.text();
  head.contradictions = texts(in);
  head.host = in.text();
  head.gpus = in.number();
  head.gpu_name = in.text();
  head.first_device = in.number();
  head.format = in.text();
  head.file = in.text();
  head.process_id = optional_number(in);
  head.checksum = in.count();
  head.utc_start_ns = optional_number(in);
  head.system_start_ns = optional_number(in);
  head.work_signature = in.count();
  head.not_recorded = texts(in);
  part.first = in.number();
  part.size = in.number();
  return part;
}

void add(Packer& out, const OpKey& key) {
  out.add(key.name);
  out.add(key.type);
  out.add(key.direction);
}
OpKey op_key(Unpacker& in) {
  OpKey key;
  key.name = in.text();
  key.type = in.text();
  key.direction = in.text();
  return key;
}

void add(Packer& out, const Histogram& histogram) {
  out.add_count(histogram.counts().size());
  int64_t last = 0;
  for (const auto& [bucket, times] : histogram.counts()) {
    out.add(bucket - last);
    out.add(times);
    last = bucket;
  }
}
Histogram histogram_of(Unpacker& in) {
  Histogram histogram;
  const std::size_t buckets = in.size();
  int64_t bucket = 0;
  for (std::size_t i = 0; i < buckets && in.fits(); ++i) {
    bucket += in.number();
    histogram.add_bucket(bucket, in.number());
  }
  return histogram;
}

class Writer {
 public:
  explicit Writer(const RunSummary& summary) : summary_(summary) {}

  std::string write() {
    add_rules();
    for (std::size_t block = 0; block * kPartsOfBlock < summary_.parts.size(); ++block) {
      add_parts(block);
    }
    add_ops();
    add_kernels();
    add_groups();
    add_collectives();
    std::vector<std::string> packed(sections_.size());
    base::parallel_for(sections_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) packed[i] = compressed(sections_[i]);
    });
    FileHead head;
    head.sections = static_cast<uint32_t>(entries_.size());
    const std::size_t directory_bytes = entries_.size() * sizeof(Entry);
    uint64_t offset = sizeof(FileHead) + directory_bytes;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      entries_[i].offset = offset;
      entries_[i].packed_bytes = packed[i].size();
      entries_[i].checksum = XXH3_64bits(packed[i].data(), packed[i].size());
      offset += packed[i].size();
    }
    head.checksum = XXH3_64bits(entries_.data(), directory_bytes);
    std::string file(reinterpret_cast<const char*>(&head), sizeof head);
    file.reserve(offset);
    file.append(reinterpret_cast<const char*>(entries_.data()), directory_bytes);
    for (const std::string& section : packed) file += section;
    return file;
  }

 private:
  void add_section(Section section, std::string bytes, uint32_t column = 0, uint32_t block = 0) {
    entries_.push_back({static_cast<uint32_t>(section), column, block, 0, 0, 0, bytes.size(), 0});
    sections_.push_back(std::move(bytes));
  }

  void add_rules() {
    Packer out;
    out.add(summary_.rules.key_op);
    out.add(summary_.rules.cut);
    out.add(summary_.rules.split_by);
    out.add_count(static_cast<uint64_t>(summary_.rules.matching));
    out.add_count(summary_.parts.size());
    add_section(Section::rules, out.take());
  }

  template <typename Use>
  std::string of_block(std::size_t block, const Use& use) const {
    Packer out;
    const std::size_t end = std::min((block + 1) * kPartsOfBlock, summary_.parts.size());
    for (std::size_t part = block * kPartsOfBlock; part < end; ++part) {
      use(out, summary_.parts[part]);
    }
    return out.take();
  }

  void add_parts(std::size_t block) {
    const auto number = static_cast<uint32_t>(block);
    add_section(Section::heads,
                of_block(block, [](Packer& out, const RankPart& part) { add(out, part); }), 0,
                number);
    for (std::size_t column = 0; column < kRowColumns; ++column) {
      const auto use = [column](Packer& out, const RankPart& part) { out.add(part.rows[column]); };
      add_section(Section::rows, of_block(block, use), static_cast<uint32_t>(column), number);
    }
    const auto groups = [](Packer& out, const RankPart& part) {
      out.add_count(part.groups.size());
      for (const auto& [name, rows] : part.groups) {
        out.add(name);
        out.add(rows.calls);
        for (const std::string& column : rows.ns) out.add(column);
        for (const std::string& column : rows.exposed_ns) out.add(column);
      }
    };
    add_section(Section::groups_of_parts, of_block(block, groups), 0, number);
    const auto clock = [](Packer& out, const RankPart& part) {
      out.add_count(part.clock.size());
      const ClockSample* last = nullptr;
      for (const ClockSample& sample : part.clock) {
        const bool is_same_group = last != nullptr && last->group == sample.group;
        out.add_count(is_same_group ? 0 : 1);
        if (!is_same_group) out.add(sample.group);
        out.add(sample.place - (is_same_group ? last->place : 0));
        out.add(sample.start_ns - (last == nullptr ? 0 : last->start_ns));
        out.add(sample.stop_ns - sample.start_ns);
        last = &sample;
      }
    };
    add_section(Section::clock, of_block(block, clock), 0, number);
  }

  void add_ops() {
    Packer out;
    out.add_count(summary_.ops.size());
    for (const auto& [key, sum] : summary_.ops) {
      add(out, key);
      for (const WideStats* each : {&sum.cpu, &sum.gpu, &sum.api, &sum.overhead, &sum.idle,
                                    &sum.kernel_gpu, &sum.kernel_api}) {
        add(out, *each);
      }
      out.add(sum.tensor_core_kernels);
      out.add_wide(sum.tensor_core_ns);
      add(out, sum.gpu_times);
    }
    add_section(Section::ops, out.take());
  }

  void add_kernels() {
    Packer out;
    out.add_count(summary_.kernels.size());
    for (const auto& [key, sum] : summary_.kernels) {
      add(out, key.op);
      out.add(key.name);
      add(out, sum.gpu);
      add(out, sum.api);
      out.add_count(sum.uses_tensor_cores ? 1 : 0);
    }
    add_section(Section::kernels, out.take());
  }

  void add_groups() {
    Packer out;
    out.add_count(summary_.groups.size());
    for (const auto& [name, facts] : summary_.groups) {
      out.add(name);
      out.add_count(static_cast<uint64_t>(facts.collective));
      out.add(facts.description);
      add(out, facts.size);
    }
    add_section(Section::groups, out.take());
  }

  void add_collectives() {
    Packer out;
    out.add_count(summary_.collectives.size());
    const CollectiveKey* last = nullptr;
    for (const auto& [key, sum] : summary_.collectives) {
      const bool is_same_group = last != nullptr && last->group == key.group;
      out.add_count(is_same_group ? 0 : 1);
      if (!is_same_group) out.add(key.group);
      out.add(key.place - (is_same_group ? last->place : 0));
      last = &key;
      out.add_count(static_cast<uint64_t>(sum.collective));
      add(out, sum.bytes);
      add(out, sum.number);
      out.add_count(sum.agrees ? 1 : 0);
      out.add(sum.members);
      out.add(sum.least_ns);
      out.add(sum.least_rank);
      out.add(sum.second_ns);
      out.add(sum.greatest_ns - sum.least_ns);
      out.add(sum.greatest_rank);
      out.add_wide(sum.sum_ns);
      out.add_wide(sum.exposed_ns);
    }
    add_section(Section::collectives, out.take());
  }

  const RunSummary& summary_;
  std::vector<Entry> entries_;
  std::vector<std::string> sections_;  // unpacked
};

class Reader {
 public:
  Reader(std::string_view file, const std::string& name) : file_(file), name_(name) {}

  base::Result<RunSummary> read() {
    DLVIEW_TRY(read_directory());
    DLVIEW_TRY(refuse_doubles());
    // The parts first: the others fill them, each section what no other one does.
    std::vector<const Entry*> rest;
    for (const Entry& entry : entries_) {
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
    for (const Entry& entry : entries_) {
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

  base::Status read_section(const Entry& entry) {
    const base::Result<std::string> bytes = unpacked(entry);
    if (!bytes) return bytes.error();
    Unpacker in(*bytes);
    if (!take(entry, in) || !in.is_done()) return damaged("a section does not fit");
    return base::Success{};
  }

  base::Status read_directory() {
    FileHead head;
    if (file_.size() < sizeof head) return damaged("it is shorter than its head");
    std::memcpy(&head, file_.data(), sizeof head);
    if (head.magic != kMagic) return damaged("it does not begin as one");
    if (head.version != kVersion) {
      return base::Error{"This summary is of another version of dlview",
                         fmt::format("{}: version {}, this dlview reads version {}", name_,
                                     head.version, kVersion),
                         "Summarize the profiles again with this dlview"};
    }
    const uint64_t directory_bytes = uint64_t{head.sections} * sizeof(Entry);
    if (directory_bytes > file_.size() - sizeof head) return damaged("it ends in its directory");
    entries_.resize(head.sections);
    std::memcpy(entries_.data(), file_.data() + sizeof head, directory_bytes);
    if (XXH3_64bits(entries_.data(), directory_bytes) != head.checksum) {
      return damaged("the checksum of its directory is wrong");
    }
    return base::Success{};
  }

  base::Result<std::string> unpacked(const Entry& entry) const {
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
  bool for_each_part(const Entry& entry, const Use& use) {
    const std::size_t first = std::size_t{entry.block} * kPartsOfBlock;
    if (first >= summary_.parts.size()) return false;
    const std::size_t end = std::min(first + kPartsOfBlock, summary_.parts.size());
    for (std::size_t part = first; part < end; ++part) use(summary_.parts[part]);
    return true;
  }

  bool take(const Entry& entry, Unpacker& in) {
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
        return take_ops(in);
      case Section::kernels:
        return take_kernels(in);
      case Section::groups:
        return take_groups(in);
      case Section::collectives:
        return take_collectives(in);
    }
    return false;
  }

  bool take_rules(Unpacker& in) {
    summary_.rules.key_op = in.text();
    summary_.rules.cut = in.text();
    summary_.rules.split_by = in.text();
    const uint64_t matching = in.count();
    if (matching > static_cast<uint64_t>(SummaryRules::Matching::kernel_place)) return false;
    summary_.rules.matching = static_cast<SummaryRules::Matching>(matching);
    parts_ = in.count();
    return true;
  }

  bool take_heads(const Entry& entry, Unpacker& in) {
    if (summary_.parts.size() != std::size_t{entry.block} * kPartsOfBlock) return false;
    const std::size_t end = std::min<std::size_t>(summary_.parts.size() + kPartsOfBlock, parts_);
    while (summary_.parts.size() < end && in.fits()) summary_.parts.push_back(part_of(in));
    return true;
  }

  static void take_clock(Unpacker& in, RankPart& part) {
    const std::size_t samples = in.size();
    for (std::size_t i = 0; i < samples && in.fits(); ++i) {
      ClockSample sample = part.clock.empty() ? ClockSample() : part.clock.back();
      if (in.count() != 0) {
        sample.group = in.text();
        sample.place = 0;
      }
      sample.place += in.number();
      sample.start_ns += in.number();
      sample.stop_ns = sample.start_ns + in.number();
      part.clock.push_back(std::move(sample));
    }
  }

  bool take_ops(Unpacker& in) {
    const std::size_t count = in.size();
    for (std::size_t i = 0; i < count && in.fits(); ++i) {
      OpKey key = op_key(in);
      OpSum& sum = summary_.ops[std::move(key)];
      for (WideStats* each : {&sum.cpu, &sum.gpu, &sum.api, &sum.overhead, &sum.idle,
                              &sum.kernel_gpu, &sum.kernel_api}) {
        *each = stats(in);
      }
      sum.tensor_core_kernels = in.number();
      sum.tensor_core_ns = in.wide();
      sum.gpu_times = histogram_of(in);
    }
    return true;
  }

  bool take_kernels(Unpacker& in) {
    const std::size_t count = in.size();
    for (std::size_t i = 0; i < count && in.fits(); ++i) {
      KernelKey key{op_key(in), ""};
      key.name = in.text();
      KernelSum& sum = summary_.kernels[std::move(key)];
      sum.gpu = stats(in);
      sum.api = stats(in);
      sum.uses_tensor_cores = in.count() != 0;
    }
    return true;
  }

  static std::optional<profile::Collective> collective_of(uint64_t number) {
    if (number > static_cast<uint64_t>(profile::Collective::other)) return std::nullopt;
    return static_cast<profile::Collective>(number);
  }

  bool take_groups(Unpacker& in) {
    const std::size_t count = in.size();
    for (std::size_t i = 0; i < count && in.fits(); ++i) {
      GroupFacts& facts = summary_.groups[std::string(in.text())];
      const auto collective = collective_of(in.count());
      if (!collective) return false;
      facts.collective = *collective;
      facts.description = in.text();
      facts.size = optional_number(in);
    }
    return true;
  }

  bool take_collectives(Unpacker& in) {
    const std::size_t count = in.size();
    CollectiveKey key;
    for (std::size_t i = 0; i < count && in.fits(); ++i) {
      if (in.count() != 0) key = {std::string(in.text()), 0};
      key.place += in.number();
      CollectiveSum sum;
      const auto collective = collective_of(in.count());
      if (!collective) return false;
      sum.collective = *collective;
      sum.bytes = optional_number(in);
      sum.number = optional_number(in);
      sum.agrees = in.count() != 0;
      sum.members = in.number();
      sum.least_ns = in.number();
      sum.least_rank = in.number();
      sum.second_ns = in.number();
      sum.greatest_ns = sum.least_ns + in.number();
      sum.greatest_rank = in.number();
      sum.sum_ns = in.wide();
      sum.exposed_ns = in.wide();
      // In order, so that reading is as fast as what there is.
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
  std::vector<Entry> entries_;
  uint64_t parts_ = 0;
  RunSummary summary_;
};

}  // namespace

std::string to_bytes(const RunSummary& summary) {
  return Writer(summary).write();
}

base::Result<RunSummary> from_bytes(std::string_view bytes, const std::string& name) {
  return Reader(bytes, name).read();
}

bool is_summary(const std::filesystem::path& path) {
  std::array<char, kMagic.size()> begin{};
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  return file.read(begin.data(), begin.size()) && begin == kMagic;
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
