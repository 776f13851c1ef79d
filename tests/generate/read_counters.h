// Reads an Nsight Compute CSV whose page and locale are known, cell by cell: a slow, obvious twin
// of the importer, for tests of the generator.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generate/limits.h"
#include "profile/counters.h"
#include "support/file_contents.h"

namespace dlview::testing {

// A launch, or a row of a summary, with its figures as texts.
struct CsvLaunch {
  std::map<std::string, std::string> cells;  // of its first row, by column
  struct Metric {
    std::string section, name, unit, value;
  };
  std::vector<Metric> metrics;     // of a summary the averages
  std::vector<std::string> rules;  // descriptions

  std::string text(const std::string& column) const {
    const auto found = cells.find(column);
    return found == cells.end() ? "" : found->second;
  }
  // Of the first metric with this label or name.
  const Metric* find(std::string_view name) const {
    for (const Metric& metric : metrics) {
      if (metric.name == name) return &metric;
    }
    return nullptr;
  }
};

inline std::string utf8_of(std::string bytes) {
  if (bytes.starts_with("\xff\xfe")) {
    std::string text;
    for (std::size_t i = 2; i + 1 < bytes.size(); i += 2) {
      const unsigned unit = static_cast<unsigned char>(bytes[i]) |
                            static_cast<unsigned>(static_cast<unsigned char>(bytes[i + 1])) << 8;
      if (unit < 0x80) {
        text += static_cast<char>(unit);
      } else {  // no character of two bytes occurs
        text += static_cast<char>(0xe0 | unit >> 12);
        text += static_cast<char>(0x80 | (unit >> 6 & 0x3f));
        text += static_cast<char>(0x80 | (unit & 0x3f));
      }
    }
    return text;
  }
  return bytes.starts_with("\xef\xbb\xbf") ? bytes.substr(3) : bytes;
}

inline std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (is_quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

inline bool is_header(std::string_view line) {
  return line.starts_with("\"ID\",\"Process ID\"") ||
         line.starts_with("\"Process ID\",\"Process Name\"") ||
         line.starts_with("\"Domain\",\"Range:");
}

inline std::vector<CsvLaunch> read_launches(const std::filesystem::path& path,
                                            generate::CsvPage page) {
  using generate::CsvPage;
  const std::string text = utf8_of(contents_of(path));
  std::vector<CsvLaunch> launches;
  std::vector<std::string> header, units;
  std::string last_key;
  bool is_units_row = false;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_header(line)) {
      header = cells_of(line);
      last_key.clear();
      is_units_row = page == CsvPage::raw;
      continue;
    }
    if (header.empty() || !line.starts_with('"')) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (is_units_row) {
      units = cells;
      is_units_row = false;
      continue;
    }
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < cells.size() && i < header.size(); ++i) row[header[i]] = cells[i];
    if (page == CsvPage::raw) {
      CsvLaunch& launch = launches.emplace_back();
      launch.cells = row;
      for (std::size_t i = 0; i < header.size(); ++i) {
        if (header[i].find("__") == std::string::npos) continue;
        launch.metrics.push_back({"", header[i], units[i], cells[i]});
      }
      continue;
    }
    std::string key;
    for (const char* column : {"ID", "Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
                               "Kernel Name", "Grid Size", "Block Size"}) {
      key += row[column] + '\n';
    }
    if (key != last_key) launches.emplace_back().cells = row;
    last_key = key;
    if (!row["Metric Name"].empty()) {
      launches.back().metrics.push_back(
          {row["Section Name"], row["Metric Name"], row["Metric Unit"],
           row.count("Average") > 0 ? row["Average"] : row["Metric Value"]});
    } else {
      launches.back().rules.push_back(row["Rule Description"]);
    }
  }
  return launches;
}

