// What a synthetic DLProf database says of its recording.
#pragma once

#include "profile/profile.h"

namespace dlview::generate {

// Versions, and the mode of PyTorch on one GPU. The name of the profile and the command are empty.
profile::SystemFacts dlprof_facts();

}  // namespace dlview::generate
