#include "import/pytorch/event_category.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace dlview::import::pytorch {
namespace {

struct NameOfCategory {
  std::string_view name;
  EventCategory category;
  std::string_view title = {};  // of events that are not shown
};

constexpr NameOfCategory kNamesOfCategories[] = {
    {"cpu_op", EventCategory::operation},
    {"Operator", EventCategory::operation},
    {"python_function", EventCategory::frame},
    {"cuda_runtime", EventCategory::runtime_call},
    {"Runtime", EventCategory::runtime_call},
    {"kernel", EventCategory::kernel},
    {"Kernel", EventCategory::kernel},
    {"cpu_instant_event", EventCategory::instant},
    {"user_annotation", EventCategory::annotation},
    {"gpu_memcpy", EventCategory::memcpy},
    {"Memcpy", EventCategory::memcpy},
    {"gpu_memset", EventCategory::memset},
    {"Memset", EventCategory::memset},
    {"cuda_driver", EventCategory::driver_call},
    {"cuda_sync", EventCategory::sync},
    {"xpu_runtime", EventCategory::runtime_call},
    {"xpu_driver", EventCategory::driver_call},
    {"mtia_runtime", EventCategory::runtime_call},
    {"privateuse1_runtime", EventCategory::runtime_call},
    {"privateuse1_driver", EventCategory::driver_call},
    {"mtia_ccp_events", EventCategory::mtia_work},
    {"gpu_user_annotation", EventCategory::skipped, "Annotations on GPU streams"},
    {"overhead", EventCategory::overhead},
    {"cuda_event", EventCategory::sync},
    {"cuda_profiler_range", EventCategory::skipped, "Ranges of hardware counters"},
    {"collective_comm", EventCategory::skipped, "Parts of collectives"},
    {"xpu_sync", EventCategory::sync},
    {"xpu_scope_profiler", EventCategory::skipped, "Metrics of XPU kernels"},
    {"hardware_counters", EventCategory::skipped, "Hardware counters"},
    {"Trace", EventCategory::trace},
};

// MTIA's queues also have events that record and wait: these do no work.
EventCategory mtia_category(std::string_view name) {
  if (name == "event_record" || name == "event_wait") return EventCategory::sync;
  return equals(name, "dma_request") ? EventCategory::memcpy : EventCategory::kernel;
}

}  // namespace

EventCategory category_of(const RawEvent& event) {
  if (!event.category.is_text() || event.category.raw.empty()) {
    // The old autograd profiler names no categories.
    return equals(event.process.raw, "CUDA functions") ? EventCategory::kernel
                                                       : EventCategory::none;
  }
  const auto* const found =
      std::ranges::find(kNamesOfCategories, event.category.raw, &NameOfCategory::name);
  if (found == std::end(kNamesOfCategories)) return EventCategory::unknown;
  return found->category == EventCategory::mtia_work ? mtia_category(event.name.raw)
                                                     : found->category;
}

std::string_view title_of_skipped(std::string_view category) {
  const auto* const found = std::ranges::find(kNamesOfCategories, category, &NameOfCategory::name);
  return found == std::end(kNamesOfCategories) ? std::string_view() : found->title;
}

bool is_gpu_work(EventCategory category) {
  return category == EventCategory::kernel || category == EventCategory::memcpy ||
         category == EventCategory::memset;
}

}  // namespace dlview::import::pytorch
