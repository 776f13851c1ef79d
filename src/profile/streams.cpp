#include "profile/streams.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "profile/recorded_work.h"

namespace dlview::profile {
namespace {

struct HashOfStream {
  std::size_t operator()(const Stream& stream) const {
    uint64_t hash = stream.device;
    for (const int64_t part : {stream.process_id, stream.context, stream.number}) {
      hash = (hash ^ static_cast<uint64_t>(part)) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

// Numbers streams in the order in which they are met.
class Numbering {
 public:
  Row of(const Stream& stream) {
    if (last_ != kNoRow && rows_[last_] == stream) return last_;
    const auto [entry, is_new] = known_.emplace(stream, static_cast<Row>(rows_.size()));
    if (is_new) rows_.push_back(stream);
    return last_ = entry->second;
  }
  const std::vector<Stream>& rows() const { return rows_; }

 private:
  std::vector<Stream> rows_;
  std::unordered_map<Stream, Row, HashOfStream> known_;
  Row last_ = kNoRow;
};

template <typename T>
T value_or(const Column<T>& column, std::size_t row, T lacking) {
  return row < column.size() ? column[row] : lacking;
}

Stream stream_of(const Trace& trace, const RecordedWork& work, DeviceIndex device) {
  const ThreadId process = value_or(work.table.process, work.row, kNoValue);
  return {device, process == kNoValue ? kNoValue : trace.numbers_of(process).process_id,
          value_or(work.table.context, work.row, kNoValue),
          value_or(work.table.stream, work.row, kNoValue)};
}

Stream stream_of_kernel(const Profile& profile, KernelIndex kernel) {
  const DeviceIndex device = profile.device_of_kernel(kernel);
  if (!profile.trace) return {.device = device};
  return stream_of(*profile.trace, recorded_kernel(profile, kernel), device);
}

Stream stream_of_memory_op(const Profile& profile, MemoryOpIndex memory_op) {
  const DeviceIndex device = profile.memory_ops.device[memory_op];
  if (!profile.trace) return {.device = device};
  return stream_of(*profile.trace, recorded_memory_op(profile, memory_op), device);
}

}  // namespace

Streams find_streams(const Profile& profile) {
  Numbering numbering;
  Streams streams;
  streams.of_kernel.resize(profile.kernels.size());
  for (KernelIndex kernel{0}; kernel < profile.kernels.size(); ++kernel) {
    streams.of_kernel[kernel] = numbering.of(stream_of_kernel(profile, kernel));
  }
  streams.of_memory_op.resize(profile.memory_ops.size());
  for (MemoryOpIndex memory_op{0}; memory_op < profile.memory_ops.size(); ++memory_op) {
    streams.of_memory_op[memory_op] = numbering.of(stream_of_memory_op(profile, memory_op));
  }

  std::vector<Row> order(numbering.rows().size());
  std::iota(order.begin(), order.end(), Row{0});
  std::ranges::sort(order, {}, [&](Row row) { return numbering.rows()[row]; });
  std::vector<Row> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    streams.rows.push_back(numbering.rows()[order[i]]);
    place[order[i]] = static_cast<Row>(i);
  }
  for (Row& stream : streams.of_kernel) stream = place[stream];
  for (Row& stream : streams.of_memory_op) stream = place[stream];
  return streams;
}

}  // namespace dlview::profile
