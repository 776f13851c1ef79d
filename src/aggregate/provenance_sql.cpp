#include "aggregate/provenance_sql.h"

#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "aggregate/range_paths.h"
#include "profile/communication.h"

namespace dlview::aggregate::sql {
namespace {

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c;
  }
  return result + "'";
}

// Quoted; the short and the demangled ones by which kernels are known.
std::set<std::string> communication_names(const profile::Profile& profile) {
  const std::vector<uint8_t> communicates = profile::communication_kernels(profile);
  std::set<std::string> names;
  for (std::size_t k = 0; k < communicates.size(); ++k) {
    if (communicates[k] == 0) continue;
    for (const profile::StringId id : {profile.kernels.name[k], profile.kernels.long_name[k]}) {
      const std::string_view name = profile.text(id);
      if (profile::communication_of(name)) names.insert(in_quotes(name));
    }
  }
  return names;
}

constexpr std::string_view kBusiestThread = R"(
    AND (i.process_id, i.thread_id) = (
      SELECT process_id, thread_id
      FROM read_only_op_instances AS i JOIN read_only_ops AS o ON o.id = i.read_only_ops_id
      WHERE o.op_id = {0} OR o.op_name = {0}
      GROUP BY process_id, thread_id ORDER BY count(*) DESC, process_id, thread_id LIMIT 1))";

constexpr std::string_view kIterations = R"(last_event(ns) AS (
  SELECT max(ns) FROM (
    SELECT max(cpu_stop) AS ns FROM read_only_op_instances
    UNION ALL SELECT max(gpu_stop) FROM read_only_kernels
    UNION ALL SELECT max(gpu_stop) FROM read_only_memcpys
    UNION ALL SELECT max(gpu_stop) FROM read_only_memsets)),
starts(ns) AS (
  SELECT 0
  UNION
  SELECT {1}
  FROM read_only_op_instances AS i JOIN read_only_ops AS o ON o.id = i.read_only_ops_id
  WHERE (o.op_id = {0} OR o.op_name = {0}){2}),
iterations(number, start, stop) AS (
  SELECT row_number() OVER (ORDER BY ns) - 1, ns,
         coalesce(lead(ns) OVER (ORDER BY ns) - 1, (SELECT ns FROM last_event))
  FROM starts WHERE ns <= (SELECT ns FROM last_event)))";

constexpr std::string_view kStoredIterations = R"(iterations(number, start, stop) AS (
  SELECT iter_value, start_time, stop_time FROM iteration_list WHERE aggr_id = {}))";

constexpr std::string_view kChosen = R"(,
chosen AS (SELECT * FROM iterations WHERE number BETWEEN {} AND {}),
span AS (
  SELECT min(start) AS start, max(stop) AS stop, sum(stop - start) AS duration, count(*) AS size
  FROM chosen))";

constexpr std::string_view kInstances = R"(,
instances AS (
  SELECT * FROM (
    SELECT read_only_ops_id AS op,
           row_number() OVER (PARTITION BY read_only_ops_id ORDER BY id) - 1 AS nth,
           cpu_start, cpu_stop
    FROM read_only_op_instances)
  WHERE cpu_start BETWEEN (SELECT start FROM span) AND (SELECT stop FROM span){}))";

constexpr std::string_view kEvents = R"(,
kernels AS (
  SELECT i.op, i.nth, k.name_id, k.uses_tc, k.device_id, k.gpu_start, k.gpu_stop
  FROM instances AS i
  JOIN read_only_kernels AS k ON k.read_only_ops_id = i.op AND k.op_instance = i.nth),
memory_ops AS (
  SELECT i.op, i.nth, m.name_id, m.device_id, m.gpu_start, m.gpu_stop
  FROM instances AS i
  JOIN (SELECT read_only_ops_id, op_instance, name_id, device_id, gpu_start, gpu_stop
        FROM read_only_memcpys
        UNION ALL
        SELECT read_only_ops_id, op_instance, name_id, device_id, gpu_start, gpu_stop
        FROM read_only_memsets) AS m
    ON m.read_only_ops_id = i.op AND m.op_instance = i.nth))";

// The categories' numbers are those of enum Category. What lies between two iterations belongs to
// none: it counts as busy with category -1 everywhere, and is taken off again.
constexpr std::string_view kGapSpans = R"(,
busy(category, device, start, stop) AS (
  SELECT -1, g.device_id, c.stop, c.next
  FROM (SELECT stop, lead(start) OVER (ORDER BY number) AS next FROM chosen) AS c
  JOIN read_only_gpu_infos AS g ON c.next > c.stop)";
