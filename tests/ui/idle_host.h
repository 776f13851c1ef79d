// A program that does nothing that it is asked for; tests override what they look at.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ui/model.h"

namespace dlview::testing {

class IdleHost : public ui::Host {
 public:
  void select(const aggregate::Selection&) override {}
  void preview_cut(const std::optional<aggregate::Cut>&) override {}
  void select_iteration(std::optional<int64_t>) override {}
  void select_baseline(std::optional<int64_t>) override {}
  void show(ui::ViewId) override {}
  void show_tab(ui::TabId) override {}
  void run_command(std::string_view) override {}
  void cancel_loading() override {}
  void copy_text(const std::string&) override {}
  void open_link(const std::string&) override {}
  void open_file(const std::string&) override {}
  void forget_file(const std::string&) override {}
  void show_run(std::size_t) override {}
  void compare_with_run(std::size_t) override {}
  void compare_with_file(const std::string&) override {}
  void swap_compared_runs() override {}
  void show_compared_timelines() override {}
  void choose_file(ui::FileUse) override {}
  void show_rank(const workspace::RankChoice&) override {}
  void only_ranks(const ranks::RankSet&) override {}
  void want_rank_timelines(const std::vector<std::size_t>&) override {}
  void show_capture(const std::string&, const std::string&) override {}
  void remove_capture(const std::string&) override {}
  void select_in_run(workspace::RunId, const aggregate::Selection&) override {}
  void show_in_run(workspace::RunId, const timeline::Request&) override {}
  void list_folder(const std::string&) override {}
  void set_thresholds(const aggregate::AdviceThresholds&) override {}
  void show_overlay(ui::Overlay) override {}
  void show_definitions(std::string_view) override {}
  void show_table(ui::ViewId, const workspace::TableState&) override {}
  void export_table(const ui::TableExport&) override {}
  void save_text(const std::string&, std::string_view, std::string) override {}
  void save_picture(const std::string&, const ui::ItemRect&) override {}
  void notify(std::string) override {}
};

}  // namespace dlview::testing
