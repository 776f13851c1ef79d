// Captures of the generator as the program opens them: written as an export and read again.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/progress.h"
#include "base/result.h"
#include "generate/capture.h"
#include "import/open.h"
#include "profile/profile.h"
#include "support/test_data.h"

namespace dlview::testing {

// `change`: SQL that changes the export before it is opened.
inline std::shared_ptr<const profile::Profile> opened_capture(const generate::Capture& capture,
                                                              const std::string& change = "") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run.sqlite";
  base::Progress progress;
  EXPECT_TRUE(generate::write_capture(capture, generate::NsysSchema::v2026, path, progress).ok());
  if (!change.empty()) {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, change.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
  }
  base::Result<profile::Profile> opened = import::open_profile(path, progress);
  EXPECT_TRUE(opened.ok());
  return std::make_shared<const profile::Profile>(std::move(*opened));
}

}  // namespace dlview::testing
