// The session and the cache of columns.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
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
#include "workspace/session_support.h"

namespace dlview::workspace {
namespace {

namespace column_cache = import::column_cache;

class SessionCache : public ::testing::Test {
 protected:
  SessionCache() {
    setenv("XDG_CACHE_HOME", folder_.path().c_str(), 1);
    base::Progress progress;
    EXPECT_TRUE(generate::generate_dlprof(path_, {.iterations = 5, .kernels = 300}, progress).ok());
    base::Result<profile::Profile> read = import::open_profile(path_, progress);
    EXPECT_TRUE(read.ok());
    read_ = std::move(read).value();
    const auto identity = column_cache::identity_of(path_);
    kept_ = column_cache::cache_folder() / identity->name;
    EXPECT_TRUE(
        column_cache::store(read_, *identity, kept_.parent_path(), {.spare_share = 0}, {}).ok());
  }
  ~SessionCache() override { unsetenv("XDG_CACHE_HOME"); }

  // Of a column whose values nobody looks at before its checksum is.
  void damage() const {
    std::string bytes = testing::contents_of(kept_);
    const int64_t stop_ns = read_.kernels.gpu_stop_ns[0];
    const std::string value(reinterpret_cast<const char*>(&stop_ns), sizeof(stop_ns));
    bytes[bytes.find(value, column_cache::kHeaderRoom)] ^= 1;
    testing::write_file(kept_, bytes);
  }

  // As the file opens, but over its first two iterations, which tells it from any other answer.
  aggregate::Aggregation keep_answer(int64_t extra_launches = 0) const {
    const auto profile = std::make_shared<const profile::Profile>(read_);
    const auto engine = aggregate::make_cpu_aggregator(profile);
    aggregate::Selection selection =
        aggregate::default_selection(aggregate::KeyRanking(*profile)).with_range({0, 1});
    TimedAggregation answer = aggregate_timed(*engine, selection);
    aggregate::Aggregation aggregation = *answer.aggregation;
    aggregation.kernel_launches += extra_launches;
    answer.aggregation = std::make_shared<const aggregate::Aggregation>(aggregation);
    EXPECT_TRUE(column_cache::store(read_, *column_cache::identity_of(path_), kept_.parent_path(),
                                    {.spare_share = 0}, {}, to_bytes({answer, true}))
                    .ok());
    return *answer.aggregation;
  }

  void open(const SelectionRequest& request) {
    session_.open(file_request(path_.string(), request, EngineChoice::cpu));
    session_.settle();
  }

  testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "run.sqlite", kept_;
  profile::Profile read_;
  base::Scheduler scheduler_;
  Session session_{scheduler_};
};

TEST_F(SessionCache, IsOpenedFromWithoutAWord) {
  open({});
  ASSERT_NE(session_.profile(), nullptr);
  EXPECT_EQ(session_.profile()->kernels.size(), read_.kernels.size());
  EXPECT_EQ(session_.take_notice(), "");
}

TEST_F(SessionCache, IsReadAnewWhenItIsDamaged) {
  damage();
  open({});
  std::string notice;
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (notice.empty() && std::chrono::steady_clock::now() < latest) {
    session_.poll();
    session_.settle();
    notice = session_.take_notice();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_NE(notice.find("corrupt"), std::string::npos);
  ASSERT_NE(session_.profile(), nullptr);
  EXPECT_EQ(session_.profile()->kernels.gpu_stop_ns[0], read_.kernels.gpu_stop_ns[0]);
  EXPECT_FALSE(std::filesystem::exists(kept_));
}

TEST_F(SessionCache, ShowsTheFirstAnswerBeforeTheEngineIsReady) {
  const aggregate::Aggregation kept = keep_answer();
  Gate gate;
  gate.close();
  OpenRequest request = file_request(path_.string(), {}, EngineChoice::cpu);
  request.make_engine = [gate, make = request.make_engine](auto profile) mutable {
    gate.pass();
    return make(profile);
  };
  session_.open(request);
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (session_.state() != Session::State::open && std::chrono::steady_clock::now() < latest) {
    session_.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_NE(session_.aggregation(), nullptr);
  EXPECT_EQ(*session_.aggregation(), kept);
  EXPECT_EQ(session_.selection(), kept.selection);
  const aggregate::Selection other = kept.selection.with_range({1, 2});
  session_.select(other);
  EXPECT_FALSE(session_.settled());
  gate.open();
  session_.settle();
  const auto engine =
      aggregate::make_cpu_aggregator(std::make_shared<const profile::Profile>(read_));
  EXPECT_EQ(*session_.aggregation(), engine->aggregate(other));
}

TEST_F(SessionCache, ReplacesAWrongAnswer) {
  const aggregate::Aggregation kept = keep_answer(1);
  open({});
  ASSERT_NE(session_.aggregation(), nullptr);
  EXPECT_EQ(session_.aggregation()->kernel_launches, kept.kernel_launches - 1);
  EXPECT_EQ(session_.selection(), kept.selection);
  EXPECT_NE(session_.take_notice().find("wrong"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(kept_));
}

TEST_F(SessionCache, SaysNothingOfARightAnswer) {
  const aggregate::Aggregation kept = keep_answer();
  open({});
  ASSERT_NE(session_.aggregation(), nullptr);
  EXPECT_EQ(*session_.aggregation(), kept);
  EXPECT_EQ(session_.take_notice(), "");
  EXPECT_TRUE(std::filesystem::exists(kept_));
}

// The answer may have been that of a GPU which this run was told not to use.
TEST_F(SessionCache, NamesTheEngineOfTheNextAnswer) {
  const aggregate::Aggregation kept = keep_answer();
  OpenRequest request = file_request(path_.string(), {}, EngineChoice::cpu);
  Gate gate;
  gate.close();
  request.make_engine = [gate](auto profile) mutable {
    gate.pass();
    return std::make_unique<RememberingAggregator>(std::move(profile));
  };
  session_.open(request);
  while (session_.state() != Session::State::open) session_.poll();
  RunModel model;
  session_.describe(model);
  EXPECT_EQ(model.aggregation_ms, 0);
  EXPECT_EQ(model.engine, "") << "none is made yet";
  gate.open();
  session_.settle();
  session_.describe(model);
  EXPECT_EQ(model.engine, "REMEMBERING");
  session_.select(kept.selection.with_range({1, 2}));
  session_.settle();
  session_.describe(model);
  EXPECT_GT(model.aggregation_ms, 0);
  EXPECT_EQ(model.engine, "REMEMBERING");
}

TEST_F(SessionCache, IsConfirmedOnceChecked) {
  const aggregate::Aggregation kept = keep_answer();
  session_.open(file_request(path_.string(), {}, EngineChoice::cpu));
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  bool was_cached = false;
  RunModel model;
  do {
    session_.poll();
    model = {};
    session_.describe(model);
    if (session_.state() == Session::State::open) was_cached |= model.aggregation_ms == 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while ((!was_cached || model.aggregation_ms == 0) && std::chrono::steady_clock::now() < latest);
  EXPECT_TRUE(was_cached);
  EXPECT_GT(model.aggregation_ms, 0);
  EXPECT_EQ(model.engine, "CPU");
  EXPECT_EQ(*model.aggregation, kept);
}

TEST_F(SessionCache, FailsIfTheEngineOfACachedAnswerCannotBeMade) {
  keep_answer();
  OpenRequest request = file_request(path_.string(), {}, EngineChoice::cpu);
  Gate gate;
  gate.close();
  request.make_engine = [gate](auto) mutable -> std::unique_ptr<aggregate::Aggregator> {
    gate.pass();
    throw std::bad_alloc();
  };
  session_.open(request);
  while (session_.state() != Session::State::open) session_.poll();
  session_.poll();
  session_.select(session_.selection().with_range({1, 2}));
  gate.open();
  session_.settle();
  EXPECT_EQ(session_.state(), Session::State::failed);
  ASSERT_NE(session_.error(), nullptr);
  EXPECT_EQ(session_.error()->title, "Not enough memory");
  EXPECT_EQ(session_.profile(), nullptr);
  session_.open(file_request(path_.string(), {}, EngineChoice::cpu));
  session_.settle();
  EXPECT_EQ(session_.state(), Session::State::open) << "the next opening is not hurt";
}

TEST_F(SessionCache, IsAskedNoOtherQuestionThanTheOneItHasAnAnswerTo) {
  const aggregate::Aggregation kept = keep_answer();
  SelectionRequest request;
  request.iterations = aggregate::IterationRange{1, 1};
  open(request);
  ASSERT_NE(session_.aggregation(), nullptr);
  EXPECT_EQ(session_.selection().range, *request.iterations);
  EXPECT_NE(session_.aggregation()->range_ns, kept.range_ns);
}

TEST_F(SessionCache, IsLeftAloneWhenItIsNotWanted) {
  damage();
  SelectionRequest request;
  request.use_cache = false;
  open(request);
  ASSERT_NE(session_.profile(), nullptr);
  EXPECT_EQ(session_.profile()->kernels.gpu_stop_ns[0], read_.kernels.gpu_stop_ns[0]);
  EXPECT_TRUE(std::filesystem::exists(kept_));
}

}  // namespace
}  // namespace dlview::workspace
