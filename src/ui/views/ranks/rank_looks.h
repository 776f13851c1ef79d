// How the tables of a run of ranks look.
#pragma once

#include "ui/table/table_data.h"

namespace dlview::ui {

TableLook ranks_look();
TableLook rank_collectives_look();
TableLook rank_ops_look();
TableLook rank_kernels_look();

}  // namespace dlview::ui
