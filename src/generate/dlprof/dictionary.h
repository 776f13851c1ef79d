// The table `dictionary`: every text once; all *_id columns for texts point here. Ids follow the
// order of first use.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "generate/sqlite_file.h"
#include "profile/string_table.h"

namespace dlview::generate::dlprof {

class Dictionary {
 public:
  Dictionary(SqliteFile& file, const profile::StringTable& strings);

  int64_t id(std::string_view text);
  int64_t id(profile::StringId text);

 private:
  const profile::StringTable& strings_;
  Insert insert_;
  std::unordered_map<std::string, int64_t> ids_;
  std::vector<int64_t> id_of_string_;  // 0: not yet used
};

}  // namespace dlview::generate::dlprof
