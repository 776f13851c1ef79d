#include "workspace/selection_request.h"

#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "aggregate/iterations.h"
#include "aggregate/key_names.h"
#include "base/parse.h"
#include "workspace/filter_values.h"
#include "workspace/suggestions.h"

namespace dlview::workspace {
namespace {

// Op ids and names of ops, as they are shown, and ranges in which the wanted one is part.
std::string similar_ops(const profile::Profile& profile, std::string_view key_op) {
  std::set<std::string> shown;
  std::set<std::string_view> texts;
  for (std::size_t op = 0; op < profile.ops.size(); ++op) {
    texts.insert(profile.text(profile.ops.id[op]));
    shown.insert(aggregate::readable_key(profile.text(profile.ops.name[op])));
  }
  texts.insert(shown.begin(), shown.end());
  for (const profile::StringId name : profile.user_ranges.name) texts.insert(profile.text(name));
  return similar_texts(texts, key_op);
}

// The strip shows the last part of a path: "aten::to" of "/aten::to". Empty where the names of
// several ops end with it.
std::optional<std::string> path_that_ends_with(const profile::Profile& profile,
                                               const std::string& text) {
  const std::string end = "/" + text;
  std::optional<std::string> path;
  for (const profile::StringId id : profile.ops.name) {
    const std::string_view name = profile.text(id);
    if (text.empty() || !name.ends_with(end) || path == name) continue;
    if (path) return std::nullopt;
    path = name;
  }
  return path;
}

// "kernel gemm" is what the key picker calls the op "unassociated_cudaLaunchKernel/gemm".
std::string key_shown_as(const profile::Profile& profile, const std::string& text) {
  if (aggregate::is_key(profile, text)) return text;
  for (const profile::StringId name : profile.ops.name) {
    if (aggregate::readable_key(profile.text(name)) == text) return std::string(profile.text(name));
  }
  return path_that_ends_with(profile, text).value_or(text);
}

base::Error no_key_op(const profile::Profile& profile, const std::string& key_op) {
  const std::string similar = similar_ops(profile, key_op);
  return {std::string(kMarkerNotFound),
          fmt::format("no op, NVTX range or annotation of {} is called \"{}\"", profile.source.path,
                      key_op),
          similar.empty()
              ? "`dlview info` lists the best markers, `dlview table --table op_nodes` all ops"
              : fmt::format("Did you mean {}?", similar)};
}

base::Error no_clock(const profile::Profile& profile, const aggregate::Cut& cut) {
  if (cut.key_op.empty()) {
    return {"--clock needs an iteration marker", "the run is not split into iterations",
            "Choose an iteration marker with --key-op NAME"};
  }
  std::string threads;
  for (const aggregate::KeyThread& key : aggregate::threads_of_key(profile, cut.key_op)) {
    threads += fmt::format("{}{}:{}", threads.empty() ? "" : ", ", key.thread.process_id,
                           key.thread.thread_id);
  }
  return {"The iteration marker does not run on this process or thread",
          fmt::format("\"{}\" does not run on {}", cut.key_op, to_text(*cut.clock)),
          "Choose another process or thread: " + threads};
}

base::Error no_stored_aggregation(std::size_t index, std::size_t count) {
  return {fmt::format("Invalid stored aggregation: {}", index),
          fmt::format("the file has {}", count),
          "Choose the iterations with --key-op NAME and --cut start or end"};
}

base::Status check_stored_cut(const profile::Profile& profile, const SelectionRequest& request) {
  const bool by_gpu = request.split_by == aggregate::SplitBy::gpu;
  if (!profile.stored_aggregations.empty() && !request.key_op && !request.clock && !by_gpu) {
    return base::Success{};
  }
  return base::Error{"No stored iterations to use",
                     by_gpu                            ? "stored iterations are split by the host"
                     : request.key_op || request.clock ? "--cut stored requires the stored key op"
                                                       : "the file has no stored aggregation",
                     "Use --cut start or --cut end, with --key-op NAME"};
}

base::Error no_split_by_gpu(const aggregate::Iterations& iterations) {
  return {"The iterations cannot be split by the GPU",
          fmt::format("No kernel with a recorded launch runs in the {}",
                      iterations.rows.size() == 1
                          ? "iteration"
                          : fmt::format("{} iterations", iterations.rows.size())),
          "Use --split-by host"};
}

base::Result<aggregate::Cut> choose_cut(const aggregate::KeyRanking& ranking,
                                        const SelectionRequest& request) {
  const profile::Profile& profile = ranking.profile();
  if (request.stored_index) {
    const std::size_t index = *request.stored_index;
    const auto& stored = profile.stored_aggregations;
    if (index >= stored.size()) return no_stored_aggregation(index, stored.size());
    return aggregate::Cut{aggregate::CutKind::stored, stored[index].key_op, index};
  }
  aggregate::Cut cut = request.key_op ? aggregate::Cut{aggregate::CutKind::start,
                                                       key_shown_as(profile, *request.key_op), 0}
                                      : aggregate::default_cut(ranking);
  const bool by_gpu = request.split_by == aggregate::SplitBy::gpu;
  if (request.clock || by_gpu) {
    if (cut.kind == aggregate::CutKind::stored) cut.kind = aggregate::CutKind::start;
    if (request.clock) cut.clock = request.clock;
  }
  if (request.cut == aggregate::CutKind::stored) {
    DLVIEW_TRY(check_stored_cut(profile, request));
  }
  if (request.cut) cut.kind = *request.cut;
  const bool is_as_opened = !request.key_op && !request.clock && !request.cut;
  if (request.split_by) {
    cut.split_by = *request.split_by;
  } else if (!is_as_opened) {
    cut.split_by = aggregate::default_split(profile, cut);
  }
  return cut;
}

base::Result<aggregate::Selection> choose_iterations(const aggregate::KeyRanking& ranking,
                                                     const SelectionRequest& request) {
  const base::Result<aggregate::Cut> cut = choose_cut(ranking, request);
  if (!cut) return cut.error();
  const profile::Profile& profile = ranking.profile();
  // A stored aggregation brings its range.
  const bool as_opened =
      !profile.stored_aggregations.empty() && *cut == aggregate::default_cut(ranking);
  if (as_opened && !request.iterations) return aggregate::default_selection(ranking);

  const aggregate::Iterations iterations = aggregate::cut_iterations(profile, *cut);
  const bool runs_nowhere =
      iterations.key_instances == 0 && aggregate::threads_of_key(profile, cut->key_op).empty();
  if (runs_nowhere && !cut->key_op.empty() && request.key_op) {
    return no_key_op(profile, *request.key_op);
  }
  if (cut->clock && iterations.key_instances == 0) return no_clock(profile, *cut);
  if (cut->split_by != iterations.split_by) return no_split_by_gpu(iterations);
  const auto count = static_cast<int64_t>(iterations.rows.size());
  if (!request.iterations) return aggregate::Selection{*cut, {0, count - 1}};
  if (request.iterations->last < count) return aggregate::Selection{*cut, *request.iterations};
  return base::Error{"The range reaches beyond the last iteration",
                     fmt::format("requested: {}:{}; the run has iterations 0:{}",
                                 request.iterations->first, request.iterations->last, count - 1),
                     fmt::format("Choose a range within 0:{}", count - 1)};
}

}  // namespace

base::Result<aggregate::IterationRange> parse_iterations(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::optional<int64_t> first = base::parse_natural(text.substr(0, colon));
  const std::optional<int64_t> last =
      colon == std::string_view::npos ? first : base::parse_natural(text.substr(colon + 1));
  if (first && last && *first <= *last) return aggregate::IterationRange{*first, *last};
  return base::Error{fmt::format("Invalid --iterations: \"{}\"", text), "",
                     "Write the first and the last iteration, both included: --iterations 50:100"};
}

base::Result<aggregate::Clock> parse_clock(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::optional<int64_t> process = base::parse_natural(text.substr(0, colon));
  if (process && colon == std::string_view::npos) return aggregate::Clock{*process};
  const std::optional<int64_t> thread =
      colon == std::string_view::npos ? std::nullopt : base::parse_natural(text.substr(colon + 1));
  if (process && thread) return aggregate::Clock{*process, *thread};
  return base::Error{fmt::format("Invalid --clock: \"{}\"", text), "",
                     "Write a process id, or a process and a thread id: --clock 4711 "
                     "or --clock 4711:4712"};
}

std::string to_text(const aggregate::Clock& clock) {
  if (!clock.thread_id) return fmt::format("{}", clock.process_id);
  return fmt::format("{}:{}", clock.process_id, *clock.thread_id);
}

base::Result<aggregate::CutKind> parse_cut(std::string_view text) {
  if (text == "start") return aggregate::CutKind::start;
  if (text == "end") return aggregate::CutKind::end;
  if (text == "stored") return aggregate::CutKind::stored;
  return base::Error{fmt::format("Invalid --cut: \"{}\"", text), "",
                     "Valid values: start, end, stored"};
}

base::Result<aggregate::SplitBy> parse_split_by(std::string_view text) {
  if (text == "host") return aggregate::SplitBy::host;
  if (text == "gpu") return aggregate::SplitBy::gpu;
  return base::Error{fmt::format("Invalid --split-by: \"{}\"", text), "",
                     "Valid values: host, gpu"};
}

base::Result<bool> parse_tensor_cores(std::string_view text) {
  if (text == "stored" || text == "present") return text == "present";
  return base::Error{fmt::format("Invalid --tensor-cores: \"{}\"", text), "",
                     "Valid values: stored, present"};
}

base::Result<aggregate::Selection> choose_selection(const aggregate::KeyRanking& ranking,
                                                    const SelectionRequest& request) {
  base::Result<aggregate::Selection> selection = choose_iterations(ranking, request);
  if (!selection) return selection;
  for (const aggregate::Filter& filter : request.filters) {
    if (const base::Status held = check_filter(ranking.profile(), filter); !held)
      return held.error();
  }
  selection->filters = aggregate::canonical(request.filters);
  return selection;
}

}  // namespace dlview::workspace
