#include "import/nsys/nccl.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "import/capture/trace_rows.h"
#include "profile/communication.h"
#include "profile/nvtx_domain_names.h"
#include "profile/recorded_work.h"

namespace dlview::import::nsys {
namespace {

using profile::Collective;
using profile::kNoText;
using profile::kNoValue;
using profile::NvtxKind;
using profile::Row;
using profile::StringId;
using profile::ThreadId;
using profile::Trace;

// A field of a payload. Types as NVTX numbers them.
struct Field {
  std::size_t offset = 0;
  int64_t type = 0;
};
using Schema = std::map<std::string, Field, std::less<>>;
using Schemas = std::map<std::pair<int64_t, int64_t>, Schema>;  // by domain and schema

// Bytes of an integer; 0 = not one.
std::size_t bytes_of(int64_t type) {
  switch (type) {
    case 11:  // int8
    case 12:
      return 1;
    case 3:  // short
    case 4:
    case 13:  // int16
    case 14:
      return 2;
    case 5:  // int
    case 6:
    case 15:  // int32
    case 16:
      return 4;
    case 7:  // long
    case 8:
    case 9:  // long long
    case 10:
    case 17:  // int64
    case 18:
    case 22:  // size_t
      return 8;
    default:
      return 0;
  }
}

// The values of a range: bytes behind a head of domain, schema, size and offset, 8 bytes each.
class Payload {
 public:
  Payload(std::string_view blob, const Schemas& schemas) {
    uint64_t head[4];
    if (blob.size() < sizeof head) return;
    std::memcpy(head, blob.data(), sizeof head);
    const auto found = schemas.find({static_cast<int64_t>(head[0]), static_cast<int64_t>(head[1])});
    if (found == schemas.end()) return;
    if (head[2] > blob.size() - sizeof head) return;
    schema_ = &found->second;
    values_ = blob.substr(sizeof head, head[2]);
  }

  std::optional<uint64_t> value(std::string_view name) const {
    if (schema_ == nullptr) return std::nullopt;
    const auto field = schema_->find(name);
    if (field == schema_->end()) return std::nullopt;
    const std::size_t bytes = bytes_of(field->second.type);
    if (bytes == 0 || field->second.offset > values_.size() ||
        bytes > values_.size() - field->second.offset) {
      return std::nullopt;
    }
    uint64_t value = 0;
    std::memcpy(&value, values_.data() + field->second.offset, bytes);
    return value;
  }
  std::optional<int64_t> natural(std::string_view name) const {
    const auto number = value(name);
    if (!number || *number > INT64_MAX) return std::nullopt;
    return static_cast<int64_t>(*number);
  }

 private:
  const Schema* schema_ = nullptr;
  std::string_view values_;
};

base::Status read_schemas(Context& context, Schemas& schemas) {
  constexpr const char* kColumns[] = {"domainId", "schemaId", "name", "type", "offset"};
  return for_each_row(
      context, "NVTX_PAYLOAD_SCHEMA_ENTRIES", kColumns, [&](const sqlite::Statement& row, int64_t) {
        if (!row.is_integer(0) || !row.is_integer(1)) return;
        const int64_t offset = std::max<int64_t>(row.integer(4), 0);
        schemas[{row.integer(0), row.integer(1)}].insert_or_assign(
            std::string(row.text(2)), Field{static_cast<std::size_t>(offset), row.integer(3)});
      });
}

// A call of NCCL: what its range and payload say.
struct Call {
  std::size_t row = 0;  // of Trace::nvtx
  Collective collective = Collective::other;
  std::optional<uint64_t> communicator;
  std::optional<int64_t> bytes;
};

// What became of one call or of those of a group.
struct Fused {
  std::vector<Call> calls;
  int64_t start_ns = 0, end_ns = 0;
};

class NcclReader {
 public:
  NcclReader(Context& context, Trace& trace) : context_(context), trace_(trace) {}

  base::Status read() {
    find_rows();
    if (rows_.empty()) return base::Success{};
    DLVIEW_TRY(read_schemas(context_, schemas_));
    DLVIEW_TRY(read_payloads());
    for (std::size_t begin = 0; begin < rows_.size();) {
      std::size_t end = begin;
      while (end < rows_.size() && thread(rows_[end]) == thread(rows_[begin])) ++end;
      read_thread(begin, end);
      begin = end;
    }
    add_claims();
    fill();
    return base::Success{};
  }

 private:
  ThreadId thread(std::size_t row) const {
    return capture::value_or(trace_.nvtx.thread, row, kNoValue);
  }
  std::string_view text(std::size_t row) const {
    const StringId id = capture::value_or(trace_.nvtx.text, row, kNoText);
    return id == kNoText ? std::string_view() : context_.builder.text(id);
  }

