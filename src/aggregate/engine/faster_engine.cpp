#include "aggregate/engine/faster_engine.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/exceptions.h"
#include "base/units.h"

namespace dlview::aggregate {
namespace {

// The first answer may add up all rows and the second prepare what later ones look up.
constexpr int kAnswers = 4;

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
    ask([&](Contender& contender) {
      contender.engine->set_filter(filter);
      return 0;
    });
  }
  void set_iterations(const Iterations& iterations) override {
    ask([&](Contender& contender) {
      contender.engine->set_iterations(iterations);
      return 0;
    });
  }
  RowCells rows(Part part, profile::Row first, profile::Row end) override {
    return ask([&](Contender& contender) {
      const Stopwatch watch(contender.present_ns = 0);
      return contender.engine->rows(part, first, end);
    });
  }
  Cells groups(Part part, const IterationRange& range) override {
    Cells cells = ask([&](Contender& contender) {
      const Stopwatch watch(contender.present_ns);
      return contender.engine->groups(part, range);
    });
    if (part == Part::all && contenders_.size() > 1) compare();
    return cells;
  }
  std::vector<KernelTotals> kernel_totals(Part part) override {
    return ask([&](Contender& contender) { return contender.engine->kernel_totals(part); });
  }
  std::vector<Coverage> covered_before(Part part, profile::Row device,
                                       std::span<const int64_t> times_ns) override {
    return ask([&](Contender& contender) {
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

  // Asks all; what the last of them says is what all say.
  template <typename Question>
  std::invoke_result_t<Question, Contender&> ask(const Question& question) {
    std::optional<std::invoke_result_t<Question, Contender&>> answer;
    for (auto contender = contenders_.begin(); contender != contenders_.end();) {
      try {
        answer = question(*contender);
        ++contender;
      } catch (const std::exception&) {
        if (contenders_.size() == 1) throw;
        reason_ = base::error_of_current_exception().detail;
        contender = contenders_.erase(contender);
      }
    }
    return std::move(*answer);
  }

  void compare() {
    for (Contender& contender : contenders_) {
      contender.best_ns = std::min(contender.best_ns, contender.present_ns);
    }
    if (++answers_ < kAnswers) return;
    std::ranges::stable_sort(contenders_, {}, &Contender::best_ns);
    const Contender &first = contenders_[0], &second = contenders_[1];
    reason_ = fmt::format("A change of the range takes {}, with the {} engine {}",
                          base::format_duration(first.best_ns), second.engine->name(),
                          base::format_duration(second.best_ns));
    contenders_.resize(1);
  }

  std::vector<Contender> contenders_;  // never empty; the first gives its name
  int answers_ = 0;
  std::string reason_;
};

}  // namespace

MakeEngine faster_engine(std::vector<MakeEngine> engines) {
  return [engines = std::move(engines)](const profile::Profile& profile,
                                        const std::shared_ptr<const ProfileIndex>& index) {
    return std::make_unique<FasterEngine>(profile, index, engines);
  };
}

}  // namespace dlview::aggregate
