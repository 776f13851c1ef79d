// The synthetic training run: plays the network on the recorder, iteration by iteration.
#pragma once

#include "base/progress.h"
#include "base/result.h"
#include "generate/pytorch.h"
#include "generate/pytorch/event_writer.h"

namespace dlview::generate::pytorch {

// An Error when the run needs more kernels than there are. Writes the events between begin_file and
// end_file; a canceled run ends early.
base::Result<PytorchTruth> play_training(const PytorchOptions& options, TraceFile& file,
                                         const EventWriter::Header& header,
                                         const EventWriter::Header& trailer,
                                         base::Progress& progress);

}  // namespace dlview::generate::pytorch
