#include "import/pytorch/trace_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <future>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/blocks.h"
#include "base/large_memory.h"
#include "base/stop_point.h"
#include "base/units.h"
#include "import/errors.h"
#include "import/other_json.h"
#include "import/pytorch/event_list.h"
#include "import/pytorch/event_parts.h"
#include "import/pytorch/json_scanner.h"
#include "import/pytorch/trace_header.h"
#include "profile/recorded.h"

namespace dlview::import::pytorch {
namespace {

constexpr int kEventsBetweenStops = 256;
constexpr std::size_t kBytesBetweenStops = std::size_t{1} << 16;

// Where reading the list of events stands.
struct Walk {
  const char* at = nullptr;        // in front of an event, or at what was no JSON
  const char* last_end = nullptr;  // after the last whole event
  bool is_lost = false;            // the next event must be found
  bool is_cut = false;             // the memory ended within an event
  bool has_left = false;           // the list has ended
  bool operator==(const Walk&) const = default;
};

// Reads events of one piece of memory.
class Walker {
 public:
  // `is_last`: nothing follows `end`, or nothing that can be waited for.
  Walker(const char* end, bool is_last) : end_(end), is_last_(is_last) {}

  // Until an event begins at or after `stop`, the list ends, or the memory does.
  void walk(Walk& walk, const char* stop, EventPart& part) const;
  // Moves to the next event at or after `walk.at`, but not to one at or after `stop`.
  void find_event(Walk& walk, const char* stop) const;

 private:
  // nullopt where the memory ends before that is known.
  std::optional<bool> ends_list(const char* bracket) const;
  // Whether an event, or the header, follows an event whose end the whole file does not have.
  bool goes_on_after(const char* event) const;

  std::size_t bytes_from(const char* at) const { return static_cast<std::size_t>(end_ - at); }

  static constexpr std::size_t kShownOfOpen = 60;

