// TraceOps: the ops of a PyTorch profiler trace. Unlike NVTX ranges, events have arguments that say
// what they are. docs/dev/formats.md (PyTorch traces) defines ops, their direction, their
// groups and which op a call belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/large_memory.h"
#include "base/untouched_vector.h"
#include "import/capture/ops.h"
#include "import/pytorch/trace_events.h"
#include "profile/event_forest.h"

namespace dlview::import::pytorch {

class TraceOps : public capture::OpSource {
 public:
  // `trace` has a row of NVTX ranges for each host event, then one for each module. `threads`
  // are the ids of TraceEvents::threads. All must outlive the object.
  TraceOps(const TraceEvents& events, const profile::Trace& trace,
           std::span<const profile::ThreadId> threads, profile::ProfileBuilder& builder,
           const capture::TraceNotes& notes);

  capture::NvtxRanges read_ranges() override;
  capture::OpSpans find_spans(const capture::NvtxRanges& ranges) override;
  base::UntouchedVector<profile::Row> spans_of_calls(const capture::CallIndex& calls,
                                                     const capture::OpSpans& spans) override;
  bool has_threads_without_ops() const override { return false; }

  // Backward ops that no other one holds, and those whose forward op is in the trace. After
  // find_spans().
  int64_t backward_ops() const { return backward_ops_; }
  int64_t linked_backward_ops() const { return static_cast<int64_t>(forward_.size()); }
  // profile::TraceNvtx::forward. After find_spans().
  base::LargeVector<profile::Row> forward_rows() const;

 private:
  using Row = profile::Row;
  using Node = capture::OpPaths::Node;

  // What an event is: an op of its own, part of the op around it, or a range around ops.
  enum class Role : uint8_t { range, part, forward, undirected, backward, recomputed };
  static bool is_op(Role role) { return role > Role::part; }

  struct Place {
    Row owner = 0;                          // the op or range that its time belongs to
    Row range = profile::kNoRow;            // the innermost range at it or around it: its group
    Row backward_op = profile::kNoRow;      // the outermost one at it or around it
    Row backward_inside = profile::kNoRow;  // of an op outside all of these: the first inside it
    Row module = profile::kNoRow;           // the innermost that is open at its start
    Role role = Role::range;
    bool is_in_backward = false, is_in_optimizer = false;
  };
  // What follows from the name of an event.
  struct NameFacts {
    profile::StringId name = 0;
    bool is_op = false, is_op_with_sequence_number = false;
    bool is_evaluation = false;  // or another call of the autograd engine
    bool is_step = false, is_optimizer = false, is_annotation = false, is_loader = false;
  };
  // Events with equal keys have equal RangeFacts.
  struct FactsKey {
    uint32_t name = 0;  // of names_
    Role role = Role::range;
    uint32_t inputs = HostEvent::kNoInputs;
    profile::StringId call_stack = 0;
    bool operator==(const FactsKey&) const = default;
  };
  struct HashOfFacts {
    std::size_t operator()(const FactsKey& key) const;
  };
  struct ForwardOp {
    profile::ThreadId process = 0;
    int64_t sequence_number = 0, start_ns = 0, stop_ns = 0;
    Row row = 0, place = 0;
    bool operator<(const ForwardOp& other) const;
  };

  const HostEvent& host(std::size_t place) const { return events_.host[forest_[place].row]; }
  const NameFacts& name_facts(std::size_t place) const {
    return names_[name_of_row_[forest_[place].row]];
  }
  // Returns those that can be used; notes the others.
  base::UntouchedVector<Row> usable_rows(std::size_t first, std::size_t count,
                                         std::string_view table) const;
  profile::EventForest host_forest() const;
  profile::EventForest module_forest() const;
  void read_names();
  void find_roles();
  void find_roles(std::size_t thread);
  void find_modules();
  FactsKey facts_key(std::size_t place) const;
  capture::RangeFacts make_facts(const FactsKey& key) const;
  void find_forward_ops();
  // The node of what lies in that range and that module.
  Node group(Row range, Row module, const capture::NvtxRanges& ranges, capture::OpSpans& spans);
  // The place of the event that caused an op of the backward pass; else kNoRow.
  Row forward_op(Row place) const;
  // The first span of the op that has it.
  Row forward_span(Row place) const;
  Node node_of(Row place, const capture::NvtxRanges& ranges, capture::OpSpans& spans);
  // Calls add(owner, start, stop) for each stretch of an owner in which no other owner inside runs,
  // in order of start for each.
  template <typename Add>
  void for_each_stretch(const Add& add) const;

  const TraceEvents& events_;
  const profile::Trace& trace_;
  const std::span<const profile::ThreadId> threads_;
  profile::ProfileBuilder& builder_;
  const capture::TraceNotes notes_;
  profile::EventForest forest_, modules_;
  base::UntouchedVector<uint32_t> name_of_row_;  // by host event
  std::vector<NameFacts> names_;
  std::vector<profile::StringId> module_names_;  // by row of TraceEvents::modules
  base::LargeVector<Place> places_;
  std::unordered_map<Row, Row> forward_;  // by place of a backward op
  int64_t backward_ops_ = 0;
  std::unordered_map<uint64_t, Node> groups_;  // by range and module
  base::LargeVector<Row> first_span_;          // by place, of its spans; ends with their number
};

}  // namespace dlview::import::pytorch
