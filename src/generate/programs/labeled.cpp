#include "generate/programs/labeled.h"

#include <array>

#include "generate/programs/others.h"
#include "generate/random.h"

namespace dlview::generate::programs {
namespace {

constexpr std::string_view kNamed = "Each step has a range whose name means a step.";
constexpr std::string_view kAnother = "The main thread runs the steps; other threads support them.";
constexpr std::string_view kInside =
    "A range that runs several times per step, or contains several steps, is not a step.";
constexpr std::string_view kAsItIs =
    "Irregular or truncated steps are still steps. Steps begun before the capture do not count.";
constexpr std::string_view kUnnamed =
    "Without ranges around steps, the best marker is what runs once per step.";
constexpr std::string_view kNoSteps =
    "Nothing here repeats like a step, and one iteration is better than a wrong split.";

template <Training training>
Program play_as(uint64_t seed) {
  Training seeded = training;
  seeded.seed = seed;
  return play(seeded);
}

using enum StepNames;
using enum Loading;

constexpr std::array kPrograms{
    // Names of steps.
    LabeledProgram{"steps", kNamed, play_as<Training{}>},
    LabeledProgram{"iters", kNamed, play_as<Training{.names = iter_n}>},
    LabeledProgram{"iterations", kNamed, play_as<Training{.names = iteration_n}>},
    LabeledProgram{"train_steps", kNamed, play_as<Training{.names = train_step}>},
    LabeledProgram{"profiler_steps", kNamed, play_as<Training{.names = profiler_step_n}>},
    LabeledProgram{"unnumbered_steps", kNamed, play_as<Training{.names = step}>},
    LabeledProgram{"batches", kNamed, play_as<Training{.names = batch_n}>},
    LabeledProgram{"steps_from_to", kNamed, play_as<Training{.names = step_a_to_b}>},
    LabeledProgram{"few_steps", kNamed, play_as<Training{.steps = 5}>},
    LabeledProgram{"many_steps", kNamed, play_as<Training{.steps = 150, .layers = 3}>},
    // Other threads and libraries.
    LabeledProgram{"dali", kAnother, play_as<Training{.names = step, .loading = dali}>},
    LabeledProgram{"dali_numbered", kAnother, play_as<Training{.loading = dali}>},
    LabeledProgram{"dali_pairs", kAnother, play_as<Training{.loading = dali, .in_pairs = true}>},
    LabeledProgram{"pin_memory", kAnother,
                   play_as<Training{.loading = pin_memory_thread, .loading_percent = 300}>},
    LabeledProgram{"next_batch", kAnother,
                   play_as<Training{.names = train_step, .has_next_batch = true}>},
    LabeledProgram{"fusions", kAnother, play_as<Training{.names = step, .has_fusions = true}>},
    LabeledProgram{"fusions_and_dali", kAnother,
                   play_as<Training{.loading = dali, .has_fusions = true, .processes = 2}>},
    LabeledProgram{"all_reduces", kAnother, play_as<Training{.names = train_step, .processes = 2}>},
    LabeledProgram{"four_processes", kAnother,
                   play_as<Training{.steps = 20, .layers = 4, .processes = 4}>},
    // Around and inside steps.
    LabeledProgram{"layers", kInside, play_as<Training{.names = step, .has_layers = true}>},
    LabeledProgram{"many_layers", kInside,
                   play_as<Training{.names = train_step, .layers = 24, .has_layers = true}>},
    LabeledProgram{"phases", kInside, play_as<Training{.has_phases = true}>},
    LabeledProgram{"ops", kInside, play_as<Training{.names = step, .has_ops = true}>},
    LabeledProgram{
        "all_ranges", kInside,
        play_as<Training{
            .names = iteration_n, .has_phases = true, .has_layers = true, .has_ops = true}>},
    LabeledProgram{"accumulation", kInside, play_as<Training{.layers = 4, .micro_batches = 4}>},
    LabeledProgram{"accumulation_unnumbered", kInside,
                   play_as<Training{.names = step, .layers = 4, .micro_batches = 8}>},
    LabeledProgram{"warm_up", kInside, play_as<Training{.warm_up_steps = 5}>},
    LabeledProgram{"epochs", kInside, play_as<Training{.steps = 40, .epochs = 4}>},
    LabeledProgram{"epochs_of_unnumbered_steps", kInside,
                   play_as<Training{.steps = 36, .names = train_step, .epochs = 6}>},
    LabeledProgram{
        "epochs_with_evaluation", kInside,
        play_as<Training{.steps = 30, .names = train_step, .epochs = 3, .evaluation_steps = 5}>},
    LabeledProgram{"evaluation_behind", kInside, play_as<Training{.evaluation_steps = 10}>},
    LabeledProgram{"checkpoints", kInside, play_as<Training{.checkpoint_every = 8}>},
    LabeledProgram{"inference", kInside,
                   play_as<Training{.names = batch_n, .is_inference = true, .has_layers = true}>},
    LabeledProgram{"blocks", kInside,
                   play_as<Training{.names = work_n, .layers = 12, .has_blocks = true}>},
    LabeledProgram{
        "inference_through_blocks", kInside,
        play_as<Training{.names = work_n, .layers = 24, .is_inference = true, .has_blocks = true}>},
    LabeledProgram{"scheduler", kAnother,
                   play_as<Training{.names = work_n, .has_scheduler = true}>},
    LabeledProgram{"three_steps", kNamed, play_as<Training{.steps = 3, .evaluation_steps = 2}>},
    LabeledProgram{"work", kNamed, play_as<Training{.names = work_n}>},
    // Steps that are not alike.
    LabeledProgram{"shapes_vary", kAsItIs, play_as<Training{.names = work_n, .variants = 3}>},
    LabeledProgram{"pairs", kAsItIs, play_as<Training{.in_pairs = true}>},
    LabeledProgram{"pairs_unnumbered", kAsItIs,
                   play_as<Training{.names = train_step, .in_pairs = true}>},
    LabeledProgram{"waits_for_data", kAsItIs, play_as<Training{.loading_percent = 900}>},
    LabeledProgram{"runs_ahead", kAsItIs, play_as<Training{.runs_ahead = true}>},
    LabeledProgram{"runs_ahead_unnumbered", kAsItIs,
                   play_as<Training{.names = step, .runs_ahead = true}>},
    LabeledProgram{"starts_inside", kAsItIs, play_as<Training{.starts_inside = true}>},
    LabeledProgram{"ends_inside", kAsItIs, play_as<Training{.ends_inside = true}>},
    LabeledProgram{
        "starts_and_ends_inside", kAsItIs,
        play_as<Training{
            .steps = 50, .names = train_step, .starts_inside = true, .ends_inside = true}>},
    // No ranges around steps.
    LabeledProgram{"only_phases", kUnnamed,
                   play_as<Training{.names = StepNames::none, .has_phases = true}>},
    LabeledProgram{"only_ops", kUnnamed,
                   play_as<Training{.names = StepNames::none, .has_ops = true}>},
    LabeledProgram{
        "only_phases_and_layers", kUnnamed,
        play_as<Training{.names = StepNames::none, .has_phases = true, .has_layers = true}>},
    LabeledProgram{"server", kUnnamed, [](uint64_t seed) { return play_server(seed, 60); }},
    // No steps.
    LabeledProgram{"one_pass", kNoSteps, [](uint64_t seed) { return play_one_pass(seed, 32); }},
    LabeledProgram{"loading", kNoSteps, [](uint64_t seed) { return play_loading(seed, 120); }},
    LabeledProgram{"tuning", kNoSteps, [](uint64_t seed) { return play_tuning(seed, 80); }},
    LabeledProgram{"mixture", kNoSteps, [](uint64_t seed) { return play_mixture(seed, 900); }},
};

Program random_other(Random& random) {
  const auto seed = static_cast<uint64_t>(random.below(INT64_MAX));
  switch (random.below(5)) {
    case 0:
      return play_one_pass(seed, random.between(6, 60));
    case 1:
      return play_loading(seed, random.between(20, 300));
    case 2:
      return play_tuning(seed, random.between(20, 200));
    case 3:
      return play_mixture(seed, random.between(200, 3'000));
    default:
      return play_server(seed, random.between(20, 150));
  }
}

}  // namespace

std::span<const LabeledProgram> labeled_programs() {
  return kPrograms;
}

Program random_program(uint64_t seed) {
  Random random(seed);
  if (random.below(7) == 0) return random_other(random);
  const auto in_a_hundred = [&random](int64_t percent) { return random.below(100) < percent; };
  Training training;
  training.seed = seed;
  training.steps = random.between(3, 60);
  training.names = static_cast<StepNames>(random.below(10));
  training.layers = random.between(2, 14);
  if (in_a_hundred(20)) training.micro_batches = random.between(2, 6);
  if (in_a_hundred(20)) training.warm_up_steps = random.between(1, 6);
  if (in_a_hundred(20)) training.epochs = random.between(2, 5);
  if (in_a_hundred(20)) training.evaluation_steps = random.between(2, 8);
  if (in_a_hundred(20)) training.checkpoint_every = random.between(3, 15);
  training.loading = static_cast<Loading>(random.below(3));
  training.loading_percent = random.between(0, 60);
  if (in_a_hundred(15)) training.loading_percent = random.between(200, 900);
  training.in_pairs = in_a_hundred(12);
  training.runs_ahead = in_a_hundred(15);
  training.is_inference = in_a_hundred(15);
  training.has_phases = in_a_hundred(45);
  training.has_layers = in_a_hundred(40);
  training.has_blocks = in_a_hundred(25);
  training.has_ops = in_a_hundred(35);
  training.has_scheduler = in_a_hundred(10);
  if (in_a_hundred(15)) training.variants = random.between(2, 3);
  training.has_fusions = in_a_hundred(25);
  training.has_next_batch = in_a_hundred(25);
  if (in_a_hundred(25)) training.processes = random.between(2, 4);
  const bool may_be_cut = training.processes == 1 && training.steps >= 10;
  training.starts_inside = may_be_cut && in_a_hundred(15);
  training.ends_inside = may_be_cut && in_a_hundred(15);
  if (training.names == StepNames::none) {
    // What a person would choose is clear where all steps are alike and something runs once in
    // each.
    training.has_phases = training.has_phases || !training.has_ops;
    training.micro_batches = 1;
    training.warm_up_steps = training.evaluation_steps = 0;
    training.starts_inside = training.ends_inside = false;
  }
  return play(training);
}

}  // namespace dlview::generate::programs
