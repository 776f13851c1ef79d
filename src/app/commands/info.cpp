#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>  // join

#include "aggregate/iterations.h"
#include "aggregate/key_names.h"
#include "aggregate/memory_use.h"
#include "aggregate/tensor_core_uses.h"
#include "app/commands/commands.h"
#include "app/commands/facts.h"
#include "profile/communication.h"
#include "profile/recorded.h"
#include "profile/tensor_core_rules.h"
#include "report/capture.h"
#include "workspace/state_string.h"

namespace dlview::app {
namespace {

using aggregate::Unit;
using profile::Profile;
using report::Cell;
using report::Table;

// For a text of the profile; an empty one means that the file says nothing.
Cell text_or_nothing(const std::string& text) {
  return text.empty() ? Cell() : Cell(std::string_view(text));
}

// The same for a text that was put together.
Cell owned_or_nothing(std::string text) {
  return text.empty() ? Cell() : Cell(std::move(text));
}

Cell number_or_nothing(const std::optional<int64_t>& number) {
  return number ? Cell(*number) : Cell();
}

Cell count(std::size_t number) {
  return static_cast<int64_t>(number);
}

FactSection file_facts(const Profile& profile) {
  const profile::SystemFacts& system = profile.system;
  FactSection section{"file",
                      "File",
                      {{"path", "Path", text_or_nothing(profile.source.path)},
                       {"format", "Format", text_or_nothing(profile.source.format)},
                       {"bytes", "Size", profile.source.file_bytes, Unit::bytes}}};
  if (std::string damage = profile::file_damage(profile); !damage.empty()) {
    section.facts.push_back({"damage", "Damage", owned_or_nothing(std::move(damage))});
  }
  if (profile.trace) {
    if (!profile::is_pytorch_trace(profile)) {
      section.facts.push_back({"schema_version", "Schema of the export",
                               text_or_nothing(profile.trace->capture.schema_version)});
    }
    return section;
  }
  section.facts.push_back(
      {"database_version", "Database version", text_or_nothing(system.database_version)});
  section.facts.push_back({"original_database_version", "Original database version",
                           text_or_nothing(system.original_database_version)});
  return section;
}

FactSection system_facts(const Profile& profile) {
  const profile::SystemFacts& system = profile.system;
  const report::NamedVersion driver = report::driver_version(profile),
                             runtime = report::runtime_version(profile);
  FactSection section{
      "system",
      "System configuration",
      {{"profile_name", "Profile name", text_or_nothing(system.profile_name)},
       {"gpu_count", "GPU count", owned_or_nothing(report::gpu_count(profile))},
       {"cpu_model", "CPU model", text_or_nothing(system.cpu_model)},
       {"os_name", "Operating system", text_or_nothing(system.os_name)},
       {"driver_version", driver.title, owned_or_nothing(driver.version)},
       {"framework", "Framework", text_or_nothing(system.framework)},
       {"cuda_version", runtime.title, owned_or_nothing(runtime.version)},
       {"cudnn_version", "cuDNN version", text_or_nothing(system.cudnn_version)},
       {"nsys_version", "Nsight Systems version", text_or_nothing(system.nsys_version)}}};
  if (profile.trace) return section;
  section.facts.push_back({"mode", "Mode", text_or_nothing(system.mode)});
  section.facts.push_back(
      {"dlprof_version", "DLProf version", text_or_nothing(system.dlprof_version)});
  section.facts.push_back({"dlprof_build", "DLProf build", text_or_nothing(system.dlprof_build)});
  section.facts.push_back(
      {"original_command", "Command", text_or_nothing(system.original_command)});
  return section;
}

FactSection recording_facts(const Profile& profile) {
  const profile::Trace& trace = *profile.trace;
  return {"recording",
          "Capture",
          {{"started", "Started", owned_or_nothing(report::recording_time(trace))},
           {"duration_ns", "Duration", number_or_nothing(trace.duration_ns), Unit::ns},
           {"host", "Host", text_or_nothing(trace.capture.host)},
           {"program", "Program", text_or_nothing(trace.capture.program)},
           {"processes", "Processes", owned_or_nothing(report::process_names(profile))},
           {"cpu_cores", "CPU cores", text_or_nothing(trace.capture.cpu_cores)},
           {"kernel_release", "Kernel release", text_or_nothing(trace.capture.kernel_release)}}};
}

FactSection model_facts(const profile::ModelConfig& model) {
  return {
      "model",
      "Model configuration",
      {{"num_workers", "Data loader workers", model.num_workers},
       {"pin_memory", "Pinned memory", model.pin_memory},
       {"cudnn_benchmark_disabled", "cuDNN benchmark disabled", model.cudnn_benchmark_disabled},
       {"amp_enabled", "Automatic mixed precision", model.amp_enabled},
       {"detect_anomaly", "Anomaly detection", model.detect_anomaly},
       {"autograd_set_detect_anomaly", "Anomaly detection set", model.autograd_set_detect_anomaly},
       {"gradcheck", "gradcheck", model.gradcheck},
       {"gradgradcheck", "gradgradcheck", model.gradgradcheck},
       {"autograd_profile", "Autograd profiler", model.autograd_profile},
       {"emit_nvtx", "emit_nvtx", model.emit_nvtx}}};
}

FactSection counts(const Profile& profile) {
  int64_t copies = 0;
  for (const profile::MemoryOpKind kind : profile.memory_ops.kind) {
    copies += kind == profile::MemoryOpKind::memcpy ? 1 : 0;
  }
  const std::set<profile::StringId> types(profile.ops.type.begin(), profile.ops.type.end());
  std::set<int64_t> processes;
  for (const profile::Thread& thread : profile.threads) processes.insert(thread.process_id);
  return {"counts",
          "Contents",
          {{"ops", "Ops", count(profile.ops.size()), Unit::count},
           {"op_types", "Op types", count(types.size()), Unit::count},
           {"op_instances", "Op instances", count(profile.instances.size()), Unit::count},
           {"kernels", "Kernels", count(profile.kernels.size()), Unit::count},
           {"communication_kernels", "Communication kernels",
            std::ranges::count(profile::communication_kernels(profile), 1), Unit::count},
           {"memcpys", "Memcpys", copies, Unit::count},
           {"memsets", "Memsets", static_cast<int64_t>(profile.memory_ops.size()) - copies,
            Unit::count},
           {"syncs", "Synchronizations", count(profile.syncs.size()), Unit::count},
           {"api_calls", "CUDA API calls without GPU activity", count(profile.api_calls.size()),
            Unit::count},
           {"devices", "GPUs used", count(profile.devices.size()), Unit::count},
           {"processes", "Processes", count(processes.size()), Unit::count},
           {"threads", "Threads", count(profile.threads.size()), Unit::count},
           {"last_ns", "Last event", profile.last_ns, Unit::ns}}};
}

// How the kernels of the whole run count, against the present rules.
FactSection tensor_core_facts(const Profile& profile) {
  using profile::InstanceIndex;
  const InstanceIndex end(static_cast<profile::Row>(profile.instances.size()));
  const aggregate::TensorCoreDoubts doubts =
      aggregate::doubts(aggregate::tensor_core_uses(profile, InstanceIndex{0}, end));
  return {"tensor_cores",
          "Tensor Cores",
          {{"source", "Classified by",
            std::string_view(profile.source.by_tensor_core_rules ? "dlview's rules"
                                                                 : "DLProf (stored flags)")},
           {"rules", "Rules version", int64_t{profile::kTensorCoreRulesVersion}},
           {"differing_names", "Differing kernel names", doubts.names, Unit::count},
           {"differing_launches", "Differing launches", doubts.launches, Unit::count},
           {"differing_ns", "Differing GPU time", doubts.gpu_ns, Unit::ns},
           {"unknown_names", "Unknown kernel names", doubts.unknown_names, Unit::count},
           {"unknown_launches", "Unknown launches", doubts.unknown_launches, Unit::count},
           {"unknown_ns", "Unknown GPU time", doubts.unknown_gpu_ns, Unit::ns}}};
}

Cell filter_texts(const std::vector<aggregate::Filter>& filters) {
  if (filters.empty()) return {};
  std::vector<std::string> texts;
  for (const aggregate::Filter& filter : filters) texts.push_back(to_text(filter));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// The best keys for --key-op, with what speaks for them.
Table key_table(const aggregate::KeyRanking& ranking) {
  constexpr std::size_t kMostKeys = 8;
  const std::vector<aggregate::KeyOpCandidate>& ranked = ranking.candidates();
  Table table{"keys",
              "Best iteration markers (--key-op), by score. Among scores within 5%, "
              "ranges come first, then markers that start after an idle gap",
              report::Layout::rows,
              {},
              std::min(ranked.size(), kMostKeys)};
  const auto key = [&ranked](std::size_t row) -> const aggregate::KeyOpCandidate& {
    return ranked[row];
  };
  table.columns = {
      report::word_column("key", "Marker", [key](std::size_t row) { return key(row).key; }),
      report::word_column(
          "name", "Name",
          [key](std::size_t row) { return aggregate::readable_key(key(row).name); }),
      report::real_column("score_percent", "Score", Unit::percent,
                          [key](std::size_t row) { return 100 * key(row).score; }),
      report::integer_column("instances", "Instances", Unit::count,
                             [key](std::size_t row) { return key(row).instances; }),
      report::integer_column("period_ns", "Period", Unit::ns,
                             [key](std::size_t row) { return key(row).period_ns; }),
      report::word_column("reason", "Reason", [key](std::size_t row) { return key(row).reason; }),
  };
  return table;
}

FactSection iteration_facts(const Profile& profile, const aggregate::Selection& selection) {
  const aggregate::Iterations iterations = aggregate::cut_iterations(profile, selection.cut);
  return {
      "iterations",
      "Iterations",
      {{"count", "Iterations", count(iterations.rows.size()), Unit::count},
       {"first", "First iteration of the range", selection.range.first},
       {"last", "Last iteration of the range", selection.range.last},
       {"key_op", "Iteration marker",
        selection.cut.key_op.empty() ? Cell() : Cell(selection.cut.key_op), Unit::none, "none"},
       {"key_name", "Marker name",
        selection.cut.key_op.empty() ? Cell()
                                     : Cell(aggregate::key_op_label(profile, selection.cut.key_op)),
        Unit::none, "none"},
       {"key_instances", "Marker instances", iterations.key_instances, Unit::count},
       {"split_by", "Split by", aggregate::to_text(iterations.split_by)},
       {"only", "Filters", filter_texts(selection.filters), Unit::none, "none"}}};
}

// By row of Profile::devices, in bytes: the most that PyTorch's allocator had allocated. Empty if
// no memory event was recorded; nullopt for a GPU without any.
std::vector<std::optional<int64_t>> peaks_of_allocated_memory(const Profile& profile) {
  if (!aggregate::has_memory_events(profile)) return {};
  constexpr base::Interval kAlways{std::numeric_limits<int64_t>::min(),
                                   std::numeric_limits<int64_t>::max()};
  std::vector<std::optional<int64_t>> peaks(profile.devices.size());
  const std::vector<aggregate::MemoryCurve> curves = aggregate::memory_curves(profile);
  const auto gpus = aggregate::gpus_of(profile, curves);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (!gpus[i]) continue;
    std::optional<int64_t>& peak = peaks[*gpus[i]];
    peak = std::max(peak.value_or(0), curves[i].most(kAlways).allocated);
  }
  return peaks;
}

Table device_table(const Profile& profile) {
  const auto& devices = profile.devices;
  Table table{"gpus", "GPUs", report::Layout::rows, {}, devices.size()};
  table.columns = {
      report::integer_column("device_id", "Device", Unit::none,
                             [&](std::size_t row) { return devices[row].device_id; }),
      report::text_column("name", "Name",
                          [&](std::size_t row) { return text_or_nothing(devices[row].name); }),
      report::text_column("compute_capability", "Compute capability",
                          [&](std::size_t row) -> Cell {
                            const auto capability = devices[row].compute_capability();
                            if (!capability) return {};
                            return fmt::format("{}.{}", capability->major, capability->minor);
                          }),
      report::integer_column("sm_count", "SMs", Unit::count,
                             [&](std::size_t row) {
                               const int64_t count = devices[row].sm_count;
                               return count > 0 ? Cell(count) : Cell();
                             }),
      report::integer_column(
          "memory_total_bytes", "Memory size", Unit::bytes,
          [&](std::size_t row) { return number_or_nothing(devices[row].memory_total_bytes); }),
      report::integer_column(
          "memory_used_bytes", profile::is_pytorch_trace(profile) ? "Peak reserved" : "Memory used",
          Unit::bytes,
          [&](std::size_t row) { return number_or_nothing(devices[row].memory_used_bytes); }),
  };
  if (auto peaks = peaks_of_allocated_memory(profile); !peaks.empty()) {
    table.columns.push_back(report::integer_column(
        "peak_allocated_bytes", "Peak allocated", Unit::bytes,
        [peaks = std::move(peaks)](std::size_t row) { return number_or_nothing(peaks[row]); }));
  }
  return table;
}

Table aggregation_table(const Profile& profile) {
  const auto& stored = profile.stored_aggregations;
  Table table{"aggregations", "Stored aggregations", report::Layout::rows, {}, stored.size()};
  const auto text = [&](const char* id, const char* title,
                        std::string profile::StoredAggregation::*member) {
    return report::text_column(id, title, [&stored, member](std::size_t row) {
      return text_or_nothing(stored[row].*member);
    });
  };
  const auto number = [&](const char* id, const char* title,
                          int64_t profile::StoredAggregation::*member) {
    return report::integer_column(
        id, title, Unit::none, [&stored, member](std::size_t row) { return stored[row].*member; });
  };
  table.columns = {
      number("id", "ID", &profile::StoredAggregation::id),
      text("user", "User", &profile::StoredAggregation::user),
      text("host", "Host", &profile::StoredAggregation::host),
      text("started", "Started", &profile::StoredAggregation::started),
      number("first_iteration", "First", &profile::StoredAggregation::first_iteration),
      number("last_iteration", "Last", &profile::StoredAggregation::last_iteration),
      report::integer_column(
          "iterations", "Iterations", Unit::count,
          [&stored](std::size_t row) { return count(stored[row].iterations.size()); }),
      text("key_op", "Iteration marker", &profile::StoredAggregation::key_op),
      report::word_column("cut", "Split at",
                          [&profile](std::size_t row) {
                            return aggregate::to_text(aggregate::recognize_cut(profile, row).kind);
                          }),
  };
  return table;
}

// The profile outlives it.
Table quality_table(const Profile& profile) {
  std::vector<const profile::QualityNote*> notes;  // the others tell of damage to the file
  for (const profile::QualityNote& note : profile.quality) {
    if (note.rows > 0) notes.push_back(&note);
  }
  Table table{"data_quality", "Skipped rows", report::Layout::rows, {}, notes.size()};
  const auto text = [&](const char* id, const char* title,
                        std::string profile::QualityNote::*member) {
    return report::text_column(id, title, [notes, member](std::size_t row) {
      return std::string_view(notes[row]->*member);
    });
  };
  table.columns = {
      text("table", "Table", &profile::QualityNote::table),
      report::integer_column("rows", "Rows", Unit::count,
                             [notes](std::size_t row) { return notes[row]->rows; }),
      text("reason", "Reason", &profile::QualityNote::reason),
      text("first_example", "Example", &profile::QualityNote::first_example),
  };
  return table;
}

Table not_recorded_table(const Profile& profile) {
  const auto& missing = profile.not_recorded;
  Table table{"not_recorded", "Not recorded", report::Layout::rows, {}, missing.size()};
  table.columns = {
      report::text_column("what", "What",
                          [&](std::size_t row) { return std::string_view(missing[row].what); }),
      report::text_column("remedy", "How to record it",
                          [&](std::size_t row) { return std::string_view(missing[row].remedy); }),
  };
  return table;
}

Table contents_table(const Profile& profile) {
  const auto& tables = profile.recorded_tables;
  Table table{"contents", "Contents of the capture", report::Layout::rows, {}, tables.size()};
  table.columns = {
      report::text_column("what", "Events",
                          [&](std::size_t row) -> std::string_view {
                            const std::string& what = tables[row].what;
                            return what.empty() ? tables[row].name : what;
                          }),
      report::text_column("table", "Table",
                          [&](std::size_t row) { return std::string_view(tables[row].name); }),
      report::integer_column("rows", "Rows", Unit::count,
                             [&](std::size_t row) { return tables[row].rows; }),
      report::word_column("use", "Used for",
                          [&](std::size_t row) -> Cell {
                            const std::string& use = tables[row].use;
                            return use.empty() ? std::string_view("not used") : use;
                          }),
  };
  return table;
}

Table message_table(const Profile& profile) {
  const auto& messages = profile.profiler_messages;
  Table table{
      "profiler_messages", "Messages of the profiler", report::Layout::rows, {}, messages.size()};
  table.columns = {
      report::word_column("severity", "Severity",
                          [&](std::size_t row) -> Cell {
                            return std::string_view(messages[row].is_error ? "error" : "warning");
                          }),
      report::integer_column("count", "Times", Unit::count,
                             [&](std::size_t row) { return messages[row].count; }),
      report::text_column("text", "Message",
                          [&](std::size_t row) { return std::string_view(messages[row].text); }),
  };
  return table;
}

// Refers to the ranking, which must outlive it.
Info info_of(const aggregate::KeyRanking& ranking, const aggregate::Selection& selection) {
  const Profile& profile = ranking.profile();
  Info info;
  info.sections = {file_facts(profile), system_facts(profile)};
  if (profile.trace) info.sections.push_back(recording_facts(profile));
  if (profile.system.model_config) {
    info.sections.push_back(model_facts(*profile.system.model_config));
  }
  info.sections.push_back(counts(profile));
  if (profile.kernels.size() > 0) info.sections.push_back(tensor_core_facts(profile));
  info.sections.push_back(iteration_facts(profile, selection));
  info.tables = {device_table(profile),       aggregation_table(profile), quality_table(profile),
                 not_recorded_table(profile), contents_table(profile),    message_table(profile),
                 key_table(ranking)};
  return info;
}

// A trace never has most facts about the machine: as in the window, text lists those that it has.
void leave_out_not_recorded(Info& info) {
  for (FactSection& section : info.sections) {
    std::erase_if(section.facts, [](const Fact& fact) {
      return std::holds_alternative<std::monostate>(fact.value) &&
             fact.missing == report::kNotRecorded;
    });
  }
}

}  // namespace

int run_info(const InfoOptions& options) {
  const auto opened = open_with_selection(options.path, options.selection);
  if (!opened) return unusable(opened.error());
  Info info = info_of(*opened->ranking, opened->selection);
  if (!options.json && profile::is_pytorch_trace(*opened->profile)) leave_out_not_recorded(info);
  print(info, options.json, std::cout);
  return kExitSuccess;
}

void bind_info(CLI::App& program, ChosenCommand& chosen) {
  const auto options = std::make_shared<InfoOptions>();
  CLI::App* command = program.add_subcommand(
      "info", "Print what a profile contains: versions, system, counts, iterations, data quality");
  command->add_option("FILE", options->path, "Profile")->required();
  command->add_flag("--json", options->json, "Print JSON");
  bind_selection(*command, options->selection);
  command->footer(
      "Examples:\n"
      "  dlview info run.sqlite\n"
      "  dlview info run.sqlite --json --key-op train_step");
  run_when_parsed(*command, chosen, options, run_info);
}

}  // namespace dlview::app
