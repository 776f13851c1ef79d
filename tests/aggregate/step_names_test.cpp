#include "aggregate/step_names.h"

#include <gtest/gtest.h>

namespace dlview::aggregate {
namespace {

TEST(StepNames, RecognizeNamesOfSteps) {
  for (const char* name : {"step", "Step", "train_step", "trainStep", "ProfilerStep", "Iteration",
                           "iter", "batch", "mini-batch", "Training step", "run_training_batch",
                           "[pl][profile]run_training_batch", "DDPStep", "step_fn", "batch_idx",
                           "TSL:XlaModule:#hlo_module=pjit__train_step,program_id=11#"}) {
    EXPECT_TRUE(names_step(name)) << name;
  }
  for (const char* name : {"optimizer.step", "Optimizer.step#Adam.step", "lr_scheduler.step",
                           "data copy", "BatchNorm", "batch_norm", "micro-batch", "eval_step",
                           "to_batch", "model.step", "stepper", "forward", "", "1 2 3"}) {
    EXPECT_FALSE(names_step(name)) << name;
  }
}

TEST(StepNames, RecognizeNamesOfDataLoaders) {
  EXPECT_TRUE(brings_data("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"));
  EXPECT_TRUE(brings_data("[DALI][DataReader] Prefetch #0"));
  EXPECT_TRUE(brings_data("get_batch"));
  EXPECT_TRUE(brings_data("data_fetch"));
  EXPECT_TRUE(brings_data("IteratorGetNext"));
  EXPECT_FALSE(brings_data("train_step"));
  EXPECT_FALSE(brings_data("load_state_dict"));
}

TEST(StepNames, OfSideWorkAreThoseOfCheckpointsAndEvaluation) {
  EXPECT_TRUE(is_side_work("save_checkpoint"));
  EXPECT_TRUE(is_side_work("Validation"));
  EXPECT_FALSE(is_side_work("forward"));
  EXPECT_FALSE(is_side_work("logits"));
}

TEST(StepNames, PathsLoseTheirEpochs) {
  EXPECT_EQ(without_epochs("/train/epoch/step", "/train/epoch/step"), "/train/step");
  EXPECT_EQ(without_epochs("/val_epoch/step", "/val_epoch/step"), "/val_epoch/step");
  EXPECT_EQ(without_epochs("/Epoch 3/step", "/Epoch 3/step"), "/step");
  EXPECT_EQ(without_epochs("/epoch", "/epoch"), "/epoch");
  EXPECT_EQ(without_epochs("/step", "/step"), "/step");
  EXPECT_EQ(without_epochs("/a/epoch/step", "/a\\epoch/step"), "/a/epoch/step");
}

}  // namespace
}  // namespace dlview::aggregate
