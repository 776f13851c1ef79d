#include "app/imgui_input.h"

#define GLFW_INCLUDE_NONE  // for the key codes alone
#include <GLFW/glfw3.h>
#include <gtest/gtest.h>

#include "support/imgui_frames.h"
#include "ui/fonts.h"

namespace dlview::app {
namespace {

class ImGuiInputTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ImGui::CreateContext();
    testing::set_up_frames(100, 100);
  }
  void TearDown() override { ImGui::DestroyContext(); }

  void apply() {
    input_.apply(ImGui::GetIO(), [this](const KeyPress& press) {
      chords_.push_back(press.chord);
      positions_.push_back(press.position);
      return false;
    });
  }
  int frames_to_apply_all() {
    int frames = 0;
    for (; !input_.empty(); ++frames) apply();
    return frames;
  }

  // Dear ImGui takes events over when a frame begins.
  float mouse_x_in_frame() {
    testing::begin_frame();
    ImGui::EndFrame();
    return ImGui::GetIO().MousePos.x;
  }

  ImGuiInput input_;
  std::vector<Chord> chords_;
  std::vector<int> positions_;
};

TEST_F(ImGuiInputTest, GivesAFastClickTwoFrames) {
  input_.add(
      {render::MouseMove{5, 6}, render::MouseButton{0, true}, render::MouseButton{0, false}});
  apply();
  EXPECT_TRUE(input_.mouse_is_down());
  EXPECT_FALSE(input_.empty());
  apply();
  EXPECT_FALSE(input_.mouse_is_down());
  EXPECT_TRUE(input_.empty());
}

TEST_F(ImGuiInputTest, LetsAPressHappenWhereTheMouseWas) {
  input_.add({render::MouseMove{5, 6}, render::MouseButton{0, true}, render::MouseMove{50, 60}});
  EXPECT_EQ(frames_to_apply_all(), 2);
}

TEST_F(ImGuiInputTest, ShowsWhereADragHasComeBeforeItEnds) {
  input_.add({render::MouseMove{5, 6}, render::MouseButton{0, true}, render::MouseMove{20, 6},
              render::MouseMove{50, 6}, render::MouseButton{0, false}});
  ui::bake_fonts(*ImGui::GetIO().Fonts, 1);  // a frame needs a font
  apply();
  apply();
  EXPECT_EQ(mouse_x_in_frame(), 50);
  EXPECT_TRUE(input_.mouse_is_down());
  apply();
  EXPECT_FALSE(input_.mouse_is_down());
  EXPECT_TRUE(input_.empty());
}

TEST_F(ImGuiInputTest, TakesManyMovesInOneFrame) {
  for (int i = 0; i < 100; ++i) input_.add({render::MouseMove{static_cast<float>(i), 0}});
  EXPECT_EQ(frames_to_apply_all(), 1);
}

TEST_F(ImGuiInputTest, OffersEachPressOfAKeyWithItsModifiersOnce) {
  input_.add({render::Key{GLFW_KEY_LEFT_CONTROL, true}, render::Key{'1', true},
              render::Key{'1', true}, render::Key{'1', false},
              render::Key{GLFW_KEY_LEFT_CONTROL, false}, render::Key{'1', true}});
  frames_to_apply_all();
  const std::vector<Chord> ones(chords_.begin() + 1, chords_.end());
  EXPECT_EQ(ones, (std::vector<Chord>{{.key = '1', .ctrl = true}, {.key = '1'}}));
}

TEST_F(ImGuiInputTest, TellsThePlaceOfAKeyAndWhetherItIsDown) {
  input_.add({render::Key{'Z', true, 'W'}});
  frames_to_apply_all();
  EXPECT_TRUE(input_.is_down('Z'));
  input_.add({render::Key{'Z', false, 'W'}, render::Key{'S', true}});
  frames_to_apply_all();
  EXPECT_FALSE(input_.is_down('Z'));
  EXPECT_EQ(positions_, (std::vector<int>{'W', 'S'}));
}

TEST_F(ImGuiInputTest, LeavesTypingToATextField) {
  ImGui::GetIO().WantTextInput = true;
  input_.add({render::Key{'A', true}, render::Key{GLFW_KEY_F12, true}});
  frames_to_apply_all();
  EXPECT_EQ(chords_, (std::vector<Chord>{{.key = GLFW_KEY_F12}}));
}

TEST_F(ImGuiInputTest, PassesOverKeysAndButtonsThatItDoesNotKnow) {
  input_.add({render::Key{-1, true}, render::Key{5000, true}, render::MouseButton{40, true},
              render::MouseButton{-3, true}});
  frames_to_apply_all();
  EXPECT_TRUE(chords_.empty());
  EXPECT_FALSE(input_.mouse_is_down());
}

}  // namespace
}  // namespace dlview::app