constexpr std::string_view kKernelSpans = R"(
  UNION ALL SELECT 1 - uses_tc, device_id, gpu_start, gpu_stop FROM read_only_kernels)";
// spec.md 45: either name may tell.
constexpr std::string_view kCommunicating = R"(,
communicating(id) AS (SELECT id FROM dictionary WHERE string IN ({})))";
constexpr std::string_view kCommunicationSpans = R"(
  UNION ALL
  SELECT CASE WHEN name_id IN communicating OR long_name_id IN communicating THEN {} ELSE {} END,
         device_id, gpu_start, gpu_stop
  FROM read_only_kernels)";
constexpr std::string_view kMemorySpans = R"(
  UNION ALL SELECT 2, device_id, gpu_start, gpu_stop FROM read_only_memcpys
  UNION ALL SELECT 2, device_id, gpu_start, gpu_stop FROM read_only_memsets)";
// spec.md 7: host time counts for the devices that ran a kernel, or for all if none did.
constexpr std::string_view kHostSpans = R"(
  UNION ALL
  SELECT CASE t.string WHEN '{}' THEN 3 ELSE 5 END, g.device_id, i.cpu_start, i.cpu_stop
  FROM read_only_op_instances AS i
  JOIN read_only_ops AS o ON o.id = i.read_only_ops_id
  JOIN dictionary AS t ON t.id = o.op_type_id
  JOIN read_only_gpu_infos AS g
    ON g.device_id IN (SELECT device_id FROM read_only_kernels)
    OR NOT EXISTS (SELECT 1 FROM read_only_kernels))";
constexpr std::string_view kCovered = R"(),
levels(upto) AS (VALUES ({0}), ({1})),
clipped AS (
  SELECT upto, device, max(b.start, s.start) AS start, min(b.stop, s.stop) AS stop
  FROM span AS s
  JOIN busy AS b ON b.start < s.stop AND b.stop > s.start
  JOIN levels ON b.category <= upto),
reaching AS (
  SELECT *, max(stop) OVER (PARTITION BY upto, device ORDER BY start
                            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached
  FROM clipped),
covered AS (
  SELECT upto, device, sum(max(0, stop - max(start, coalesce(reached, start))))
                       - (SELECT stop - start - duration FROM span) AS ns
  FROM reaching GROUP BY upto, device))";

}  // namespace

std::string iterations(const profile::Profile& profile, const Cut& cut) {
  if (cut.kind == CutKind::stored && cut.stored_index < profile.stored_aggregations.size()) {
    return fmt::format(kStoredIterations, profile.stored_aggregations[cut.stored_index].id);
  }
  const std::string key = in_quotes(cut.key_op);
  const std::string one_thread =
      has_several_processes(profile) ? fmt::format(kBusiestThread, key) : "";
  return fmt::format(kIterations, key, cut.kind == CutKind::end ? "i.cpu_stop + 1" : "i.cpu_start",
                     one_thread);
}

std::string chosen(const IterationRange& range) {
  return fmt::format(kChosen, range.first, range.last);
}

std::string instances(const profile::Profile& profile, profile::OpIndex op) {
  return fmt::format(kInstances, op == profile::kNoRow
                                     ? ""
                                     : fmt::format(" AND op = {}", profile.ops.source_id[op]));
}

std::string events() {
  return std::string(kEvents);
}

std::string covered(Category category) {
  std::string text = fmt::format("{}{}", kGapSpans, kKernelSpans);
  if (category >= Category::memory) text += kMemorySpans;
  if (category >= Category::data_loader) text += fmt::format(kHostSpans, kDataLoaderOpType);
  const int number = static_cast<int>(category);
  return text + fmt::format(kCovered, number - 1, number);
}

std::string covered_by_kernels(const profile::Profile& profile, bool communication_first) {
  const int communication = communication_first ? 0 : 1;
  return fmt::format(kCommunicating, fmt::join(communication_names(profile), ", ")) +
         std::string(kGapSpans) +
         fmt::format(kCommunicationSpans, communication, 1 - communication) +
         fmt::format(kCovered, 0, 1);
}

}  // namespace dlview::aggregate::sql
