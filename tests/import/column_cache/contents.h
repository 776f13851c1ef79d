// All that a profile, or a part of one, holds, as the cache keeps it.
#pragma once

#include <string>

#include "import/column_cache/archive.h"

namespace dlview::import::column_cache {

// Equal ones hold the same.
template <typename Part>
std::string contents_of(const Part& part) {
  Writer writer;
  writer(part);
  std::string all = writer.facts();
  for (const Writer::Column& column : writer.columns()) {
    all += std::to_string(column.bytes.size()) + ':';
    all.append(reinterpret_cast<const char*>(column.bytes.data()), column.bytes.size());
  }
  return all;
}

}  // namespace dlview::import::column_cache
