#include "base/thread_priority.h"

#ifdef __linux__
#include <sched.h>
#endif

namespace dlview::base {

void give_way_to_other_threads() {
#ifdef __linux__
  const sched_param no_priority{};
  sched_setscheduler(0, SCHED_BATCH, &no_priority);  // 0: this thread, not its process
#endif
}

}  // namespace dlview::base
