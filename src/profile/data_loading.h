// Detects the loading of a run's input data.
#pragma once

#include <string_view>

#include "profile/profile.h"

namespace dlview::profile {

// The type of ops that load data, as DLProf names it: their time counts as data loader.
inline constexpr std::string_view kDataLoaderOpType = "DataLoader";

// Returns whether PyTorch gives this name to a range in which a thread takes a batch from its data
// loader or pipe: "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__". Ranges of DALI
// and of prefetching threads do not count: they run in parallel with the steps, and a step may
// never wait for them.
bool is_data_loader_range(std::string_view name);

// Whether the op's time counts as data loader: it is of that type or, in an export or a trace, runs
// inside such a range of PyTorch's. The name of a user's range is not enough for the latter: one
// around the whole step may be called "step with DataLoader".
bool loads_data(const Profile& profile, OpIndex op);

}  // namespace dlview::profile