  const char* end_;
  bool is_last_;
};

void Walker::walk(Walk& walk, const char* stop, EventPart& part) const {
  int events = 0;
  RawEvent event;
  KeyChain keys;
  walk.is_cut = false;
  while (!walk.has_left) {
    if (++events % kEventsBetweenStops == 0) base::stop_point();
    if (walk.is_lost) {
      find_event(walk, stop);
      if (walk.is_lost) return;
    }
    JsonScanner json(walk.at, end_);
    while (json.skip_space() && *json.at() == ',') json.move_to(json.at() + 1);
    walk.at = json.at();
    if (walk.at >= stop) return;
    if (*walk.at == ']') {
      walk.has_left = true;
      ++walk.at;
      return;
    }
    Scan scan = Scan::bad;
    if (*walk.at == '{') {
      scan = event.read(json, keys);
      if (scan == Scan::ok) {
        walk.at = walk.last_end = json.at();
        part.add(event);
        continue;
      }
    }
    if (scan == Scan::cut && (!is_last_ || !goes_on_after(walk.at))) {
      walk.is_cut = true;
      return;
    }
    // An open bracket took all that follows for a part of the event: its begin says where.
    part.add_damaged(
        scan == Scan::cut
            ? std::string_view(walk.at, std::min(kShownOfOpen, bytes_from(walk.at)))
            : std::string_view(walk.at, static_cast<std::size_t>(json.at() + 1 - walk.at)));
    walk.is_lost = true;
    ++walk.at;
  }
}

// A bracket among damaged events is the list's if the header goes on after it. Keys that the
// profiler does not write may come first.
std::optional<bool> Walker::ends_list(const char* bracket) const {
  constexpr std::ptrdiff_t kBytesLookedAt = 1024;
  constexpr int kKeysLookedAt = 4;
  const char* const seen_end = bracket + std::min(kBytesLookedAt, end_ - bracket);
  // Where the memory ended.
  const auto unknown = [&](bool if_last) {
    if (seen_end != end_) return std::optional(false);
    return is_last_ ? std::optional(if_last) : std::nullopt;
  };
  JsonScanner json(bracket + 1, seen_end);
  for (int keys = 0; keys < kKeysLookedAt; ++keys) {
    if (!json.skip_space()) return unknown(keys == 0);
    const char letter = *json.at();
    if (letter != '}' && letter != ',') return false;
    json.move_to(json.at() + 1);
    if (letter == '}') return json.skip_space() ? std::optional(false) : unknown(true);
    if (!json.skip_space()) return unknown(false);
    const std::optional<bool> is_known = begins_with_header_key(json.at(), seen_end);
    if (!is_known) return unknown(false);
    if (*is_known) return true;
    JsonValue key, value;
    Scan scan = json.text(key);
    if (scan == Scan::ok && !json.skip_space()) scan = Scan::cut;
    if (scan == Scan::ok && *json.at() != ':') scan = Scan::bad;
    if (scan == Scan::ok) {
      json.move_to(json.at() + 1);
      scan = json.value(value);
    }
    if (scan == Scan::cut) return unknown(false);
    if (scan == Scan::bad) return false;
  }
  return false;
}

bool Walker::goes_on_after(const char* event) const {
  Walk next;
  next.at = event + 1;
  next.is_lost = true;
  find_event(next, end_);
  if (next.is_lost) return false;
  if (*next.at == '{') return true;
  // A bracket at the very end may be one within the event.
  JsonScanner json(next.at + 1, end_);
  return json.skip_space() && *json.at() == ',';
}

void Walker::find_event(Walk& walk, const char* stop) const {
  const char* next_stop_point = walk.at;
  RawEvent event;
  KeyChain keys;
  for (; walk.at < stop; ++walk.at) {
    if (walk.at >= next_stop_point) {
      base::stop_point();
      next_stop_point = walk.at + kBytesBetweenStops;
    }
    if (*walk.at == '{') {
      JsonScanner json(walk.at, end_);
      const Scan scan = event.read(json, keys);
      next_stop_point -= std::min(json.at() - walk.at, next_stop_point - walk.at);
      if (scan == Scan::cut && !is_last_) {
        walk.is_cut = true;
        return;
      }
      if (scan == Scan::ok && event.is_event()) {
        walk.is_lost = false;
        return;
      }
      // Events within it would have phases: nothing in it is read again.
      const std::string_view whole(walk.at, static_cast<std::size_t>(json.at() - walk.at));
      if (scan == Scan::ok && whole.find("\"ph\"") == std::string_view::npos) {
        walk.at = json.at() - 1;
      }
    } else if (*walk.at == ']') {
      const std::optional<bool> ends = ends_list(walk.at);
      walk.is_cut = !ends;
      walk.is_lost = walk.is_cut || !*ends;
      if (walk.is_cut || !walk.is_lost) return;
    }
  }
}

base::Error no_trace(const std::filesystem::path& path, std::string_view why) {
  return {"This is not a PyTorch profiler trace", fmt::format("{} {}", quoted(path), why),
          "Record one with torch.profiler.profile() and export_chrome_trace(\"trace.json.gz\")"};
}

base::Error nothing_recorded(const std::filesystem::path& path, std::string_view why) {
  return {"Nothing was recorded in the trace", fmt::format("{} {}", quoted(path), why),
          "Run the model inside torch.profiler.profile() and, with a schedule, call prof.step() "
          "after each step"};
}

base::Error cut_before_events(const std::filesystem::path& path, int64_t bytes) {
  return {"The trace is truncated",
          bytes == 0 ? fmt::format("{} is empty or ends before its first byte can be unpacked",
                                   quoted(path))
                     : fmt::format("{} ends after {}, before its first event", quoted(path),
                                   base::format_bytes(bytes)),
          "Copy the file again. The transfer or the capture may have stopped early"};
}

// Reads the next part of a file while the one before is looked at.
class ReadAhead {
 public:
  ReadAhead(ByteStream stream, std::size_t window_bytes)
      : stream_(std::move(stream)), window_bytes_(window_bytes) {
    begin();
  }
  ~ReadAhead() {
    if (next_.valid()) next_.wait();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // `kept`, the end of the memory of the last call, and what follows it in the file. The memory is
  // valid until the next call.
  base::Result<std::string_view> next(std::string_view kept);
  // Whether nothing follows.
  bool is_last() const { return is_last_; }
  // Not while it reads: after the last part.
  const ByteStream& stream() const { return stream_; }
  int64_t file_bytes_read() const { return file_bytes_read_; }

 private:
  // Uninitialized, in huge pages.
  class Memory {
   public:
    Memory() = default;
    ~Memory() { free(); }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    char* bytes() const { return bytes_; }
    // What it holds is lost if it grows.
    void grow_to(std::size_t wanted) {
      if (wanted <= size_) return;
      free();
      bytes_ = base::PageAllocator<char>().allocate(wanted);
      size_ = wanted;
    }
    void swap(Memory& other) noexcept {
      std::swap(bytes_, other.bytes_);
      std::swap(size_, other.size_);
    }

   private:
    void free() {
      if (bytes_ != nullptr) base::PageAllocator<char>().deallocate(bytes_, size_);
      bytes_ = nullptr;
      size_ = 0;
    }
    char* bytes_ = nullptr;
    std::size_t size_ = 0;
  };
  struct Part {
    base::Result<std::size_t> bytes = std::size_t{0};
    int64_t file_bytes_read = 0;
  };
  void begin() {
    Memory& memory = memories_[turn_];
    room_of_next_ = room_;
    memory.grow_to(room_ + window_bytes_);
    next_ = std::async(std::launch::async, [this, room = room_, &memory] {
      Part part;
      part.bytes = stream_.read(std::span(memory.bytes() + room, window_bytes_));
      part.file_bytes_read = stream_.file_bytes_read();
      return part;
    });
  }

  ByteStream stream_;
  std::size_t window_bytes_;
  // A part is read after this many bytes, in front of which what is kept is copied.
  std::size_t room_ = std::size_t{1} << 16, room_of_next_ = 0;
  std::array<Memory, 2> memories_;
  std::size_t turn_ = 0;
  bool is_last_ = false;
  int64_t file_bytes_read_ = 0;
  std::future<Part> next_;
};

base::Result<std::string_view> ReadAhead::next(std::string_view kept) {
  const Part part = next_.get();
  if (!part.bytes) return part.bytes.error();
  file_bytes_read_ = part.file_bytes_read;
  is_last_ = *part.bytes < window_bytes_;
  Memory& memory = memories_[turn_];
  const std::size_t room = room_of_next_;
  const std::size_t first = room - std::min(room, kept.size());
  if (kept.size() > room) {
    Memory larger;
    larger.grow_to(kept.size() + window_bytes_);
    std::memcpy(larger.bytes() + kept.size(), memory.bytes() + room, *part.bytes);
    std::memcpy(larger.bytes(), kept.data(), kept.size());
    memory.swap(larger);
  } else if (!kept.empty()) {
    std::memcpy(memory.bytes() + first, kept.data(), kept.size());
  }
  room_ = std::max(room_, kept.size());
  turn_ = 1 - turn_;
  if (!is_last_) begin();
  return std::string_view(memory.bytes() + first, kept.size() + *part.bytes);
}

class TraceReader {
 public:
  TraceReader(const ByteSource& source, profile::ProfileBuilder& builder, QualityLog& quality,
              base::Progress& progress, const ReadOptions& options)
      : source_(source),
        quality_(quality),
        progress_(progress),
        options_(options),
        events_(builder) {}

