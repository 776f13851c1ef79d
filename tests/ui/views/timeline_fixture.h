// The Timeline of twenty steps on Dear ImGui alone.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "timeline/lanes_support.h"
#include "ui/view_fixture.h"
#include "ui/views/timeline/timeline_view.h"

namespace dlview::testing {

class TimelineFixture : public ViewFixture {
 protected:
  TimelineFixture() {
    draw = [this](ui::Frame& frame, const ui::Box& box, ui::BarLayer& bars) {
      view_.draw(frame, box, bars, tables_);
    };
    show(run_of_twenty_steps(), "train/step");
  }
  void show(std::shared_ptr<const profile::Profile> profile, const std::string& key_op) {
    open(std::move(profile), key_op);
    model.lanes = lanes_of(model.profile);
    model.rules = std::make_shared<const aggregate::RuleIndex>(*model.profile);
    frames(3);
  }
  void run(ui::TimelineCommand command) {
    view_.run(command);
    frames(3);
  }
  // With a right click.
  void open_menu_at(float x, float y) {
    move_to(x, y);
    ImGui::GetIO().MouseDown[1] = true;
    frame();
    ImGui::GetIO().MouseDown[1] = false;
    frames(3);
  }
  void open_menu(const std::string& name) {
    const ui::ItemRect rect = item(name);
    open_menu_at((rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2);
  }
  // An entry of its menu.
  void choose(const std::string& name, const std::string& entry) {
    open_menu(name);
    click("copy/" + entry);
    frames(3);
  }
  timeline::TimeWindow window() const { return view_.window().value_or(model.lanes->whole); }

  base::Scheduler scheduler_;
  ui::Tables tables_{scheduler_};
  ui::TimelineView view_;
};

}  // namespace dlview::testing