inline double number_of(std::string text, generate::CsvLocale locale) {
  using generate::CsvLocale;
  const auto erase = [&](std::string_view mark) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark)) {
      text.erase(at, mark.size());
    }
  };
  // Six decimals are C style in every locale.
  const std::size_t point = text.find('.');
  if (point != std::string::npos && text.size() - point == 7 &&
      text.find_first_not_of("0123456789", point + 1) == std::string::npos) {
    return std::stod(text);
  }
  switch (locale) {
    case CsvLocale::c:
      break;
    case CsvLocale::en:
      erase(",");
      break;
    case CsvLocale::de:
      erase(".");
      break;
    case CsvLocale::fr:
      erase("\u202f");
      break;
    case CsvLocale::ch:
      erase("'");
      break;
  }
  const std::size_t comma = text.find(',');
  if (comma != std::string::npos) text[comma] = '.';
  return std::stod(text);
}

inline double base_factor(std::string_view unit) {
  static const std::map<std::string_view, double> kFactors{
      {"usecond", 1e3},       {"us", 1e3},
      {"msecond", 1e6},       {"ms", 1e6},
      {"second", 1e9},        {"s", 1e9},
      {"Kbyte", 1e3},         {"Mbyte", 1e6},
      {"Gbyte", 1e9},         {"Kbyte/second", 1e3},
      {"Mbyte/second", 1e6},  {"Gbyte/second", 1e9},
      {"Tbyte/second", 1e12}, {"Kbyte/s", 1e3},
      {"Mbyte/s", 1e6},       {"Gbyte/s", 1e9},
      {"Tbyte/s", 1e12},      {"cycle/usecond", 1e6},
      {"cycle/nsecond", 1e9}, {"Mhz", 1e6},
      {"Ghz", 1e9},           {"Kbyte/block", 1e3}};
  const auto found = kFactors.find(unit);
  return found == kFactors.end() ? 1 : found->second;
}

// "(128, 1, 1)".
inline std::optional<profile::Dim3> dim_of(const std::string& text) {
  profile::Dim3 dim;
  if (std::sscanf(text.c_str(), "(%d, %d, %d)", &dim.x, &dim.y, &dim.z) != 3) return std::nullopt;
  return dim;
}

// "domain/name" by lines, of a cell of states: thread "domain:name:none:..." "...".
inline std::string ranges_of(const std::string& cell) {
  std::string ranges;
  for (std::size_t begin = cell.find('"'); begin != std::string::npos;
       begin = cell.find('"', begin + 1)) {
    const std::size_t end = cell.find('"', begin + 1);
    std::string state = cell.substr(begin + 1, end - begin - 1);
    for (int i = 0; i < 6; ++i) state.erase(state.rfind(':'));
    state.replace(state.find(':'), 1, "/");
    ranges += (ranges.empty() ? "" : "\n") + state;
    begin = end;
  }
  return ranges;
}

// Without values: what the join needs.
inline profile::KernelCounters counters_of(const std::vector<CsvLaunch>& launches) {
  profile::KernelCounters counters;
  profile::StringTableBuilder texts;
  counters.files.emplace_back();
  for (const CsvLaunch& row : launches) {
    profile::CounterLaunch launch;
    const auto integer = [&](const std::string& column) -> std::optional<int64_t> {
      const std::string text = row.text(column);
      if (text.empty()) return std::nullopt;
      return std::stoll(text);
    };
    launch.id = integer("ID").value_or(static_cast<int64_t>(counters.launches.size()));
    launch.kernel = texts.intern(row.text("Kernel Name"));
    launch.grid = dim_of(row.text("Grid Size"));
    launch.block = dim_of(row.text("Block Size"));
    launch.stream = integer("Stream");
    launch.device = integer("Device");
    launch.invocations = integer("Invocations").value_or(1);
    if (const std::string capability = row.text("CC"); !capability.empty()) {
      launch.cc_major = capability[0] - '0';
      launch.cc_minor = capability[2] - '0';
    }
    const std::string states =
        row.text("thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg");
    if (!states.empty()) launch.ranges = texts.intern(ranges_of(states));
    if (const std::string domain = row.text("Domain"); !domain.empty()) {
      const std::string range = row.text("Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg");
      launch.ranges = texts.intern(ranges_of('"' + domain + ':' + range + '"'));
    }
    counters.launches.push_back(launch);
  }
  counters.strings = std::move(texts).finish();
  return counters;
}

}  // namespace dlview::testing
