// Whether two texts of advice say the same in other words.
#pragma once

#include <string_view>

namespace dlview::verify {

// The content of a text are its numbers in their order and its names: settings
// ("torch.backends.cudnn.benchmark", "--key_op"), abbreviations ("XLA", "GPUs") and the categories
// of DLProf's breakdown. Links and all other words are wording.
bool has_content(std::string_view text);
bool have_same_content(std::string_view stored, std::string_view recomputed);

}  // namespace dlview::verify
