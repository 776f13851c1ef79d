#include "aggregate/engine/faster_engine.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/exceptions.h"
#include "base/units.h"

namespace dlview::aggregate {
namespace {

// The first answer may add up all rows and the second prepare what later ones look up.
constexpr int kAnswers = 4;

template <typename Answer>
bool same(Part, const Answer& a, const Answer& b) {
  return a == b;
}

// Engines count from where they like, and nothing of the host where filters are set: what counts is
// what lies between two times.
bool same(Part part, const std::vector<Coverage>& a, const std::vector<Coverage>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t t = 1; t < a.size(); ++t) {
    for (std::size_t level = 0; level < kLevelCount; ++level) {
      const bool is_of_host = (kHostLevels >> level & 1) != 0;
      if (part == Part::kept && is_of_host) continue;
      if (a[t].ns[level] - a[t - 1].ns[level] != b[t].ns[level] - b[t - 1].ns[level]) return false;
    }
  }
  return true;
}

class FasterEngine : public Engine {
 public:
  FasterEngine(const profile::Profile& profile, const std::shared_ptr<const ProfileIndex>& index,
               const std::vector<MakeEngine>& engines) {
    for (std::size_t e = 0; e < engines.size(); ++e) {
      const bool is_last_hope = contenders_.empty() && e + 1 == engines.size();
      try {
        contenders_.push_back({engines[e](profile, index)});
      } catch (const std::exception&) {
        if (is_last_hope) throw;
        reason_ = base::error_of_current_exception().detail;
      }
    }
  }

  std::string_view name() const override { return contenders_.front().engine->name(); }
  std::string reason() const override { return reason_; }

  // Of the one that is kept: until then questions are awaited.
  bool prepare_filters() override {
    return contenders_.size() == 1 && contenders_.front().engine->prepare_filters();
  }
  void set_filter(const RowFilter& filter) override {
    filter_kind_ = kind_of(filter);
    tell([&](Engine& engine) { engine.set_filter(filter); });
    compares_filter_ = !compared_[filter_kind_];
    if (compares_filter_) ask_trusted([&] { trusted_->engine->set_filter(filter); });
  }
  void set_iterations(const Iterations& iterations) override {
    tell([&](Engine& engine) { engine.set_iterations(iterations); });
    compares_cut_ = iterations_ != nullptr && !compared_[kOtherCut];
    iterations_ = &iterations;
    trusted_has_iterations_ = false;
  }
  RowCells rows(Part part, profile::Row first, profile::Row end) override {
    return ask(part, "rows", [&](Contender& contender) {
      const Stopwatch watch(contender.present_ns = 0);
      return contender.engine->rows(part, first, end);
    });
  }
  Cells groups(Part part, const IterationRange& range) override {
    Cells cells = ask(part, "groups", [&](Contender& contender) {
      const Stopwatch watch(contender.present_ns);
      return contender.engine->groups(part, range);
    });
    // The last question of an aggregation.
    if (part == Part::all && contenders_.size() > 1) compare_times();
    note_compared(part);
    return cells;
  }
  std::vector<KernelTotals> kernel_totals(Part part) override {
    return ask(part, "kernels",
               [&](Contender& contender) { return contender.engine->kernel_totals(part); });
  }
  std::vector<Coverage> covered_before(Part part, profile::DeviceIndex device,
                                       std::span<const int64_t> times_ns) override {
    return ask(part, "busy times", [&](Contender& contender) {
      return contender.engine->covered_before(part, device, times_ns);
    });
  }

 private:
  struct Contender {
    std::unique_ptr<Engine> engine;
    int64_t present_ns = 0;  // of the answer that is being given
    int64_t best_ns = std::numeric_limits<int64_t>::max();
  };
  // Adds the time of its life.
  class Stopwatch {
   public:
    explicit Stopwatch(int64_t& ns) : ns_(ns) {}
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;
    ~Stopwatch() { ns_ += std::chrono::nanoseconds(Clock::now() - start_).count(); }

   private:
    using Clock = std::chrono::steady_clock;
    int64_t& ns_;
    Clock::time_point start_ = Clock::now();
  };

  // What is computed in a way of its own, so that an engine may be right about one and wrong about
  // another.
  enum Kind : std::size_t { kOpFilter, kEventFilter, kTimeFilter, kOtherCut, kKinds };

