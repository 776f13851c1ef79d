#include "aggregate/outliers.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string>

#include "aggregate/compare.h"
#include "aggregate/steady.h"

namespace dlview::aggregate {
namespace {

using profile::Profile;

// The category whose change has the sign of the whole change and is largest.
Category leading_category(const IterationComparison& comparison, int sign) {
  const auto leads = [sign](const CategoryDifference& a, const CategoryDifference& b) {
    return sign * a.difference_ns() < sign * b.difference_ns();
  };
  return std::max_element(comparison.categories.begin(), comparison.categories.end(), leads)
      ->category;
}

bool writes_the_model(const Profile& profile, profile::Row op) {
  std::string text(profile.text(profile.ops.name[op]));
  text += ' ';
  text += profile.text(profile.ops.type[op]);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 4> kWords{"checkpoint", "save", "state_dict", "serialize"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

// Far off the median. In order.
std::vector<int64_t> irregular_iterations(const Iterations& iterations) {
  const std::vector<int64_t> durations = durations_of(iterations);
  if (durations.size() < 2) return {};
  const int64_t median = median_of(durations);
  const std::vector<int64_t> deviations = distances_from(median, durations);
  const int64_t typical_deviation = median_of(deviations);
  std::vector<int64_t> irregular;
  for (std::size_t i = 0; i < durations.size(); ++i) {
    if (deviations[i] * 4 <= median || deviations[i] <= 5 * typical_deviation) continue;
    irregular.push_back(static_cast<int64_t>(i));
  }
  return irregular;
}

// The first iteration that is none of these; what precedes the first key op does not count.
int64_t first_regular(const std::vector<int64_t>& irregular) {
  int64_t first = 1;
  for (const int64_t iteration : irregular) first += iteration == first ? 1 : 0;
  return first;
}

class Classifier {
 public:
  Classifier(const Profile& profile, const IterationTable& table,
             const std::vector<int64_t>& irregular)
      : profile_(profile), table_(table) {
    const std::optional<IterationRange> steady = steady_range(table.iterations);
    warm_up_end_ = steady ? steady->first : first_regular(irregular);
    const auto last = static_cast<int64_t>(table.facts.size()) - 1;
    typical_ = typical_iteration(table, steady.value_or(IterationRange{0, last}));
  }

  int64_t typical() const { return typical_; }

  Outlier classify(int64_t iteration) const {
    const IterationComparison comparison =
        compare_iterations(profile_, table_, iteration, typical_);
    Outlier result;
    result.iteration = iteration;
    result.difference_ns = comparison.duration_ns - comparison.baseline_duration_ns;
    const int sign = result.difference_ns < 0 ? -1 : 1;
    result.category = leading_category(comparison, sign);
    for (const OpDifference& op : comparison.ops) {
      if (op.is_idle() || sign * op.difference_ns() <= 0) continue;
      result.op = op.op;
      result.op_difference_ns = op.difference_ns();
      break;
    }
    result.kind = kind_of(result, comparison);
    return result;
  }

 private:
  OutlierClass kind_of(const Outlier& outlier, const IterationComparison& comparison) const {
    const auto kernels = [this](int64_t i) {
      return table_.facts[static_cast<std::size_t>(i)].kernels.count;
    };
    const bool hardly_any_kernels = kernels(outlier.iteration) * 4 < kernels(typical_);
    const bool hardly_any_time = comparison.duration_ns * 4 < comparison.baseline_duration_ns;
    // The last one may have been cut off.
    const bool is_whole = outlier.iteration + 1 < std::ssize(table_.facts);
    if (hardly_any_time && !hardly_any_kernels && is_whole && kernels(typical_) > 0) {
      return OutlierClass::ran_ahead;
    }
    if (hardly_any_kernels || hardly_any_time) {
      return outlier.iteration == 0 ? OutlierClass::start_up : OutlierClass::little_work;
    }
    if (outlier.difference_ns < 0) return OutlierClass::other;
    if (outlier.category == Category::data_loader) return OutlierClass::data_loader;
    if (outlier.category == Category::io) return OutlierClass::checkpoint_or_io;
    if (outlier.op != profile::kNoRow && writes_the_model(profile_, outlier.op)) {
      return OutlierClass::checkpoint_or_io;
    }
    if (outlier.iteration < warm_up_end_) return OutlierClass::warm_up;
    return OutlierClass::other;
  }

  const Profile& profile_;
  const IterationTable& table_;
  int64_t warm_up_end_;
  int64_t typical_;
};

}  // namespace

std::string_view to_text(OutlierClass kind) {
  switch (kind) {
    case OutlierClass::warm_up:
      return "warm-up";
    case OutlierClass::start_up:
      return "start-up";
    case OutlierClass::little_work:
      return "little work";
    case OutlierClass::ran_ahead:
      return "host ran ahead";
    case OutlierClass::checkpoint_or_io:
      return "checkpoint or I/O";
    case OutlierClass::data_loader:
      return "data loader";
    case OutlierClass::other:
      break;
  }
  return "unknown cause";
}

Outliers find_outliers(const Profile& profile, const IterationTable& table) {
  const std::vector<int64_t> irregular = irregular_iterations(table.iterations);
  const Classifier classifier(profile, table, irregular);
  Outliers result{classifier.typical(), {}};
  for (const int64_t iteration : irregular) result.rows.push_back(classifier.classify(iteration));
  return result;
}

}  // namespace dlview::aggregate
