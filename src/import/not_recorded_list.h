// NotRecordedList: collects what a file lacks while an importer looks for it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/profile.h"

namespace dlview::import {

// Add items in the order in which a user would care for them.
class NotRecordedList {
 public:
  void add_if(bool is_missing, std::string_view what, std::string remedy) {
    if (is_missing) items_.push_back({std::string(what), std::move(remedy)});
  }
  std::vector<profile::NotRecorded> take() && { return std::move(items_); }

 private:
  std::vector<profile::NotRecorded> items_;
};

}  // namespace dlview::import
