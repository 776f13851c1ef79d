#include "ui/palette/overlays.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "ui/palette/help_pages.h"
#include "ui/palette/search.h"
#include "ui/palette/subject.h"
#include "ui/table/tables.h"

namespace dlview::ui {
namespace {

constexpr float kFinderWidth = 640, kFinderHeight = 460;

const char* heading_of(FileUse use) {
  switch (use) {
    case FileUse::open:
      return "Open file";
    case FileUse::open_beside:
      return "Open another profile";
    case FileUse::compare:
      return "Compare with";
    case FileUse::budgets:
      return "Choose a budget file";
    case FileUse::baseline:
      return "Choose a baseline";
    case FileUse::ranks:
      return "Open ranks";
    case FileUse::captures:
      break;
  }
  return "Add captures to the trend";
}

}  // namespace

void Overlays::draw(Frame& frame) {
  const Overlay overlay = frame.model.overlay;
  if (overlay != shown_) {
    shown_ = overlay;
    finder_ = {};
    shortcuts_ = {};
    definitions_search_ = frame.model.definitions_search;
    subject_.reset();
  }
  switch (overlay) {
    case Overlay::none:
      return;
    case Overlay::commands:
      return draw_commands(frame);
    case Overlay::jump:
      return draw_jump(frame);
    case Overlay::files:
      return draw_files(frame);
    case Overlay::keys:
      return shortcuts_.draw(frame);
    case Overlay::definitions:
      return draw_definitions_page(frame, definitions_search_);
    case Overlay::about:
      return draw_about_page(frame);
    case Overlay::data_quality:
      return draw_data_quality_page(frame);
    case Overlay::thresholds:
      return draw_thresholds_page(frame);
    case Overlay::dropped_file:
      return draw_dropped_file(frame);
  }
}

void Overlays::draw_commands(Frame& frame) {
  const OverlayCard card(frame, kFinderWidth, kFinderHeight);
  const std::vector<const CommandInfo*> found =
      find_commands(frame.model.commands, finder_.query());
  std::vector<FinderRow> rows;
  for (const CommandInfo* command : found) {
    rows.push_back({command->title, command->help, command->shortcut, command->enabled});
  }
  const auto chosen = finder_.draw(frame, card, card.area().top, "Search commands", rows,
                                   "No matching command. Try another word.");
  if (!chosen) return;
  const std::string id = found[*chosen]->id;
  frame.host.show_overlay(Overlay::none);
  frame.host.run_command(id);
}

void Overlays::draw_jump(Frame& frame) {
  const Model& model = frame.model;
  if (!model.profile || !model.aggregation) return;
  if (indexed_ != model.profile) {
    indexed_ = model.profile;
    index_.emplace(model.profile);
  }
  OverlayCard card(frame, kFinderWidth, kFinderHeight);
  if (subject_) {
    const SubjectCard subject =
        prepare_subject(*model.profile, *model.aggregation, model.unknown_use.get(), *subject_);
    if (!draw_subject(frame, card, subject)) subject_.reset();
    return;
  }
  const std::vector<JumpTarget> found = index_->find(model, finder_.query());
  std::vector<FinderRow> rows;
  for (const JumpTarget& target : found) rows.push_back({target.title, target.detail, "", true});
  const bool asked = !finder_.query().empty();
  const auto chosen = finder_.draw(
      frame, card, card.area().top, "Number of an iteration, or name of an op, kernel or report",
      rows,
      asked ? "No matching iteration, op, kernel or report." : "Type a number or part of a name.");
  if (chosen) choose(frame, found[*chosen]);
}

void Overlays::choose(Frame& frame, const JumpTarget& target) {
  if (target.kind == JumpKind::op || target.kind == JumpKind::kernel) {
    subject_ = target;
    return;
  }
  frame.host.show_overlay(Overlay::none);
  if (target.kind == JumpKind::report) {
    return frame.host.show_table(ViewId::cuda_summary,
                                 {kReportList, {}, std::string(target.report)});
  }
  if (frame.model.view == ViewId::timeline) {
    frame.host.show_in_run(frame.model.run, {.window = {}, .iteration = target.iteration});
  } else {
    frame.host.show(ViewId::iterations);
  }
  frame.host.select_iteration(target.iteration);
}

void Overlays::draw_files(Frame& frame) {
  if (frame.model.folder == nullptr) return;
  OverlayCard card(frame, kFinderWidth, kFinderHeight);
  const FileUse use = frame.model.file_use;
  const FolderListing folder = offered_files(*frame.model.folder, use);
  const bool wants_profile = use != FileUse::budgets && use != FileUse::baseline;
  const Area area = card.draw_heading(heading_of(use));
  draw_text_cut(frame, frame.fonts().mono, area.left, area.top, area.width, frame.palette().dim,
                folder.path, CutAt::front);
  frame.inspector.record_value("files/folder", folder.path);
  const char* home = std::getenv("HOME");
  std::vector<std::string> recent;
  if (frame.model.recent != nullptr && wants_profile && use != FileUse::ranks) {
    for (const workspace::RecentFile& file : *frame.model.recent) {
      if (file.exists) recent.push_back(file.path);
    }
  }
  std::vector<FileRow> found =
      find_files(folder, recent, finder_.query(), home == nullptr ? "" : home);
  if (use == FileUse::ranks && finder_.query().empty()) {
    found.insert(found.begin(),
                 FileRow{FileRow::Kind::file, folder.path, "Open all profiles of this folder", ""});
  }
  std::vector<FinderRow> rows;
  for (const FileRow& row : found) rows.push_back({row.title, row.detail, "", true});
  const float top = area.top + line_height(frame.fonts().mono) + frame.px(8);
  const auto chosen =
      finder_.draw(frame, card, top, "Part of a name, or a path", rows,
                   folder.problem.empty() ? "No matching file. Type a path to open another folder."
                                          : folder.problem);
  if (!chosen) return;
  const FileRow row = found[*chosen];
  if (row.kind != FileRow::Kind::folder) {
    if (use == FileUse::compare) return frame.host.compare_with_file(row.path);
    return frame.host.open_file(row.path);
  }
  finder_.clear_query();
  frame.host.list_folder(row.path);
}

}  // namespace dlview::ui
