// FramesReading: reads the Python frames of an open trace from its file, in the background. Main
// thread only; the destructor cancels without waiting.
#pragma once

#include <memory>
#include <optional>

#include "base/progress.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "profile/profile.h"
#include "profile/python_frames.h"
#include "workspace/run_model.h"

namespace dlview::workspace {

class FramesReading {
 public:
  // Begins unless they are there, are being read, or could not be read. Does nothing for a profile
  // without frames.
  void want(base::Scheduler& scheduler, const std::shared_ptr<const profile::Profile>& profile);
  // The same after they could not be read.
  void read(base::Scheduler& scheduler, const std::shared_ptr<const profile::Profile>& profile);
  void cancel() { task_.cancel(); }

  // Takes over what was read, or why nothing was; true when there is something new.
  bool take_news();
  bool busy() const { return static_cast<bool>(task_); }
  void wait() const { task_.wait(); }

  // Null as long as they have not been read.
  const std::shared_ptr<const profile::PythonFrames>& frames() const { return frames_; }
  // Fills the fields of the model about Python frames.
  void describe(RunModel& model) const;

 private:
  base::Task<profile::PythonFrames> task_;
  std::shared_ptr<const profile::PythonFrames> frames_;
  std::optional<base::Error> error_;
};

}  // namespace dlview::workspace
