#include "import/dlprof/system_facts.h"

#include <string>
#include <utility>

#include "import/dlprof/dictionary.h"
#include "import/dlprof/errors.h"
#include "import/errors.h"

namespace dlview::import::dlprof {
namespace {

using enum ColumnSpec::Kind;
using profile::SystemFacts;

constexpr const char* kSystem = "A part of the system configuration";
constexpr ColumnSpec kSystemColumns[] = {{"id"},
                                         {"is_valid"},
                                         {"mode_enum", integer, kSystem},
                                         {"num_gpus", text, kSystem},
                                         {"cpu_model", text, kSystem},
                                         {"driver_version", text, kSystem},
                                         {"framework", text, kSystem},
                                         {"cuda_version", text, kSystem},
                                         {"cudnn_version", text, kSystem},
                                         {"nsys_version", text, kSystem},
                                         {"dlprof_version", text, kSystem},
                                         {"dlprof_build", text, kSystem},
                                         {"profile_name", text, kSystem},
                                         {"mode_string", text, kSystem},
                                         {"original_command", text, "Command line of the run"}};
constexpr TableSpec kSystemConfig{"read_only_system_config", kSystemColumns,
                                  "Reading the system configuration"};
// In the order of the text columns above, from the fourth on.
constexpr std::string SystemFacts::*kSystemTexts[] = {
    &SystemFacts::gpu_count,    &SystemFacts::cpu_model,      &SystemFacts::driver_version,
    &SystemFacts::framework,    &SystemFacts::cuda_version,   &SystemFacts::cudnn_version,
    &SystemFacts::nsys_version, &SystemFacts::dlprof_version, &SystemFacts::dlprof_build,
    &SystemFacts::profile_name, &SystemFacts::mode,           &SystemFacts::original_command};
constexpr int kFirstText = 3;

constexpr const char* kModel = "Model configuration (data loader workers, cuDNN benchmark, AMP)";
constexpr ColumnSpec kModelColumns[] = {{"id"},
                                        {"num_workers", integer, kModel},
                                        {"pin_memory", integer, kModel},
                                        {"cudnn_benchmark_disabled", integer, kModel},
                                        {"detect_anomaly", integer, kModel},
                                        {"gradcheck", integer, kModel},
                                        {"gradgradcheck", integer, kModel},
                                        {"autograd_profile", integer, kModel},
                                        {"autograd_set_detect_anomaly", integer, kModel},
                                        {"emit_nvtx", integer, kModel},
                                        {"amp_enabled", integer, kModel}};
constexpr TableSpec kModelConfig{"read_only_model_config", kModelColumns,
                                 "Reading the model configuration", kModel};

constexpr ColumnSpec kDomainColumns[] = {{"id"}, {"domain_name_id"}};
constexpr TableSpec kDomains{"read_only_domains", kDomainColumns, "Reading domains",
                             "Name of the NVTX domain"};

base::Status read_system_config(Context& context) {
  int rows = 0;
  bool is_valid = false;
  base::Status status = for_each_row(context, kSystemConfig, [&](const sqlite::Statement& row) {
    if (++rows > 1) return;
    is_valid = row.integer(1) != 0;
    context.builder.system.mode_enum = row.integer(2);
    int column = kFirstText;
    for (std::string SystemFacts::*text : kSystemTexts) {
      context.builder.system.*text = std::string(row.text(column++));
    }
  });
  if (!status || is_valid) return status;
  return base::Error{"The database has no valid configuration",
                     quoted(context.database.path()) +
                         (rows == 0 ? " has no usable row in read_only_system_config"
                                    : " is marked as invalid by DLProf itself (is_valid = 0)"),
                     kRecordAgain};
}

base::Status read_model_config(Context& context) {
  return for_each_row(context, kModelConfig, [&](const sqlite::Statement& row) {
    if (context.builder.system.model_config) return;
    const auto is_set = [&row](int column) { return row.integer(column) != 0; };
    context.builder.system.model_config = {row.integer(1), is_set(2), is_set(3), is_set(4),
                                           is_set(5),      is_set(6), is_set(7), is_set(8),
                                           is_set(9),      is_set(10)};
  });
}

base::Status read_domains(Context& context) {
  bool is_first = true;
  return for_each_row(context, kDomains, [&](const sqlite::Statement& row) {
    const std::string name = dictionary_text(context.database, row.integer(1)).value_or("");
    if (std::exchange(is_first, false)) {
      if (!name.empty()) context.builder.system.domain = name;
      return;
    }
    context.quality.add(kDomains.name, "more than one NVTX domain; dlview combines their ops",
                        row.integer(0), [&] { return "domain \"" + name + "\""; });
  });
}

}  // namespace

base::Status read_system_facts(Context& context, const Versions& versions) {
  context.builder.system.database_version = versions.current;
  context.builder.system.original_database_version = versions.original;
  for (const auto read : {read_system_config, read_model_config, read_domains}) {
    if (base::Status status = read(context); !status) return status;
  }
  return base::Success{};
}

}  // namespace dlview::import::dlprof
