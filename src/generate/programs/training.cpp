#include "generate/programs/training.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "generate/programs/machine.h"

namespace dlview::generate::programs {
namespace {

constexpr int64_t kFirstProcess = 4021, kStartNs = 40'000'000;
constexpr Copy kScalar{4, kToHost, false};

constexpr Kernel kGemm{"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_nn",
                       "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_nn", 85'000};
constexpr std::array<Kernel, 3> kGemms{
    kGemm,
    Kernel{"ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8_f2f_stages_64x5_nn",
           "ampere_fp16_s16816gemm_fp16_64x64_sliced1x2_ldg8_f2f_stages_64x5_nn", 70'000},
    Kernel{"ampere_fp16_s16816gemm_fp16_256x64_ldg8_f2f_stages_64x3_nn",
           "ampere_fp16_s16816gemm_fp16_256x64_ldg8_f2f_stages_64x3_nn", 110'000}};
constexpr Kernel kGemmOfWeights{"ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nt",
                                "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nt",
                                95'000};
constexpr Kernel kActivation{
    "vectorized_elementwise_kernel",
    "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(float)>",
    14'000};
constexpr Kernel kNorm{
    "vectorized_layer_norm_kernel",
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>", 17'000};
constexpr Kernel kEmbedding{"indexSelectLargeIndex",
                            "void at::native::(anonymous namespace)::indexSelectLargeIndex<float>",
                            21'000};
constexpr Kernel kLoss{"nll_loss_forward_reduce_cuda_kernel_2d",
                       "void at::native::nll_loss_forward_reduce_cuda_kernel_2d<float>", 6'000};
constexpr Kernel kUpdate{"multi_tensor_apply_kernel",
                         "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<Adam>",
                         60'000};
constexpr Kernel kFill{"vectorized_elementwise_kernel",
                       "void at::native::vectorized_elementwise_kernel<4, "
                       "at::native::FillFunctor<float>>",
                       3'000};
constexpr Kernel kAllReduce{"ncclDevKernel_AllReduce_Sum_f16_RING_LL",
                            "ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevKernelArgsStorage)",
                            120'000};
constexpr Kernel kFused{"nvfuser_pointwise", "CudaCodeGen::kernel3(CudaCodeGen::Tensor<float, 3>)",
                        18'000};
constexpr Kernel kDecode{"ResizeKernel", "void dali::kernels::ResizeKernel<float>", 9'000};

std::string step_text(StepNames names, int64_t n) {
  switch (names) {
    case StepNames::step_n:
      return fmt::format("step {}", n);
    case StepNames::iter_n:
      return fmt::format("iter {}", n);
    case StepNames::iteration_n:
      return fmt::format("Iteration {}", n);
    case StepNames::train_step:
      return "train_step";
    case StepNames::profiler_step_n:
      return fmt::format("ProfilerStep#{}", n);
    case StepNames::step:
      return "step";
    case StepNames::batch_n:
      return fmt::format("batch {}", n);
    case StepNames::step_a_to_b:
      return fmt::format("Step {} to {}", n, n + 1);
    case StepNames::work_n:
      return fmt::format("work {}", n);
    case StepNames::none:
      break;
  }
  return {};
}

// How dlview shows it: without the numbers.
std::string marker_of(StepNames names) {
  constexpr std::array<std::string_view, 9> kMarkers{
      "step", "iter", "Iteration", "train_step", "ProfilerStep", "step", "batch", "Step", "work"};
  return std::string(kMarkers[static_cast<std::size_t>(names)]);
}

// One process with its GPU.
class Worker {
 public:
  Worker(const Training& training, Machine& machine, int64_t process)
      : training_(training),
        machine_(machine),
        main_(machine, process, process, "python", kStartNs),
        autograd_(machine, process, process + 61, "pt_autograd_0", kStartNs),
        loader_(machine, process, process + 33,
                training.loading == Loading::dali ? "dali_reader" : "pt_pin_memory", kStartNs) {
    compute_.device = communication_.device = decoding_.device = machine.add_device();
    communication_.id = 20;
    decoding_.id = 30;
  }

  void play() {
    set_up();
    for (int64_t i = 0; i < training_.warm_up_steps; ++i) {
      main_.range(fmt::format("Warm-up Step {}", i), [&] { step_inside(); });
    }
    if (training_.epochs == 0) {
      play_steps(0, training_.steps);
      evaluate();
    }
    for (int64_t epoch = 0; epoch < training_.epochs; ++epoch) {
      main_.range(fmt::format("epoch {}", epoch), [&] {
        play_steps(training_.steps * epoch / training_.epochs,
                   training_.steps * (epoch + 1) / training_.epochs);
        evaluate();
      });
    }
    main_.synchronize(compute_);
  }

  // When each step began on the host.
  const std::vector<int64_t>& starts_ns() const { return starts_ns_; }

 private:
  void set_up() {
    main_.run(20'000'000);
    for (int64_t i = 0; i < training_.layers * 2; ++i) {
      main_.copy({machine_.random().between(100'000, 4'000'000), kToGpu, false}, compute_);
      main_.launch(kFill, compute_);
    }
    main_.synchronize(compute_);
    main_.run(5'000'000);
  }

  void play_steps(int64_t first, int64_t end) {
    for (int64_t n = first; n < end; ++n) {
      const bool waits = !training_.in_pairs || n % 2 == 0;
      if (waits) next_batch();
      starts_ns_.push_back(main_.now_ns());
      main_.range_if(training_.names != StepNames::none, step_text(training_.names, n),
                     [&] { step_inside(); });
      if (training_.checkpoint_every > 0 && (n + 1) % training_.checkpoint_every == 0) checkpoint();
    }
  }

  // About what the GPU has to do in a step.
  int64_t step_ns() const {
    const int64_t pass = training_.layers * (kGemm.ns + kActivation.ns + kNorm.ns);
    return pass * (training_.is_inference ? 1 : 3) * training_.micro_batches + 4 * kUpdate.ns;
  }

  void next_batch() {
    const int64_t percent = training_.in_pairs ? 800 : training_.loading_percent;
    const auto wait = [&] {
      const int64_t ns = step_ns() * percent / 100;
      if (training_.loading == Loading::on_main_thread) {
        main_.run(ns, 40);
        return;
      }
      load_beside(ns);
      main_.wait_until(loader_.now_ns());
    };
    main_.range_if(training_.has_next_batch,
                   "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", wait);
  }

  void load_beside(int64_t ns) {
    loader_.wait_until(main_.now_ns() - step_ns() / 2);
    if (training_.loading == Loading::pin_memory_thread) {
      loader_.run(step_ns() / 2 + ns, 20);
      return;
    }
    // DALI reads ahead, more often than there are steps, and decodes on the GPU.
    for (int i = 0; i < 2; ++i) {
      loader_.range(fmt::format("[DALI][DataReader] Prefetch #{}", 0),
                    [&] { loader_.run(step_ns() / 5 + ns / 4, 30); });
      loader_.range("[DALI][Executor] RunGPU", [&] {
        loader_.copy({2'000'000, kToGpu, true}, decoding_);
        loader_.launch(kDecode, decoding_);
      });
    }
  }

  void step_inside() {
    gemm_ = kGemms[static_cast<std::size_t>(machine_.random().below(training_.variants))];
    main_.copy({3'000'000, kToGpu, training_.loading != Loading::on_main_thread}, compute_);
    for (int64_t i = 0; i < training_.micro_batches; ++i) {
      main_.range_if(training_.micro_batches > 1, fmt::format("micro-batch {}", i), [&] {
        forward();
        if (!training_.is_inference) backward();
      });
    }
    if (!training_.is_inference) optimize();
    if (!training_.runs_ahead) main_.copy(kScalar, compute_);  // loss.item()
  }

  void forward() {
    main_.range_if(training_.has_phases, "forward", [&] {
      op(main_, "aten::embedding", {kEmbedding});
      for (int64_t layer = 0; layer < training_.layers; ++layer) {
        main_.range_if(training_.has_layers, fmt::format("layer {}", layer), [&] {
          main_.range_if(training_.has_blocks, "TransformerBlock", [&] {
            op(main_, "aten::linear", {gemm_});
            fuse(main_);
            op(main_, "aten::gelu", {kActivation});
            op(main_, "aten::layer_norm", {kNorm});
          });
        });
      }
      op(main_, "aten::nll_loss", {kLoss});
    });
  }

  // On the thread of autograd, for which the main thread waits.
  void backward() {
    main_.range_if(training_.has_phases, "backward", [&] {
      main_.run(8'000);
      autograd_.wait_until(main_.now_ns());
      int64_t seq = seq_;
      const auto back = [&](std::string_view name, std::initializer_list<Kernel> kernels) {
        autograd_.range_if(training_.has_ops, fmt::format("{}, seq = {}", name, --seq), [&] {
          for (const Kernel& kernel : kernels) autograd_.launch(kernel, compute_);
        });
      };
      back("NllLossBackward0", {kLoss});
      for (int64_t layer = 0; layer < training_.layers; ++layer) {
        back("NativeLayerNormBackward0", {kNorm});
        back("GeluBackward0", {kActivation});
        fuse(autograd_);
        back("AddmmBackward0", {gemm_, kGemmOfWeights});
        if (layer % 4 == 3) reduce();
      }
      main_.wait_until(autograd_.now_ns());
      main_.run(6'000);
    });
  }

  // Starts when all before it has been computed.
  void reduce() {
    if (training_.processes == 1) return;
    autograd_.range("ncclAllReduce", [&] {
      communication_.free_ns = std::max(communication_.free_ns, compute_.free_ns);
      autograd_.launch(kAllReduce, communication_);
    });
  }

  void optimize() {
    compute_.free_ns = std::max(compute_.free_ns, communication_.free_ns);
    main_.range_if(training_.has_phases, "optimizer", [&] {
      for (int64_t i = 0; i < 4; ++i) op(main_, "aten::_foreach_add_", {kUpdate});
      op(main_, "aten::zero_", {kFill});
    });
  }

  void fuse(Host& host) {
    if (!training_.has_fusions) return;
    host.range("/nvFuser::Manager::runCudaFusionGroup", [&] { host.launch(kFused, compute_); });
  }

  void op(Host& host, std::string_view name, std::initializer_list<Kernel> kernels) {
    host.run(6'000, 60);
    host.range_if(training_.has_ops, fmt::format("{}, seq = {}", name, seq_++), [&] {
      for (const Kernel& kernel : kernels) host.launch(kernel, compute_);
    });
  }

  void evaluate() {
    for (int64_t i = 0; i < training_.evaluation_steps; ++i) {
      next_batch();
      main_.range("evaluate", [&] {
        main_.copy({3'000'000, kToGpu, false}, compute_);
        forward();
        main_.copy(kScalar, compute_);
      });
    }
  }

  void checkpoint() {
    main_.range("save_checkpoint", [&] {
      for (int64_t i = 0; i < training_.layers; ++i)
        main_.copy({4'000'000, kToHost, false}, compute_);
      main_.run(step_ns() * 6, 20);
    });
  }

  const Training& training_;
  Machine& machine_;
  Host main_, autograd_, loader_;
  Stream compute_, communication_, decoding_;
  Kernel gemm_ = kGemms[0];
  int64_t seq_ = 0;
  std::vector<int64_t> starts_ns_;
};

// Truncates the capture inside a step of its first or last fifth; counts the remaining starts.
void cut_off(const Training& training, const std::vector<int64_t>& starts_ns, Machine& machine,
             Program& program) {
  const int64_t last = std::ssize(starts_ns) - 1;
  int64_t first = 0, from_ns = 0, end = last + 1, to_ns = INT64_MAX;
  const auto inside = [&](int64_t step) {
    const int64_t start = starts_ns[static_cast<std::size_t>(step)];
    const int64_t length = starts_ns[static_cast<std::size_t>(step + 1)] - start;
    return start + length * machine.random().between(25, 75) / 100;
  };
  if (training.starts_inside) {
    const int64_t step = machine.random().between(0, last / 5);
    from_ns = inside(step);
    first = step + 1;
  }
  if (training.ends_inside) {
    const int64_t step = machine.random().between(last - 1 - last / 5, last - 1);
    to_ns = inside(step);
    end = step + 1;
  }
  if (from_ns > 0 || to_ns < INT64_MAX) machine.capture().keep(from_ns, to_ns);
  program.label.iterations = end - first;
}

// A process that hands out steps, as servers have one: it launches nothing.
void schedule(const std::vector<int64_t>& starts_ns, Machine& machine) {
  Host scheduler(machine, kFirstProcess - 100, kFirstProcess - 100, "scheduler", kStartNs);
  for (const int64_t start_ns : starts_ns) {
    scheduler.wait_until(start_ns - 60'000);
    scheduler.range("schedule", [&] { scheduler.run(40'000, 20); });
  }
}

}  // namespace

Program play(const Training& training) {
  Machine machine(training.seed);
  std::vector<std::unique_ptr<Worker>> workers;
  for (int64_t i = 0; i < training.processes; ++i) {
    workers.push_back(std::make_unique<Worker>(training, machine, kFirstProcess + 300 * i));
    workers.back()->play();
  }
  if (training.has_scheduler) schedule(workers.front()->starts_ns(), machine);
  Program program;
  cut_off(training, workers.front()->starts_ns(), machine, program);
  if (training.names != StepNames::none) {
    program.label.markers = {marker_of(training.names)};
  } else if (training.has_phases) {
    program.label.markers = {"forward"};
  }
  program.capture = std::move(machine.capture());
  return program;
}

}  // namespace dlview::generate::programs
