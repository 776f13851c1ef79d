// Parts that the networks of both frameworks share: copies, all-reduces, texts of shapes.
#pragma once

#include <string>
#include <vector>

#include "generate/demo/layers.h"
#include "generate/demo/op_spec.h"

namespace dlview::generate::demo {

// "[[128,64,56,56],[64,64,3,3]]\n"
std::string shapes_json(const std::vector<std::vector<int64_t>>& shapes);
// As many empty names: "[\"\",\"\"]\n"
std::string names_json(std::size_t count);

void copy_to_device(OpSpec& op, int64_t bytes);
void copy_to_host(OpSpec& op, int64_t bytes);
void clear_memory(OpSpec& op, int64_t bytes);

inline constexpr int64_t kBatchBytes = kBatchSize * 3 * 224 * 224 * 4;
inline constexpr int64_t kBucketBytes = 25 << 20;

// One for every few layers that have weights, from the first one on: where backward ops hand
// gradients over. What is left goes at the end, where nothing hides it.
bool bucket_is_full(std::size_t layers_with_weights);

}  // namespace dlview::generate::demo
