#include "render/rectangles.h"

#include <random>
#include <vector>

#include "render/offscreen_test.h"

namespace dlview::render {
namespace {

using RectangleRendererTest = OffscreenTest;

constexpr PixelRect kNoClip{0, 0, 100'000, 100'000};
constexpr uint32_t kRed = 0xff0000ff;  // 0xAABBGGRR

int count_pixels(const Image& image, uint32_t color) {
  int count = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) count += image.pixel(x, y) == color ? 1 : 0;
  }
  return count;
}

TEST_F(RectangleRendererTest, FillsExactlyThePixelsBetweenItsEdges) {
  const Framebuffer framebuffer = canvas(20, 10, 0x000000);
  RectangleRenderer renderer;
  const std::vector<Rectangle> rectangles{{3, 2, 8, 6, kRed}};
  renderer.draw(rectangles, 20, 10, kNoClip);
  const Image image = read_pixels(20, 10);
  for (int y = 0; y < 10; ++y) {
    for (int x = 0; x < 20; ++x) {
      const bool inside = x >= 3 && x < 8 && y >= 2 && y < 6;
      ASSERT_EQ(image.pixel(x, y), inside ? 0xff0000u : 0u) << x << ", " << y;
    }
  }
}

TEST_F(RectangleRendererTest, PacksColorsAsDearImGuiDoes) {
  const Framebuffer framebuffer = canvas(1, 1, 0x000000);
  RectangleRenderer renderer;
  const std::vector<Rectangle> rectangles{{0, 0, 1, 1, 0xffc0ffeeu}};
  renderer.draw(rectangles, 1, 1, kNoClip);
  EXPECT_EQ(read_pixels(1, 1).pixel(0, 0), 0xeeffc0u);
}

TEST_F(RectangleRendererTest, BlendsByAlpha) {
  const Framebuffer framebuffer = canvas(1, 1, 0xff0000);
  RectangleRenderer renderer;
  const std::vector<Rectangle> rectangles{{0, 0, 1, 1, 0x80ff0000u}};  // half a blue
  renderer.draw(rectangles, 1, 1, kNoClip);
  const uint32_t pixel = read_pixels(1, 1).pixel(0, 0);
  EXPECT_NEAR(static_cast<int>(pixel >> 16), 127, 1);
  EXPECT_NEAR(static_cast<int>(pixel & 0xff), 128, 1);
}

TEST_F(RectangleRendererTest, DrawsOnlyInsideTheClip) {
  const Framebuffer framebuffer = canvas(10, 10, 0x000000);
  RectangleRenderer renderer;
  const std::vector<Rectangle> rectangles{{0, 0, 10, 10, kRed}};
  renderer.draw(rectangles, 10, 10, {2, 1, 5, 9});
  const Image image = read_pixels(10, 10);
  EXPECT_EQ(count_pixels(image, 0xff0000), 3 * 8);
  EXPECT_EQ(image.pixel(2, 1), 0xff0000u);
  EXPECT_EQ(image.pixel(4, 8), 0xff0000u);
  EXPECT_EQ(image.pixel(5, 8), 0u);
  EXPECT_EQ(image.pixel(4, 9), 0u);
}

TEST_F(RectangleRendererTest, DrawsNothingInAnEmptyClip) {
  const Framebuffer framebuffer = canvas(10, 10, 0x000000);
  RectangleRenderer renderer;
  const std::vector<Rectangle> rectangles{{0, 0, 10, 10, kRed}};
  renderer.draw(rectangles, 10, 10, {5, 5, 5, 9});
  renderer.draw(rectangles, 10, 10, {8, 0, 2, 10});
  renderer.draw({}, 10, 10, kNoClip);
  EXPECT_EQ(count_pixels(read_pixels(10, 10), 0xff0000), 0);
}

TEST_F(RectangleRendererTest, SnapsEdgesToTheNearestPixelBoundary) {
  const Framebuffer framebuffer = canvas(10, 1, 0x000000);
  RectangleRenderer renderer;
  const std::vector<Rectangle> rectangles{{1.4f, 0, 3.5f, 1, kRed}};  // 1 .. 4
  renderer.draw(rectangles, 10, 1, kNoClip);
  const Image image = read_pixels(10, 1);
  EXPECT_EQ(count_pixels(image, 0xff0000), 3);
  EXPECT_EQ(image.pixel(1, 0), 0xff0000u);
  EXPECT_EQ(image.pixel(3, 0), 0xff0000u);
}

// Translucent neighbors show an overlap as a darker and a gap as a lighter column.
TEST_F(RectangleRendererTest, DrawsNeighborsWithoutGapOrOverlap) {
  constexpr int kWidth = 301;
  const Framebuffer framebuffer = canvas(kWidth, 1, 0xffffff);
  RectangleRenderer renderer;
  std::vector<Rectangle> rectangles;
  std::mt19937 random(7);
  std::uniform_real_distribution<float> width(0.05f, 3.0f);
  float left = 0;
  while (left < kWidth) {
    const float right = left + width(random);
    rectangles.push_back({left, 0, right, 1, 0x80000000u});
    left = right;
  }
  renderer.draw(rectangles, kWidth, 1, kNoClip);
  const Image image = read_pixels(kWidth, 1);
  EXPECT_EQ(count_pixels(image, image.pixel(0, 0)), kWidth);
  EXPECT_NE(image.pixel(0, 0), 0xffffffu);
}

TEST_F(RectangleRendererTest, DrawsManyRectanglesThenFew) {
  constexpr int kColumns = 500, kRows = 200;
  const Framebuffer framebuffer = canvas(kColumns, kRows, 0x000000);
  RectangleRenderer renderer;
  std::vector<Rectangle> rectangles;
  rectangles.reserve(kColumns * kRows);
  for (int y = 0; y < kRows; ++y) {
    for (int x = 0; x < kColumns; ++x) {
      const auto color = 0xff000000u | static_cast<uint32_t>(y * kColumns + x);
      rectangles.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(x + 1),
                            static_cast<float>(y + 1), color});
    }
  }
  renderer.draw(rectangles, kColumns, kRows, kNoClip);
  const Image full = read_pixels(kColumns, kRows);
  for (int y = 0; y < kRows; ++y) {
    for (int x = 0; x < kColumns; ++x) {
      const auto index = static_cast<uint32_t>(y * kColumns + x);
      const uint32_t rgb = (index & 0xff) << 16 | (index & 0xff00) | index >> 16;
      ASSERT_EQ(full.pixel(x, y), rgb) << x << ", " << y;
    }
  }
  glClear(GL_COLOR_BUFFER_BIT);
  renderer.draw(std::span(rectangles).subspan(rectangles.size() - 1), kColumns, kRows, kNoClip);
  EXPECT_NE(read_pixels(kColumns, kRows).pixel(kColumns - 1, kRows - 1), 0u);
}

}  // namespace
}  // namespace dlview::render
