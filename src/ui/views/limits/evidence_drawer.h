// The drawer below the plots of Limits: the evidence of the selected row, and what to do with it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "ui/views/limits/evidence.h"
#include "ui/widgets/canvas.h"

namespace dlview::ui {

class EvidenceDrawer {
 public:
  enum class Action : uint8_t { none, close, open, timeline, pin, unpin, copy_shapes };
  // Fills the box.
  Action draw(Frame& frame, const Box& box, const std::shared_ptr<const LimitData>& data,
              uint32_t row, report::LimitRule rule, bool is_pinned);

 private:
  std::shared_ptr<const LimitData> prepared_for_;
  std::optional<std::pair<uint32_t, report::LimitRule>> prepared_row_;
  LimitEvidencePage page_;
};

}  // namespace dlview::ui