  base::Result<TraceEvents> read();

 private:
  enum class Place : uint8_t { start, header, events, end };
  struct Part {
    EventPart events;
    double growth;  // for EventList::append()
  };

  // Reads on in [begin, end) of memory and returns where to go on.
  const char* read_memory(const char* begin, const char* end, bool is_last);
  const char* read_start(const char* begin, const char* end, bool is_last);
  const char* read_events(const char* begin, const char* end, bool is_last);
  // Appends pieces to events_ while the next ones are read.
  void join(std::vector<Part> parts);
  // After join().
  void wait_until_joined() {
    if (joining_.valid()) joining_.get();
  }
  base::Result<TraceEvents> finish(bool is_damaged);
  base::Error error_without_events() const;

  const ByteSource& source_;
  QualityLog& quality_;
  base::Progress& progress_;
  const ReadOptions options_;
  EventList events_;
  HeaderReader header_;
  Place place_ = Place::start;
  bool is_array_ = false;  // events without anything around them
  bool is_lost_ = false;   // among events
  bool is_no_json_ = false;
  int64_t total_bytes_ = 0, last_event_end_ = 0;
  int64_t memory_offset_ = 0;  // of what read_memory() got, in the unpacked file
  double expected_bytes_ = 0;  // of the unpacked file, about
  std::future<void> joining_;  // last: it uses the members above
};

const char* TraceReader::read_start(const char* begin, const char* end, bool is_last) {
  const std::string_view json(begin, static_cast<std::size_t>(end - begin));
  if (!is_last && json.size() < kByteOrderMark.size()) return begin;
  JsonScanner scanner(json);
  if (json.starts_with(kByteOrderMark)) scanner.move_to(begin + kByteOrderMark.size());
  if (!scanner.skip_space()) return end;
  is_array_ = *scanner.at() == '[';
  is_no_json_ = !is_array_ && *scanner.at() != '{';
  place_ = is_no_json_ ? Place::end : is_array_ ? Place::events : Place::header;
  return scanner.at() + 1;
}

const char* TraceReader::read_events(const char* begin, const char* end, bool is_last) {
  struct Block {
    std::optional<EventPart> part;
    const char* first = nullptr;  // where it found its first event
    Walk walk;                    // after its last one
  };
  const Walker walker(end, is_last);
  const auto bytes = static_cast<std::size_t>(end - begin);
  base::Blocks<Block> blocks(bytes, options_.block_bytes);
  const auto read_block = [&](Block& block, Walk walk, std::size_t stop) {
    block.part.emplace(options_.all_frames);
    block.walk = walk;
    walker.walk(block.walk, begin + stop, *block.part);
  };
  // Each block guesses where its first event begins...
  blocks.for_each([&](Block& block, std::size_t first, std::size_t stop) {
    Walk walk;
    walk.at = begin + first;
    walk.is_lost = first > 0 || is_lost_;
    if (first > 0) walker.find_event(walk, begin + stop);
    block.first = walk.at;
    if (first == 0 || !walk.is_lost) read_block(block, walk, stop);
  });
  // ... and is right if that is where the block before ended. If not, it is read again.
  Walk walk;
  walk.at = begin;
  walk.is_lost = is_lost_;
  std::size_t stop = 0;
  std::vector<Part> parts;
  for (Block& block : blocks.states()) {
    stop = std::min(bytes, stop + options_.block_bytes);
    if (walk.has_left || walk.is_cut) break;
    if (walk.at >= begin + stop) continue;
    const bool is_right =
        block.part && (stop <= options_.block_bytes || (block.first == walk.at && !walk.is_lost));
    if (!is_right) read_block(block, walk, stop);
    walk = block.walk;
    if (walk.last_end != nullptr) last_event_end_ = memory_offset_ + (walk.last_end - begin);
    parts.push_back(
        {std::move(*block.part),
         expected_bytes_ / static_cast<double>(memory_offset_ + static_cast<int64_t>(stop))});
    block.part.reset();
  }
  join(std::move(parts));
  is_lost_ = walk.is_lost;
  if (walk.has_left) place_ = is_array_ ? Place::end : Place::header;
  return walk.at;
}

void TraceReader::join(std::vector<Part> parts) {
  wait_until_joined();
  joining_ = std::async(std::launch::async,
                        [this, job = base::current_job(), parts = std::move(parts)]() mutable {
                          const base::JobScope scope(job);
                          for (Part& part : parts) {
                            base::stop_point();
                            events_.append(std::move(part.events), part.growth);
                          }
                        });
}

const char* TraceReader::read_memory(const char* begin, const char* end, bool is_last) {
  const char* at = begin;
  const char* before = nullptr;
  while (at != end && place_ != Place::end && at != before) {
    before = at;
    const int64_t offset = memory_offset_;
    memory_offset_ += at - begin;
    if (place_ == Place::start) {
      at = read_start(at, end, is_last);
    } else if (place_ == Place::events) {
      at = read_events(at, end, is_last);
    } else {
      JsonScanner json(at, end);
      const HeaderReader::Stop stop = header_.read(json, is_last);
      if (stop == HeaderReader::Stop::events_begin) place_ = Place::events;
      if (stop == HeaderReader::Stop::object_ends) place_ = Place::end;
      at = json.at();
    }
    memory_offset_ = offset;
  }
  return at;
}

base::Result<TraceEvents> TraceReader::read() {
  base::Result<ByteStream> stream =
      ByteStream::open(source_, progress_, std::nullopt, ByteStream::WhenDamaged::end);
  if (!stream) return stream.error();
  const int64_t file_bytes = stream->file_bytes();
  progress_.begin_stage("Reading events", file_bytes);
  ReadAhead parts(std::move(*stream), options_.window_bytes);
  std::string_view kept;  // what was not understood yet
  while (!parts.is_last() && place_ != Place::end) {
    const base::Result<std::string_view> memory = parts.next(kept);
    if (!memory) return memory.error();
    total_bytes_ += static_cast<int64_t>(memory->size() - kept.size());
    progress_.set_done(parts.file_bytes_read());
    const char* const end = memory->data() + memory->size();
    memory_offset_ = total_bytes_ - static_cast<int64_t>(memory->size());
    expected_bytes_ = static_cast<double>(total_bytes_) * static_cast<double>(file_bytes) /
                      static_cast<double>(std::max<int64_t>(1, parts.file_bytes_read()));
    const char* at = read_memory(memory->data(), end, parts.is_last());
    // What is too long to wait for its end is damaged.
    while (!parts.is_last() && place_ != Place::end &&
           static_cast<std::size_t>(end - at) > options_.most_event_bytes) {
      const char* const before = at;
      memory_offset_ = total_bytes_ - (end - at);
      at = read_memory(at, end, true);
      if (at == before) ++at;
    }
    kept = {at, static_cast<std::size_t>(end - at)};
  }
  wait_until_joined();
  return finish(parts.is_last() && parts.stream().is_damaged());
}

base::Error TraceReader::error_without_events() const {
  const std::filesystem::path& path = source_.path();
  if (events_.object_count() > 0) {
    const std::string_view other = name_other_json(source_.head());
    if (!other.empty()) return no_trace(path, fmt::format("is {}", other));
  }
  if (events_.object_count() == 0) return nothing_recorded(path, "has no events");
  return nothing_recorded(path, "has events, but no ops, annotations or GPU activity");
}

base::Result<TraceEvents> TraceReader::finish(bool is_damaged) {
  const std::filesystem::path& path = source_.path();
  if (is_no_json_) return no_trace(path, "is not JSON");
  const bool is_cut_off = place_ != Place::end;
  if (is_cut_off && events_.object_count() == 0) return cut_before_events(path, total_bytes_);
  TraceEvents events = std::move(events_).finish(quality_);
  const bool has_host = std::ranges::any_of(
      events.host, [](const HostEvent& host) { return host.kind != HostEvent::Kind::other; });
  if (!has_host && events.kernels.empty() && events.memcpys.empty() && events.memsets.empty()) {
    return error_without_events();
  }
  events.header = std::move(header_.header());
  if (header_.is_damaged()) {
    quality_.add("header", "damaged JSON around the events; values in it are left out", 1,
                 [] { return std::string("reading continues at the next known key"); });
  }
  if (is_cut_off) {
    events.is_cut_off = true;
    events.bytes_left = total_bytes_ - last_event_end_;
    quality_.add_file(
        "traceEvents", profile::kTruncated,
        fmt::format("the events after the first {}, of any kind and time, are missing",
                    base::format_count(events_.object_count())));
  } else if (is_damaged) {
    quality_.add_file("traceEvents", profile::kDamagedGzip,
                      fmt::format("values may be wrong in the {} that could be unpacked",
                                  base::format_bytes(total_bytes_)));
  }
  return events;
}

}  // namespace

base::Result<TraceEvents> read_trace_events(const ByteSource& source,
                                            profile::ProfileBuilder& builder, QualityLog& quality,
                                            base::Progress& progress, const ReadOptions& options) {
  const base::JobScope job(&progress);
  try {
    return TraceReader(source, builder, quality, progress, options).read();
  } catch (const base::Stopped&) {
    return canceled(source.path());
  }
}

}  // namespace dlview::import::pytorch
