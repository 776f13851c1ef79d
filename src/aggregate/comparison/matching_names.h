// What names of ops and kernels of two runs have in common.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlview::aggregate {

// "/blocks.22.attn/linear" -> "/blocks.#.attn/linear": numbers between separators.
std::string without_running_numbers(std::string_view path);

// Of such a path: "/layer_#" -> "/layer", "/blocks.#.attn" -> "/blocks.attn".
std::string without_number_places(std::string_view path);

// The words of a name between separators, sorted, each once.
std::vector<std::string> words_of(std::string_view name);
// The words that both have, of all words, 0..1.
double shared_words(const std::vector<std::string>& a, const std::vector<std::string>& b);

// What tuned variants of a kernel share: "ampere_sgemm_128x64_tn" and "sm80_xmma_gemm_f32_..." lose
// architecture, tile sizes, types and template arguments.
std::string kernel_family(std::string_view name);

}  // namespace dlview::aggregate
