#include "render/image.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "support/file_contents.h"
#include "support/test_data.h"

namespace dlview::render {
namespace {

Image noise(int width, int height, unsigned seed) {
  Image image(width, height);
  std::mt19937 random(seed);
  for (uint8_t& value : image.rgb) value = static_cast<uint8_t>(random());
  return image;
}

std::size_t files_in(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator files(folder);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST(Png, ReadsBackThePixelsThatWereWritten) {
  const testing::TemporaryFolder folder;
  const Image image = noise(33, 17, 1);
  const std::filesystem::path path = folder.path() / "picture.png";
  ASSERT_TRUE(write_png(image, path).ok());
  const base::Result<Image> read = read_png(path);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, image);
}

TEST(Png, WritesTheSameBytesForTheSamePixels) {
  const testing::TemporaryFolder folder;
  ASSERT_TRUE(write_png(noise(40, 30, 2), folder.path() / "a.png").ok());
  ASSERT_TRUE(write_png(noise(40, 30, 2), folder.path() / "b.png").ok());
  EXPECT_EQ(testing::contents_of(folder.path() / "a.png"),
            testing::contents_of(folder.path() / "b.png"));
  EXPECT_EQ(testing::contents_of(folder.path() / "a.png").find("tIME"), std::string::npos);
}

TEST(Png, ReplacesAnOlderPictureAndLeavesNothingElse) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "picture.png";
  ASSERT_TRUE(write_png(noise(8, 8, 3), path).ok());
  ASSERT_TRUE(write_png(noise(9, 9, 4), path).ok());
  EXPECT_EQ(read_png(path)->width, 9);
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(Png, SaysWhyAPictureCannotBeWritten) {
  const testing::TemporaryFolder folder;
  const base::Status missing = write_png(noise(2, 2, 5), folder.path() / "no" / "such.png");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().detail.find("such.png"), std::string::npos);

  std::filesystem::create_directory(folder.path() / "folder.png");
  EXPECT_FALSE(write_png(noise(2, 2, 6), folder.path() / "folder.png").ok());
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(Crop, KeepsThePixelsOfThePart) {
  const Image whole = noise(7, 5, 8);
  const Image part = crop(whole, 2, 1, 6, 4);
  ASSERT_EQ(part.width, 4);
  ASSERT_EQ(part.height, 3);
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 4; ++x) EXPECT_EQ(part.pixel(x, y), whole.pixel(x + 2, y + 1));
  }
}

TEST(Crop, EndsWithTheImage) {
  const Image whole = noise(7, 5, 9);
  EXPECT_EQ(crop(whole, -3, -3, 100, 100), whole);
  EXPECT_EQ(crop(whole, 5, 0, 100, 100).width, 2);
  EXPECT_EQ(crop(whole, 9, 9, 3, 3).rgb.size(), 0U);
}

TEST(Png, SaysWhyAFileIsNotAPicture) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "text.png";
  std::ofstream(path) << "no picture at all";
  EXPECT_FALSE(read_png(path).ok());
  EXPECT_FALSE(read_png(folder.path() / "missing.png").ok());
}

}  // namespace
}  // namespace dlview::render
