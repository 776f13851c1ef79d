// RandomPlayer: plays random input to a program for some time, writes each line to a log before it
// is carried out, and finds out whether the memory that the program holds grows.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "app/driver.h"
#include "app/offscreen_program.h"
#include "app/random_input.h"

namespace dlview::app {

// Allocated bytes, read after each reopening of the first file. Memory grows when the median of the
// last quarter exceeds that of the second quarter by more than the limit. The first quarter is
// warm-up (fonts, drivers).
class MemoryReadings {
 public:
  void add(int64_t bytes) { bytes_.push_back(bytes); }
  std::size_t count() const { return bytes_.size(); }
  int64_t early() const;
  int64_t late() const;
  // With few readings nothing is said.
  bool are_enough() const { return count() >= 8; }
  bool grow_beyond(int64_t limit) const { return are_enough() && late() - early() > limit; }

 private:
  std::vector<int64_t> bytes_;
};

struct PlayedMemory {
  MemoryReadings all, small;  // AllocatedBytes
  int64_t resident = 0;       // bytes, at the last reading
  bool grows() const { return small.grow_beyond(kSmallLimit) || all.grow_beyond(kLimit); }

  // Large blocks: the software driver keeps the data and the textures of up to 64 frames, some of
  // them of 4K, which makes 30 MiB of difference between two readings.
  static constexpr int64_t kLimit = 64 << 20;
  // Small ones are the program's, whose remembered files, selections, windows and ids are bounded:
  // a leak of a few hundred bytes for each line shows within minutes.
  static constexpr int64_t kSmallLimit = 1 << 20;
};

class RandomPlayer {
 public:
  RandomPlayer(OffscreenProgram& offscreen, const RandomInput::Options& options, std::ostream& log);

  // At least one round of lines, then more until the time is over.
  void play_for(double seconds);
  // A number of lines, and a reading.
  void play_round();

  int64_t lines() const { return lines_; }
  int64_t failed_lines() const { return failed_lines_; }  // that could not be carried out
  const PlayedMemory& memory() const { return memory_; }

 private:
  void play_line(std::string_view line);
  void read_memory();
  Scene scene() const;

  OffscreenProgram& offscreen_;
  RandomInput input_;
  std::ostream& log_;
  Driver driver_;
  int rounds_ = 0;
  int64_t lines_ = 0, failed_lines_ = 0;
  PlayedMemory memory_;
};

}  // namespace dlview::app
