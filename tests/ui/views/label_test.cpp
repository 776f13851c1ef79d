#include <gtest/gtest.h>

#include "ui/views/timeline/event_labels.h"

namespace dlview::ui {
namespace {

// Of letters that are 1 wide, the ellipsis, of three bytes, among them.
std::string label(std::string_view name, float room) {
  return event_label(name, room, [](std::string_view part) {
    const bool is_cut = part.find("…") != part.npos;
    return static_cast<float>(part.size() - (is_cut ? 2 : 0));
  });
}

TEST(Label, IsTheNameWhereItFits) {
  EXPECT_EQ(label("Step 17", 7), "Step 17");
  EXPECT_EQ(label("aten::mul, op_id = 12", 21), "aten::mul, op_id = 12");
}

TEST(Label, KeepsBothEndsOfANameThatDoesNot) {
  EXPECT_EQ(label("Warm-up Step 5", 9), "Warm…ep 5");
  EXPECT_EQ(label("forward/layer3/conv2d", 11), "forwa…onv2d");
}

TEST(Label, GivesUpFirstWhatARangeWasCalledWith) {
  EXPECT_EQ(label("aten::mul, op_id = 12", 12), "aten::mul…");
  EXPECT_EQ(label("aten::mul, op_id = 12", 9), "aten::mul");
  EXPECT_EQ(label("aten::mul, op_id = 12", 7), "ate…mul");
  EXPECT_EQ(label("FlashAttnFunc, seq = 4, op_id = 9", 20), "FlashAttnFunc…");
}

TEST(Label, ACommaAloneBeginsNoArguments) {
  EXPECT_EQ(label("gemm<float, half>", 9), "gemm…alf>");
}

TEST(SizeLabel, GivesUpTheSizeFirst) {
  const auto label_of_copy = [](float room) {
    return size_label("H2D 3.2 MiB", room,
                      [](std::string_view part) { return static_cast<float>(part.size()); });
  };
  EXPECT_EQ(label_of_copy(11), "H2D 3.2 MiB");
  EXPECT_EQ(label_of_copy(10), "H2D");
  EXPECT_EQ(label_of_copy(2), "");
}

std::string label_of_frame(std::string_view name, float room) {
  return frame_label(name, room,
                     [](std::string_view part) { return static_cast<float>(part.size()); });
}

// The dot between function and file has two bytes.
TEST(FrameLabel, GivesUpTheFileFirst) {
  constexpr std::string_view kName = "torch/nn/linear.py(114): forward";
  EXPECT_EQ(label_of_frame(kName, 25), "forward · linear.py:114");
  EXPECT_EQ(label_of_frame(kName, 23), "forward");
}

TEST(FrameLabel, NamesBuiltInFunctionsAlone) {
  EXPECT_EQ(label_of_frame("<built-in method linear of type object at 0x7f>", 6), "linear");
  EXPECT_EQ(label_of_frame("<built-in function getattr>", 7), "getattr");
}

}  // namespace
}  // namespace dlview::ui
