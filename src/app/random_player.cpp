#include "app/random_player.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "app/live_memory.h"

namespace dlview::app {
namespace {

constexpr int kLinesInRound = 100;
// Then one program goes on to the end, or what it remembers would go with it.
constexpr int kRoundsWithRestarts = 4;
// Threads that were stopped need a moment to end.
constexpr int kMostReadings = 40;
constexpr std::chrono::milliseconds kPause{20};

int64_t median(std::vector<int64_t> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::vector<int64_t> quarter(const std::vector<int64_t>& values, std::size_t number) {
  const auto edge = [&values](std::size_t part) {
    return values.begin() + static_cast<std::ptrdiff_t>(values.size() * part / 4);
  };
  return {edge(number), edge(number + 1)};
}

}  // namespace

int64_t MemoryReadings::early() const {
  return median(quarter(bytes_, 1));
}
int64_t MemoryReadings::late() const {
  return median(quarter(bytes_, 3));
}

RandomPlayer::RandomPlayer(OffscreenProgram& offscreen, const RandomInput::Options& options,
                           std::ostream& log)
    : offscreen_(offscreen), input_(options), log_(log), driver_(offscreen, log) {
  begin_counting_allocations();
}

void RandomPlayer::play_for(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  do {
    play_round();
  } while (std::chrono::steady_clock::now() < end);
}

void RandomPlayer::play_round() {
  const bool restarts = rounds_++ < kRoundsWithRestarts;
  input_.set_restarts(restarts);
  for (int i = 0; i < kLinesInRound; ++i) play_line(input_.next(scene()));
  for (const std::string& line : input_.reset()) play_line(line);
  read_memory();
  if (restarts) memory_ = {};
}

// Flushed: the next thing that happens may be the end of the process.
void RandomPlayer::play_line(std::string_view line) {
  log_ << line << std::endl;
  ++lines_;
  if (!driver_.run_line(line)) ++failed_lines_;
}

Scene RandomPlayer::scene() const {
  const Program& program = offscreen_.program();
  const auto& items = program.inspector().items();
  return {offscreen_.width(),
          offscreen_.height(),
          program.session().state(),
          {items.begin(), items.end()},
          program.commands().infos()};
}

void RandomPlayer::read_memory() {
  AllocatedBytes bytes = allocated_bytes();
  for (int reading = 0; reading < kMostReadings; ++reading) {
    std::this_thread::sleep_for(kPause);
    offscreen_.draw();
    const AllocatedBytes before = std::exchange(bytes, allocated_bytes());
    if (before.small == bytes.small) break;
  }
  memory_.all.add(bytes.all);
  memory_.small.add(bytes.small);
  memory_.resident = resident_bytes();
  log_ << fmt::format("# allocated {}, in small blocks {:+}; resident {}", bytes.all, bytes.small,
                      memory_.resident)
       << std::endl;
}

}  // namespace dlview::app
