#include "generate/dlprof/facts.h"

namespace dlview::generate {

profile::SystemFacts dlprof_facts() {
  profile::SystemFacts facts;
  facts.gpu_count = "1";
  facts.cpu_model = "AMD EPYC 7742 64-Core Processor";
  facts.driver_version = "470.82.01";
  facts.framework = "PyTorch 1.11.0";
  facts.cuda_version = "11.5";
  facts.cudnn_version = "8.3.1";
  facts.nsys_version = "2021.5.2.53";
  facts.dlprof_version = "v1.8.0";
  facts.dlprof_build = "dlview";
  facts.mode_enum = 4;
  facts.mode = "pytorch";
  facts.database_version = facts.original_database_version = "1.8.0";
  return facts;
}

}  // namespace dlview::generate