  // Closed ranges of NCCL's domains, by thread in order of start.
  void find_rows() {
    const profile::NvtxDomainNames names(trace_.nvtx_domains);
    std::map<std::pair<ThreadId, int64_t>, bool> is_nccl;
    for (std::size_t row = 0; row < trace_.nvtx.size(); ++row) {
      const int64_t domain = capture::value_or(trace_.nvtx.domain, row, int64_t{0});
      if (domain == 0 || trace_.nvtx.kind[row] != NvtxKind::push_pop_range ||
          trace_.nvtx.end_ns[row] == kNoValue || thread(row) == kNoValue) {
        continue;
      }
      const std::pair key(profile::process_of(thread(row)), domain);
      const auto [known, is_new] = is_nccl.try_emplace(key, false);
      if (is_new) known->second = names.find(key.first, domain) == "NCCL";
      if (known->second) rows_.push_back(row);
    }
    std::ranges::stable_sort(rows_, {}, [this](std::size_t row) {
      return std::pair(thread(row), trace_.nvtx.start_ns[row]);
    });
  }

  base::Status read_payloads() {
    if (schemas_.empty() || !context_.database.has_column(kTables.ranges, "binaryData")) {
      return base::Success{};
    }
    std::unordered_map<int64_t, std::size_t> row_of;  // by number in the file
    for (const std::size_t row : rows_) {
      row_of[capture::value_or(trace_.nvtx.source_row, row, kNoValue)] = row;
    }
    auto statement = context_.database.prepare(
        "SELECT rowid, binaryData FROM NVTX_EVENTS WHERE binaryData IS NOT NULL");
    if (!statement) return std::move(statement).error();
    while (statement->next()) {
      const auto row = row_of.find(statement->integer(0));
      if (row != row_of.end()) blobs_[row->second] = statement->text(1);
    }
    return statement->status();
  }

  void read_thread(std::size_t begin, std::size_t end) {
    int depth = 0;  // of groups
    Fused group;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t row = rows_[i];
      const std::string_view name = text(row);
      const auto blob = blobs_.find(row);
      const Payload payload(blob == blobs_.end() ? std::string_view() : blob->second, schemas_);
      if (name.starts_with("ncclCommInitRank")) add_communicator(row, payload);
      if (name == "ncclGroupStart") ++depth;
      if (name == "ncclGroupEnd" && depth > 0 && --depth == 0) {
        group.end_ns = trace_.nvtx.end_ns[row];
        add(std::move(group));
        group = {};
      }
      const Collective collective = profile::collective_named(name);
      if (!name.starts_with("nccl") || collective == Collective::other) continue;
      Call call{row, collective, payload.value("NCCL communicator ID"),
                payload.natural("Message size [bytes]")};
      if (depth > 0) {
        group.calls.push_back(call);
      } else {
        add({{call}, trace_.nvtx.start_ns[row], trace_.nvtx.end_ns[row]});
      }
    }
  }

  void add(Fused fused) {
    if (fused.calls.empty()) return;
    fused.start_ns = trace_.nvtx.start_ns[fused.calls.front().row];
    fused_.push_back(std::move(fused));
  }

  void add_communicator(std::size_t row, const Payload& payload) {
    const auto id = payload.value("NCCL communicator ID");
    const auto size = payload.natural("No. of ranks"), rank = payload.natural("Rank");
    if (!id || !size) return;
    const ThreadId process = profile::process_of(thread(row));
    size_of_[{process, *id}] = *size;
    auto& largest = largest_[process];
    if (rank && *size > largest.second) largest = {*rank, *size};
  }

  void add_claims() {
    for (const auto& [process, rank_and_size] : largest_) {
      trace_.capture.ranks.push_back({.source = profile::RankSource::communicator,
                                      .process = process,
                                      .variable = "",
                                      .rank = rank_and_size.first,
                                      .world_size = rank_and_size.second});
    }
    std::ranges::stable_sort(trace_.capture.ranks, {}, &profile::RankClaim::source);
  }

  // Bytes of all calls; of what is sent and received, those that are sent.
  static int64_t bytes_of_calls(const Fused& fused, const Trace& trace,
                                const profile::ProfileBuilder& builder) {
    int64_t sum = 0;
    for (const Call& call : fused.calls) {
      if (!call.bytes) return kNoValue;
      const bool is_received = builder.text(trace.nvtx.text[call.row]) == "ncclRecv";
      if (is_received && fused.calls.size() > 1) continue;
      if (__builtin_add_overflow(sum, *call.bytes, &sum)) return kNoValue;
    }
    return sum;
  }

