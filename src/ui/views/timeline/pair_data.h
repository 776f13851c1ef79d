// PairData: what is to be known of the two iterations that stand side by side, made anew when they
// are others: what takes long beside the frame.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <tuple>

#include "report/differences.h"
#include "ui/chart/compared.h"
#include "ui/late.h"
#include "ui/timeline/event_pairs.h"
#include "ui/timeline/subject_events.h"

namespace dlview::ui {

// What takes a look at every op instance of both.
struct PairFacts {
  std::shared_ptr<const profile::Profile> profile;
  std::shared_ptr<const aggregate::Aggregation> aggregation;
  report::SharedComparison comparison;
  timeline::EventPairs pairs;
};

class PairData {
 public:
  // In every frame; whether there are two iterations to show. Those that are compared everywhere,
  // the first above the one it is compared with.
  bool update(const Model& model, const std::shared_ptr<const timeline::Lanes>& lanes,
              Background& background);

  // The rest, where there are.
  const ComparedIterations& compared() const { return *compared_; }
  int64_t iteration(std::size_t side) const {
    return side == 0 ? compared_->iteration : compared_->baseline;
  }
  const timeline::IterationEvents& events(std::size_t side) const { return events_[side]; }
  const std::shared_ptr<const timeline::LineCounts>& lines() const { return lines_; }
  // From 0 to the end of the longer one, with the work of its own that runs on behind it.
  int64_t length_ns() const;
  // For a moment those of the pair before, or null.
  const std::shared_ptr<const PairFacts>& facts() const { return facts_.get(); }
  bool is_late() const { return facts_.is_late(); }
  std::optional<timeline::Place> partner(const timeline::Place& place, std::size_t side) const;
  // Null where there is no subject, and for a moment for a new one.
  const timeline::SubjectEvents* lit(const std::optional<timeline::Subject>& subject,
                                     Background& background);

 private:
  using Table = std::shared_ptr<const aggregate::IterationTable>;
  using FactsKey = std::tuple<std::shared_ptr<const timeline::Lanes>, Table, int64_t, int64_t>;
  using LitKey = std::tuple<FactsKey, timeline::Subject::Kind, uint32_t>;

  bool is_small() const;
  void make(const Model& model);

  std::shared_ptr<const timeline::Lanes> lanes_;
  std::shared_ptr<const aggregate::Aggregation> ranked_;  // whose slowest_ it is
  int64_t slowest_ = 0;
  Table table_;
  std::optional<ComparedIterations> compared_;
  std::array<timeline::IterationEvents, 2> events_;
  std::shared_ptr<const timeline::LineCounts> lines_;
  Late<FactsKey, PairFacts> facts_;
  Late<LitKey, timeline::SubjectEvents> lit_;
};

}  // namespace dlview::ui
