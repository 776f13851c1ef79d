#include <algorithm>
#include <cstring>
#include <utility>
#include <xxhash.h>
#include <zstd.h>

#include "base/parallel.h"
#include "ranks/stored_parts.h"
#include "ranks/summary_file.h"
#include "ranks/summary_layout.h"

namespace dlview::ranks {
namespace {

constexpr int kLevel = 3;  // of Zstandard

std::string compressed(const std::string& bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), kLevel);
  packed.resize(ZSTD_isError(size) != 0 ? 0 : size);
  return packed;
}

class Writer {
 public:
  explicit Writer(const RunSummary& summary) : summary_(summary) {}

  std::string write() {
    add_rules();
    for (std::size_t block = 0; block * kPartsOfBlock < summary_.parts.size(); ++block) {
      add_parts(block);
    }
    add_map(Section::ops, summary_.ops);
    add_map(Section::kernels, summary_.kernels);
    add_map(Section::groups, summary_.groups);
    add_collectives();
    std::vector<std::string> packed(sections_.size());
    base::parallel_for(sections_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) packed[i] = compressed(sections_[i]);
    });
    SummaryHead head;
    head.sections = static_cast<uint32_t>(entries_.size());
    const std::size_t directory_bytes = entries_.size() * sizeof(SectionEntry);
    uint64_t offset = sizeof(SummaryHead) + directory_bytes;
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
    FieldWriter write(out);
    write(summary_.rules, uint64_t{summary_.parts.size()});
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
    const auto head = [](Packer& out, const RankPart& part) {
      std::vector<std::string> names;
      for (const auto& entry : part.groups) names.push_back(entry.first);
      FieldWriter write(out);
      write(part.head, part.first, part.size, names);
    };
    add_section(Section::heads, of_block(block, head), 0, number);
    for (std::size_t column = 0; column < kRowColumns; ++column) {
      const auto use = [column](Packer& out, const RankPart& part) { out.add(part.rows[column]); };
      add_section(Section::rows, of_block(block, use), static_cast<uint32_t>(column), number);
    }
    for (std::size_t column = 0; column < GroupRows::kColumns; ++column) {
      const auto use = [column](Packer& out, const RankPart& part) {
        for (const auto& entry : part.groups) out.add(entry.second.column(column));
      };
      add_section(Section::groups_of_parts, of_block(block, use), static_cast<uint32_t>(column),
                  number);
    }
    const auto clock = [this](Packer& out, const RankPart& part) {
      out.add(packed_clock(part.clock));
    };
    add_section(Section::clock, of_block(block, clock), 0, number);
  }

  std::string packed_clock(const std::vector<ClockSample>& samples) const {
    const bool have_calls = summary_.rules.matching != SummaryRules::Matching::sequence;
    Packer out;
    FieldWriter write(out);
    write(uint64_t{samples.size()}, have_calls);
    const ClockSample* last = nullptr;
    for (const ClockSample& sample : samples) {
      add_place(out, sample, last);
      out.add(wrapping_difference(sample.start_ns, last == nullptr ? 0 : last->start_ns));
      out.add(wrapping_difference(sample.stop_ns, sample.start_ns));
      if (have_calls) write(sample.collective, sample.bytes, sample.exposed_ns);
      last = &sample;
    }
    return out.take();
  }

  template <typename Map>
  void add_map(Section section, const Map& map) {
    Packer out;
    FieldWriter write(out);
    out.add_count(map.size());
    for (const auto& [key, value] : map) write(key, value);
    add_section(section, out.take());
  }

  void add_collectives() {
    Packer out;
    FieldWriter write(out);
    out.add_count(summary_.collectives.size());
    const CollectiveKey* last = nullptr;
    for (const auto& [key, sum] : summary_.collectives) {
      add_place(out, key, last);
      last = &key;
      write(sum);
    }
    add_section(Section::collectives, out.take());
  }

  const RunSummary& summary_;
  std::vector<SectionEntry> entries_;
  std::vector<std::string> sections_;  // unpacked
};

}  // namespace

std::string to_bytes(const RunSummary& summary) {
  const bool is_loaded = std::ranges::none_of(
      summary.parts, [](const RankPart& part) { return part.stored.file != nullptr; });
  if (is_loaded) return Writer(summary).write();
  RunSummary loaded = summary;
  load_parts(loaded);
  return Writer(loaded).write();
}

}  // namespace dlview::ranks
