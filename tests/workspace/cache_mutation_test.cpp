// Opens damaged cache files. DLVIEW_MUTATIONS is the number of files, 300 by default; the seed is
// printed with a failure and set by DLVIEW_SEED.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "generate/dlprof.h"
#include "import/column_cache/folder.h"
#include "import/column_cache/format.h"
#include "import/column_cache/identity.h"
#include "import/column_cache/store.h"
#include "import/open.h"
#include "import/test_database.h"
#include "support/test_data.h"
#include "workspace/kept_answer.h"
#include "workspace/open_request.h"
#include "workspace/session.h"

namespace dlview::workspace {
namespace {

namespace column_cache = import::column_cache;

uint64_t number_from(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

class CacheMutation : public ::testing::Test {
 protected:
  CacheMutation() {
    setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    base::Progress progress;
    EXPECT_TRUE(generate::generate_dlprof(path_, {.iterations = 4, .kernels = 200}, progress).ok());
    const auto profile =
        std::make_shared<const profile::Profile>(import::open_profile(path_, progress).value());
    const auto engine = aggregate::make_cpu_aggregator(profile);
    const TimedAggregation answer =
        aggregate_timed(*engine, aggregate::default_selection(aggregate::KeyRanking(*profile)));
    const auto identity = column_cache::identity_of(path_);
    file_ = column_cache::cache_folder() / identity->name;
    EXPECT_TRUE(column_cache::store(*profile, *identity, file_.parent_path(), {.spare_share = 0},
                                    {}, to_bytes({answer, true}))
                    .ok());
    whole_ = testing::contents_of(file_);
  }
  ~CacheMutation() override { unsetenv("XDG_CACHE_HOME"); }

  uint64_t below(uint64_t count) { return dice_() % count; }

  // Half of the files keep their header: its checksum does not cover the columns.
  std::string damaged() {
    std::string bytes = whole_;
    column_cache::Header header;
    std::memcpy(&header, bytes.data(), sizeof(header));
    const uint64_t columns = header.directory_offset - column_cache::kHeaderRoom;
    switch (below(6)) {
      case 0:
        bytes.resize(below(bytes.size()));
        break;
      case 1:
        for (uint64_t i = below(20) + 1; i > 0; --i) {
          bytes[below(bytes.size())] = static_cast<char>(below(256));
        }
        break;
      case 2:
        bytes[below(sizeof(header))] ^= static_cast<char>(1 + below(255));
        break;
      default:
        for (uint64_t i = below(20) + 1; i > 0; --i) {
          const uint64_t values[] = {0, 1, ~uint64_t{0}, uint64_t{1} << 63U, below(300), dice_()};
          const uint64_t value = values[below(std::size(values))];
          const uint64_t width = uint64_t{1} << below(4);
          const uint64_t place = below(columns / width - 1) * width;
          std::memcpy(bytes.data() + column_cache::kHeaderRoom + place, &value, width);
        }
    }
    return bytes;
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "run.sqlite", file_;
  std::string whole_;
  uint64_t seed_ = number_from("DLVIEW_SEED", std::random_device{}());
  std::mt19937_64 dice_{seed_};
};

TEST_F(CacheMutation, OpensOrReadsAgain) {
  for (uint64_t i = number_from("DLVIEW_MUTATIONS", 300); i > 0; --i) {
    SCOPED_TRACE("seed " + std::to_string(seed_) + ", " + std::to_string(i) + " files left");
    testing::write_file(file_, damaged());
    base::Scheduler scheduler;
    Session session(scheduler);
    session.open(file_request(path_.string(), {}, EngineChoice::cpu));
    session.settle();
    session.want_lanes();
    // Until the columns were checked, or for a moment where they are sound.
    for (int look = 0; look < 20 && session.take_notice().empty(); ++look) {
      session.poll();
      session.settle();
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    ASSERT_EQ(session.state(), Session::State::open);
    ASSERT_NE(session.aggregation(), nullptr);
  }
}

}  // namespace
}  // namespace dlview::workspace
