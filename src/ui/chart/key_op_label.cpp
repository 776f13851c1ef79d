#include "ui/chart/key_op_label.h"

namespace dlview::ui {

profile::Row find_op(const profile::Profile& profile, std::string_view id_or_name) {
  profile::Row named = profile::kNoRow;
  for (profile::Row op = 0; op < profile.ops.size(); ++op) {
    if (profile.text(profile.ops.id[op]) == id_or_name) return op;
    if (named == profile::kNoRow && profile.text(profile.ops.name[op]) == id_or_name) named = op;
  }
  return named;
}

std::string key_op_label(const profile::Profile& profile, std::string_view key_op) {
  const profile::Row op = key_op.empty() ? profile::kNoRow : find_op(profile, key_op);
  return std::string(op == profile::kNoRow ? key_op : profile.text(profile.ops.name[op]));
}

}  // namespace dlview::ui
