// What the seven categories of the breakdown are called, on screen and in inspector names.
#pragma once

#include <string>

#include "aggregate/breakdown.h"

namespace dlview::ui {

std::string category_label(aggregate::Category category);  // "Data loader"
std::string category_id(aggregate::Category category);     // "data_loader"

}  // namespace dlview::ui
