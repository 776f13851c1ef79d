// The text of a trace file: compression, and the layout of each writer.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generate/pytorch.h"
#include "generate/random.h"

namespace dlview::generate::pytorch {

// Blocks of text, compressed on the way where asked for.
class TraceFile {
 public:
  TraceFile(std::ostream& out, bool compresses);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  std::string& text() { return text_; }  // append here, then
  void flush_if_full() {
    if (text_.size() >= kBlock) flush(false);
  }
  void finish() { flush(true); }
  int64_t raw_bytes() const { return raw_bytes_ + static_cast<int64_t>(text_.size()); }

 private:
  static constexpr std::size_t kBlock = 1 << 20;
  struct Deflate;
  void flush(bool is_last);

  std::ostream& out_;
  std::unique_ptr<Deflate> deflate_;  // none: plain
  std::string text_;
  int64_t raw_bytes_ = 0;
};

// JSON text with a string's escapes, in quotes.
std::string json_string(std::string_view text);

// An object of `header` and the events, or a bare array. Keys are in quotes; values are JSON.
class EventWriter {
 public:
  using Header = std::vector<std::pair<std::string, std::string>>;

  EventWriter(TraceFile& file, const PytorchOptions& options);

  void begin_file(const Header& header);
  void end_file(const Header& trailer);

  // An event is begin(), its fields, end().
  void begin() { fields_ = digits_ = 0; }
  void add(std::string_view key, std::string_view value) {
    field_[fields_++] = {key, value, false};
  }
  void add(std::string_view key, int64_t value) { add(key, number(value)); }
  // A time or duration in ns, written in microseconds as the schema does.
  void add_time(std::string_view key, int64_t ns) { add(key, time(ns)); }
  void end_line() { field_[fields_ - 1].ends_line = true; }  // as Kineto's layout does
  void end();
  // The start or the end of Kineto's arrow from a call to its activity.
  void add_flow(bool is_start, int64_t id, int64_t process, std::string_view thread, int64_t ns);

  int64_t events() const { return events_; }

 private:
  struct Field {
    std::string_view key, value;
    bool ends_line = false;
  };

  std::string_view number(int64_t value);
  std::string_view time(int64_t ns);
  void write_as_kineto(std::string& out) const;
  // Copies JSON with the white space of the layout.
  void lay_out(std::string_view json, int depth, std::string& out) const;
  void new_line(int depth, std::string& out) const;
  void write_members(const Header& header, bool comma_first, std::string& out) const;

  TraceFile& file_;
  PytorchWriter writer_;
  int indent_;
  bool whole_microseconds_, trims_zeros_;
  Random order_;  // of keys
  std::array<Field, 16> field_;
  std::size_t fields_ = 0;
  std::array<char, 512> digit_;
  std::size_t digits_ = 0;
  int64_t events_ = 0;
  Header header_;  // of writer C, behind the events
  std::string scratch_;
};

}  // namespace dlview::generate::pytorch
