// The GPUs of the machine, whether the run used them or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.h"
#include "import/dlprof/tables.h"
#include "import/id_map.h"
#include "profile/profile.h"

namespace dlview::import::dlprof {

// By device_id, the CUDA ordinal.
class DeviceRows {
 public:
  void add(int64_t device_id, profile::Row row) {
    rows_.set(device_id, row);
    ++size_;
  }
  std::optional<profile::Row> find(int64_t device_id) const { return rows_.find(device_id); }
  std::size_t size() const { return size_; }

 private:
  IdMap<profile::Row> rows_;
  std::size_t size_ = 0;
};

// Adds all devices to the builder in order of device_id.
base::Status read_devices(Context& context, DeviceRows& devices);

}  // namespace dlview::import::dlprof
