#include "workspace/frames_reading.h"

#include <utility>

#include "import/pytorch/python_frames.h"

namespace dlview::workspace {

void FramesReading::want(base::Scheduler& scheduler,
                         const std::shared_ptr<const profile::Profile>& profile) {
  if (error_ || frames_ || task_ || profile::python_frame_count(*profile) == 0) return;
  // Somebody waits for it.
  task_ = scheduler.start(base::Arena::interactive, [profile](base::Progress& progress) {
    return import::pytorch::read_python_frames(*profile, progress);
  });
}

void FramesReading::read(base::Scheduler& scheduler,
                         const std::shared_ptr<const profile::Profile>& profile) {
  error_.reset();
  want(scheduler, profile);
}

bool FramesReading::take_news() {
  if (!task_.ended()) return false;
  base::Result<profile::PythonFrames> read = task_.take();
  if (read) {
    frames_ = std::make_shared<const profile::PythonFrames>(*std::move(read));
  } else {
    error_ = read.error();
  }
  return true;
}

void FramesReading::describe(RunModel& model) const {
  model.python_frames = frames_;
  if (task_) model.reading_frames = task_.progress().snapshot();
  model.frames_error = error_;
}

}  // namespace dlview::workspace
