// Instances of ops: from spans of ranges, and from the calls whose work lies outside every op.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "import/nsys/call_index.h"
#include "import/nsys/op_list.h"
#include "import/nsys/op_spans.h"
#include "import/nsys/work.h"
#include "profile/builder.h"
#include "profile/trace.h"

namespace dlview::import::nsys {

// Numbers in an OpList; kNoRow = the event belongs to none.
struct EventInstances {
  std::vector<profile::Row> of_call;  // by row of TraceApiCalls
  std::vector<profile::Row> of_work;  // by place in the list of work
  // Kernels and memory operations of threads without ranges that another thread waited for.
  int64_t given_work = 0;
};

class InstanceMaker {
 public:
  InstanceMaker(const profile::Trace& trace, const CallIndex& calls,
                profile::ProfileBuilder& builder, OpList& ops);

  EventInstances make(const OpSpans& spans, const std::vector<Work>& work);

  // The API call's name as ops and events bear it: as recorded where DLProf's markers are, else
  // without its version.
  profile::StringId call_name(profile::Row call);

 private:
  // The span of each call, by row of TraceApiCalls.
  std::vector<profile::Row> spans_of_calls(const std::vector<OpSpan>& spans) const;
  std::vector<profile::Row> add_spans(const OpSpans& spans,
                                      const std::vector<profile::Row>& span_of_call);
  // What DLProf's markers say, each pair of texts read once.
  const OpList::Instance& read_markers(const OpSpan& span);
  void describe_marker(const OpSpan& span, OpList::Instance& instance);
  void describe_range(const OpSpans& spans, const OpSpan& span, OpList::Instance& instance);
  profile::Row add_unassociated(std::string_view type, std::string_view kernel,
                                profile::GlobalId thread, base::Interval time, bool is_marked);
  // Kernels of each call by name; kNoText when they differ or there are none.
  std::unordered_map<profile::Row, profile::StringId> kernels_of_calls(
      const std::vector<Work>& work) const;
  profile::Row thread_row(profile::GlobalId thread);

  const profile::Trace& trace_;
  const CallIndex& calls_;
  profile::ProfileBuilder& builder_;
  OpList& ops_;
  std::set<profile::GlobalId> marked_;
  std::unordered_map<profile::StringId, profile::StringId> plain_names_;
  std::map<std::pair<profile::StringId, profile::StringId>, OpList::Instance> markers_;
};

}  // namespace dlview::import::nsys
