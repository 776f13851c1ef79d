#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "report/dlprof/columns.h"
#include "report/dlprof/reports.h"

namespace dlview::report::dlprof {
namespace {

using aggregate::Aggregation;
using aggregate::KernelAggregate;
using aggregate::OpAggregate;
using aggregate::Unit;
using profile::Profile;

// An eligible op and its rows [first_kernel, last_kernel) of Aggregation::kernels.
struct EligibleOp {
  const OpAggregate* op;
  std::size_t first_kernel, last_kernel;
};

// In byte order of the op id.
std::vector<EligibleOp> eligible_ops(const Profile& profile, const Aggregation& aggregation) {
  std::vector<EligibleOp> rows;
  std::size_t kernel = 0;
  for (const OpAggregate& op : aggregation.ops) {
    const std::size_t first = kernel;
    while (kernel < aggregation.kernels.size() && aggregation.kernels[kernel].op == op.op) ++kernel;
    if (profile.is_eligible(op.op)) rows.push_back({&op, first, kernel});
  }
  std::sort(rows.begin(), rows.end(), [&profile](const EligibleOp& a, const EligibleOp& b) {
    return profile.text(profile.ops.id[a.op->op]) < profile.text(profile.ops.id[b.op->op]);
  });
  return rows;
}

// The kernel names of eligible ops, with Tensor Cores or without.
class NameLists {
 public:
  NameLists(const Profile& profile, const Aggregation& aggregation)
      : profile_(profile), aggregation_(aggregation), rows_(eligible_ops(profile, aggregation)) {}

  std::size_t size() const { return rows_.size(); }
  const OpAggregate& op(std::size_t row) const { return *rows_[row].op; }
  int64_t all(std::size_t row) const {
    return static_cast<int64_t>(rows_[row].last_kernel - rows_[row].first_kernel);
  }
  int64_t count(std::size_t row, bool tensor_cores) const {
    int64_t found = 0;
    for_each(row, tensor_cores, [&found](const KernelAggregate&) { ++found; });
    return found;
  }
  std::string names(std::size_t row, bool tensor_cores) const {
    std::string text;
    for_each(row, tensor_cores, [&](const KernelAggregate& kernel) {
      if (!text.empty()) text += ", ";
      text += profile_.text(kernel.name);
    });
    return text;
  }

 private:
  template <typename Visit>
  void for_each(std::size_t row, bool tensor_cores, const Visit& visit) const {
    for (std::size_t i = rows_[row].first_kernel; i < rows_[row].last_kernel; ++i) {
      const KernelAggregate& kernel = aggregation_.kernels[i];
      if (kernel.uses_tensor_cores == tensor_cores) visit(kernel);
    }
  }

  const Profile& profile_;
  const Aggregation& aggregation_;
  std::vector<EligibleOp> rows_;
};

using Lists = std::shared_ptr<const NameLists>;

void append_times(std::vector<Column>& columns, const Lists& lists) {
  const auto time = [&](const char* id, const char* title, auto value) {
    columns.push_back(integer_column(id, title, Unit::ns, [lists, value](std::size_t row) {
      return Cell(static_cast<int64_t>(value(lists->op(row))));
    }));
  };
  time("gpu_time", "Total GPU Time", [](const OpAggregate& op) { return op.kernel_gpu.sum; });
  time("tc_gpu_time", "TC GPU Time", [](const OpAggregate& op) { return op.tensor_core_gpu_ns; });
  time("non_tc_gpu_time", "Non-TC GPU Time",
       [](const OpAggregate& op) { return op.kernel_gpu.sum - op.tensor_core_gpu_ns; });
  columns.push_back(
      real_column("tc_utilization", "TC Utilization", Unit::percent, [lists](std::size_t row) {
        const OpAggregate& op = lists->op(row);
        if (op.kernel_gpu.sum == 0) return 0.0;
        return 100.0 * static_cast<double>(op.tensor_core_gpu_ns) /
               static_cast<double>(op.kernel_gpu.sum);
      }));
}

}  // namespace

Table tensor_report(const Profile& profile, const Aggregation& aggregation) {
  const auto lists = std::make_shared<const NameLists>(profile, aggregation);
  const auto op = [lists](std::size_t row) { return lists->op(row).op; };

  Table table{"tensor", "Tensor Core Report", Layout::rows, {}, lists->size()};
  auto& columns = table.columns;
  append_op_columns(columns, profile, op);
  append_op_type_column(columns, profile, op);
  columns.push_back(flag_column("uses_tc", "Uses TC", [lists](std::size_t row) {
    return lists->op(row).uses_tensor_cores();
  }));
  append_times(columns, lists);
  // Counts are of distinct short kernel names.
  columns.push_back(integer_column("kernels", "Total Kernel Count", Unit::count,
                                   [lists](std::size_t row) { return lists->all(row); }));
  for (const bool tensor_cores : {true, false}) {
    const std::string id = tensor_cores ? "tc_kernel" : "non_tc_kernel";
    const std::string title = tensor_cores ? "TC Kernel" : "Non-TC Kernel";
    columns.push_back(integer_column(
        id + "s", title + " Count", Unit::count,
        [lists, tensor_cores](std::size_t row) { return lists->count(row, tensor_cores); }));
    columns.push_back(text_column(
        id + "_names", title + " Names",
        [lists, tensor_cores](std::size_t row) { return lists->names(row, tensor_cores); }));
  }
  return table;
}

}  // namespace dlview::report::dlprof
