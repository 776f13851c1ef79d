// What makes two iterations that stand side by side differ, and the panel that shows it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "base/units.h"
#include "report/differences.h"
#include "timeline/iteration_events.h"
#include "ui/background.h"
#include "ui/chart/iteration_name.h"
#include "ui/table/data_table.h"

namespace dlview::ui {

// What takes a look at every op instance of both.
struct PairFacts {
  std::shared_ptr<const profile::Profile> profile;
  std::shared_ptr<const aggregate::Aggregation> aggregation;
  report::SharedComparison comparison;
  timeline::EventPairs pairs;
};

// What takes a look at all that both did.
struct PairEvents {
  std::shared_ptr<const timeline::Lanes> lanes;
  std::shared_ptr<const aggregate::IterationTable> table;
  ComparedIterations compared;
  std::array<timeline::IterationEvents, 2> of;
  std::shared_ptr<const timeline::LineCounts> lines;
};

// Data on the two iterations side by side, rebuilt when they change; slow parts in the
// background.
class PairData {
 public:
  enum class Whose : uint8_t { selected, pointed };

  // In every frame; whether there are two iterations to show. Those that are compared everywhere,
  // the first above the one it is compared with; where they take long, for a moment those before.
  bool update(const Model& model, const std::shared_ptr<const timeline::Lanes>& lanes,
              Background& background);
  // Where there are none: there will be in a moment.
  bool is_being_made() const { return events_.is_late(); }

  // The rest, where there are.
  const ComparedIterations& compared() const { return compared_; }
  int64_t iteration(std::size_t side) const {
    return side == 0 ? compared_.iteration : compared_.baseline;
  }
  const timeline::IterationEvents& events(std::size_t side) const { return shown_->of[side]; }
  const std::shared_ptr<const timeline::LineCounts>& lines() const { return shown_->lines; }
  // From 0 to the end of the longer one, with the work of its own that runs on behind it.
  int64_t length_ns() const;
  // For a moment those of the pair before, or null.
  const std::shared_ptr<const PairFacts>& facts() const { return facts_.get(); }
  // What does the same in the other iteration as the event that is selected, or pointed at; found
  // once. Nothing where none does, or as long as it is looked for.
  std::optional<timeline::Place> partner(Whose whose, const timeline::Place& place,
                                         std::size_t side, Background& background);
  bool is_looking_for_partner(Whose whose) const {
    return is_late() || partners_[static_cast<std::size_t>(whose)].is_late();
  }
  // Null where there is no subject, and for a moment for a new one.
  const timeline::SubjectEvents* lit(const std::optional<timeline::Subject>& subject,
                                     Background& background);

 private:
  using Table = std::shared_ptr<const aggregate::IterationTable>;
  using Key = std::tuple<std::shared_ptr<const timeline::Lanes>, Table, int64_t, int64_t>;
  using LitKey = std::tuple<Key, timeline::Subject::Kind, uint32_t>;
  using PartnerKey = std::tuple<std::shared_ptr<const PairFacts>, timeline::Place, std::size_t>;
  using Partner = std::optional<timeline::Place>;

  bool is_late() const { return events_.is_late() || facts_.is_late(); }
  Key key() const;
  void want_facts(const Model& model, const Key& key, Background& background);

  std::shared_ptr<const aggregate::Aggregation> ranked_;  // whose slowest_ it is
  int64_t slowest_ = 0;
  bool is_small_ = true;
  ComparedIterations compared_;  // those of shown_
  Late<Key, PairEvents> events_;
  std::shared_ptr<const PairEvents> shown_;
  Late<Key, PairFacts> facts_;
  Late<LitKey, timeline::SubjectEvents> lit_;
  std::array<Late<PartnerKey, Partner>, 2> partners_;
};

// The panel below two iterations that stand side by side: what makes them differ, op by op or
// kernel by kernel. What is selected in it is lit in both.

using DifferencesOf = timeline::Subject::Kind;

class DifferencesPanel {
 public:
  // Returns whether another row has been selected than before, by a click or by keys.
  bool draw(Frame& frame, const Box& box, const std::shared_ptr<const PairFacts>& facts,
            Tables& tables);

  DifferencesOf rows_are() const { return kind_; }
  void list(DifferencesOf kind);
  // What the selected row stands for; nothing where none is.
  std::optional<timeline::Subject> subject() const;
  // The selected row tells of time on the CPU.
  bool is_of_cpu() const;
  // Selects its row and shows it, if there is one.
  void select(const timeline::Subject& subject);
  void deselect();

 private:
  struct Listed {
    std::optional<DataTable> table;  // once it has been drawn
    std::shared_ptr<const TableData> data;
    // Of all rows of the data: the columns of times have one unit and equal decimals.
    std::shared_ptr<base::ComparedTable> times = std::make_shared<base::ComparedTable>();
    std::string shown;  // the key of its selected row
  };
  Listed& listed() { return listed_[static_cast<std::size_t>(kind_)]; }
  // A row of the table, which is one of the comparison.
  std::optional<std::size_t> selected_row() const;

  DifferencesOf kind_ = DifferencesOf::op;
  std::array<Listed, 2> listed_;
  std::shared_ptr<const PairFacts> facts_;
};

}  // namespace dlview::ui