  void fill() {
    std::ranges::stable_sort(fused_, {}, &Fused::start_ns);
    std::vector<int64_t> start_ns, end_ns, in, out, size;
    std::vector<ThreadId> threads;
    std::vector<StringId> name, group;
    for (const Fused& fused : fused_) {
      const Call& first = fused.calls.front();
      start_ns.push_back(fused.start_ns);
      end_ns.push_back(fused.end_ns);
      threads.push_back(thread(first.row));
      name.push_back(trace_.nvtx.text[first.row]);
      const int64_t bytes = bytes_of_calls(fused, trace_, context_.builder);
      // One rank's argument: what it sends, but of a reduce-scatter what it receives.
      const bool is_received = first.collective == Collective::reduce_scatter;
      in.push_back(is_received ? kNoValue : bytes);
      out.push_back(is_received ? bytes : kNoValue);
      group.push_back(first.communicator
                          ? context_.builder.intern(fmt::format("0x{:016x}", *first.communicator))
                          : kNoText);
      const auto known =
          size_of_.find({profile::process_of(threads.back()), first.communicator.value_or(0)});
      size.push_back(first.communicator && known != size_of_.end() ? known->second : kNoValue);
    }
    const std::size_t count = fused_.size();
    profile::TraceCollectives& table = trace_.collectives;
    table.start_ns = std::move(start_ns);
    table.end_ns = std::move(end_ns);
    table.thread = std::move(threads);
    table.is_recorded = std::vector<uint8_t>(count, 1);
    table.name = std::move(name);
    table.data_type = std::vector<StringId>(count, kNoText);
    table.group_name = std::move(group);
    table.group_description = std::vector<StringId>(count, kNoText);
    table.group_ranks = std::vector<StringId>(count, kNoText);
    table.in_elements = std::move(in);
    table.out_elements = std::move(out);
    table.group_size = std::move(size);
    table.sequence = std::vector<int64_t>(count, kNoValue);
    table.bytes_of_element = std::vector<int64_t>(count, 1);
  }

  Context& context_;
  Trace& trace_;
  std::vector<std::size_t> rows_;  // of Trace::nvtx
  Schemas schemas_;
  std::unordered_map<std::size_t, std::string> blobs_;        // by row of Trace::nvtx
  std::map<std::pair<ThreadId, uint64_t>, int64_t> size_of_;  // by process and communicator
  std::map<ThreadId, std::pair<int64_t, int64_t>> largest_;   // rank and size, by process
  std::vector<Fused> fused_;
};

}  // namespace

base::Status read_nccl(Context& context, Trace& trace) {
  return NcclReader(context, trace).read();
}

void link_nccl_kernels(const profile::Profile& profile, Trace& trace) {
  const profile::TraceCollectives& calls = trace.collectives;
  const std::vector<uint8_t> communicates = profile::communication_kernels(profile);
  if (calls.size() == 0 || communicates.empty()) return;
  // Calls by their threads' numbers, in order of start.
  std::map<std::pair<int64_t, int64_t>, std::vector<std::size_t>> by_thread;
  for (std::size_t row = 0; row < calls.size(); ++row) {
    const profile::Thread numbers = trace.numbers_of(calls.thread[row]);
    by_thread[{numbers.process_id, numbers.thread_id}].push_back(row);
  }
  std::vector<Row> linked(trace.kernels.size(), profile::kNoRow);
  for (profile::KernelIndex kernel{0}; kernel < profile.kernels.size(); ++kernel) {
    const std::size_t row = profile::row_of_source_id(profile.kernels.source_id[kernel]);
    if (communicates[kernel] == 0 || row >= linked.size()) continue;
    const profile::Thread& thread =
        profile.threads[profile.launches.thread[profile.kernels.launch[kernel]]];
    const auto of_thread = by_thread.find({thread.process_id, thread.thread_id});
    if (of_thread == by_thread.end()) continue;
    const int64_t called_ns = profile.kernels.api_start_ns[kernel];
    const auto after = std::ranges::upper_bound(
        of_thread->second, called_ns, {}, [&](std::size_t call) { return calls.start_ns[call]; });
    if (after == of_thread->second.begin()) continue;
    const std::size_t call = *(after - 1);
    if (called_ns <= calls.end_ns[call]) {
      linked[row] = static_cast<Row>(call);
    }
  }
  trace.kernels.collective = std::move(linked);
}

}  // namespace dlview::import::nsys
