#include "aggregate/limits/op_work.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "aggregate/limits/read_call.h"

namespace dlview::aggregate {
namespace {

bool is_communication_name(std::string_view name) {
  return name.starts_with("nccl:") || name.starts_with("c10d::") ||
         name.starts_with("_c10d_functional") || name == "record_param_comms";
}

// "aten::add_" -> "add", in place.
void read_name(std::string_view name, ReadCall& call) {
  call.is_aten = name.starts_with("aten::");
  const std::size_t scope = name.rfind("::");
  if (scope != std::string_view::npos) name.remove_prefix(scope + 2);
  if (const std::size_t overload = name.find('.'); overload != std::string_view::npos) {
    name = name.substr(0, overload);
  }
  if (name.size() > 1 && name.ends_with('_') && !name.ends_with("__")) {
    name.remove_suffix(1);
    call.is_in_place = true;
  }
  call.name = std::string(name);
  std::ranges::transform(call.name, call.name.begin(),
                         [](unsigned char c) { return std::tolower(c); });
}

}  // namespace

OpWork unknown_work(std::string why) {
  OpWork work;
  work.why_unknown = std::move(why);
  return work;
}

void set_work(OpWork& work, Amount flops, std::optional<Amount> bytes) {
  work.flops = flops.value();
  if (bytes) work.bytes = bytes->value();
  if (!work.flops || (bytes && !work.bytes)) work.why_unknown = "Shapes too large";
}

std::string_view to_text(WorkKind kind) {
  switch (kind) {
    case WorkKind::gemm:
      return "GEMM";
    case WorkKind::convolution:
      return "convolution";
    case WorkKind::attention:
      return "attention";
    case WorkKind::normalization:
      return "normalization";
    case WorkKind::softmax:
      return "softmax";
    case WorkKind::elementwise:
      return "elementwise";
    case WorkKind::copy:
      return "copy";
    case WorkKind::pooling:
      return "pooling";
    case WorkKind::reduction:
      return "reduction";
    case WorkKind::gather:
      return "gather";
    case WorkKind::optimizer:
      return "optimizer";
    case WorkKind::unknown:
      break;
  }
  return "unknown";
}

OpWork work_of(const OpCall& call) {
  if (is_communication_name(call.name)) return unknown_work("Moves data between GPUs");
  ReadCall read;
  read_name(call.name, read);
  read.is_backward = call.is_backward;
  auto inputs = read_shapes(call.input_shapes);
  if (!inputs || inputs->empty()) return unknown_work("Input shapes not recorded");
  read.inputs = *std::move(inputs);
  read.outputs = read_shapes(call.output_shapes);
  read.types = read_texts(call.input_types);
  read.parameters = read_texts(call.parameters);
  read.data_bytes = profile::bytes_of_data_type(call.data_type);
  if (auto work = product_work(read)) return *std::move(work);
  // Gradients of other ops of DLProf pass over other tensors than the forward op.
  if (read.is_backward && !read.is_aten) return unknown_work("No formula for the backward pass");
  return pass_over_work(read);
}

std::optional<ConvolutionSizes> convolution_sizes(const OpCall& call) {
  ReadCall read;
  read_name(call.name, read);
  if (read.name.find("conv") == std::string::npos) return std::nullopt;
  auto inputs = read_shapes(call.input_shapes);
  if (!inputs) return std::nullopt;
  read.inputs = *std::move(inputs);
  return convolution_sizes(read);
}

}  // namespace dlview::aggregate