  static Kind kind_of(const RowFilter& filter) {
    if (filter.asks_for_time()) return kTimeFilter;
    return filter.asks_for_events() ? kEventFilter : kOpFilter;
  }

  // Calls use(contender) for all; those that fail drop out, but not the last one.
  template <typename Use>
  void for_each_contender(const Use& use) {
    for (auto contender = contenders_.begin(); contender != contenders_.end();) {
      try {
        use(*contender);
        ++contender;
      } catch (const std::exception&) {
        if (contenders_.size() == 1) throw;
        reason_ = base::error_of_current_exception().detail;
        contender = contenders_.erase(contender);
      }
    }
  }

  template <typename Set>
  void tell(const Set& set) {
    for_each_contender([&](Contender& contender) { set(*contender.engine); });
  }

  // The answer of the first contender, which that of the others must equal.
  template <typename Question>
  std::invoke_result_t<Question, Contender&> ask(Part part, std::string_view what,
                                                 const Question& question) {
    struct Answer {
      std::string_view engine;
      std::invoke_result_t<Question, Contender&> value;
    };
    std::optional<Answer> first;
    std::string differing;  // what for_each_contender() must not take for a failure
    for_each_contender([&](Contender& contender) {
      Answer answer{contender.engine->name(), question(contender)};
      if (!first) {
        first = std::move(answer);
      } else if (!same(part, answer.value, first->value)) {
        differing = difference(answer.engine, first->engine, what);
      }
    });
    if (part == Part::kept ? compares_filter_ : compares_cut_) {
      ask_trusted([&] {
        if (!same(part, question(*trusted_), first->value)) {
          differing = difference(first->engine, trusted_->engine->name(), what);
        }
      });
    }
    if (!differing.empty()) throw std::runtime_error(differing);
    return std::move(first->value);
  }
  static std::string difference(std::string_view engine, std::string_view trusted,
                                std::string_view what) {
    return fmt::format(
        "The {} engine disagrees with the {} engine about {}: not used for this file", engine,
        trusted, what);
  }

  // Nothing is compared any more when the trusted engine fails, as for lack of memory.
  template <typename Use>
  void ask_trusted(const Use& use) {
    if (!trusted_) return;
    try {
      if (!trusted_has_iterations_) trusted_->engine->set_iterations(*iterations_);
      trusted_has_iterations_ = true;
      use();
    } catch (const std::exception&) {
      trusted_.reset();
    }
  }

  void note_compared(Part part) {
    if (part == Part::kept) {
      compared_[filter_kind_] = true;
      compares_filter_ = false;
    } else if (compares_cut_) {
      compared_[kOtherCut] = true;
      compares_cut_ = false;
    }
    if (std::ranges::find(compared_, false) == compared_.end()) trusted_.reset();
  }

  void compare_times() {
    for (Contender& contender : contenders_) {
      contender.best_ns = std::min(contender.best_ns, contender.present_ns);
    }
    if (++answers_ < kAnswers) return;
    const Engine* const trusted = contenders_.front().engine.get();
    std::ranges::stable_sort(contenders_, {}, &Contender::best_ns);
    const Contender &first = contenders_[0], &second = contenders_[1];
    reason_ = fmt::format("Range change: {}; with the {} engine: {}",
                          base::format_duration(first.best_ns), second.engine->name(),
                          base::format_duration(second.best_ns));
    for (auto other = contenders_.begin() + 1; other != contenders_.end(); ++other) {
      if (other->engine.get() == trusted) trusted_ = std::move(*other);
    }
    contenders_.resize(1);
  }

  std::vector<Contender> contenders_;  // never empty; the first gives its name
  int answers_ = 0;
  std::string reason_;

  // The first engine, behind another one that was chosen, as long as there is something to compare.
  std::optional<Contender> trusted_;
  bool trusted_has_iterations_ = false;
  const Iterations* iterations_ = nullptr;               // that are set
  Kind filter_kind_ = kOpFilter;                         // of the filter that is set
  bool compares_filter_ = false, compares_cut_ = false;  // Part::kept, Part::all
  std::array<bool, kKinds> compared_{};
};

}  // namespace

MakeEngine faster_engine(std::vector<MakeEngine> engines) {
  return [engines = std::move(engines)](const profile::Profile& profile,
                                        const std::shared_ptr<const ProfileIndex>& index) {
    return std::make_unique<FasterEngine>(profile, index, engines);
  };
}

}  // namespace dlview::aggregate
