#include "ui/lack_text.h"

#include <fmt/format.h>

namespace dlview::ui {
namespace {

std::string_view subject(profile::Evidence evidence) {
  switch (evidence) {
    case profile::Evidence::gpu_work:
      return "GPU work";
    case profile::Evidence::api_calls:
      return "CUDA API calls";
    case profile::Evidence::ranges:
      return "NVTX ranges";
    case profile::Evidence::data_loader:
      return "Data loader";
  }
  return "";
}

}  // namespace

std::string lack_text(const profile::Profile& profile, profile::Evidence evidence) {
  const profile::NotRecorded* lack = profile::find_lack(profile, evidence);
  return lack == nullptr ? "" : fmt::format("{} not recorded: {}", subject(evidence), lack->remedy);
}

}  // namespace dlview::ui
