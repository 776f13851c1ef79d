// PythonFrames: the calls of Python functions that the PyTorch profiler recorded `with_stack=True`,
// each with the call around it. No part of the Profile: a file can hold millions, and they are read
// on request. Immutable once built.
//
// Frames come from another clock than ops: a frame may begin or end up to some 100 us beside the
// event, or the other frame, that it belongs to.
#pragma once

#include <cstdint>
#include <string_view>

#include "profile/column.h"
#include "profile/profile.h"
#include "profile/rows.h"
#include "profile/string_table.h"

namespace dlview::profile {

struct PythonFrames;
using PythonFrameIndex = Index<PythonFrames>;

struct PythonFrames {
  template <typename T>
  using Column = TableColumn<PythonFrames, T>;
  Column<int64_t> start_ns, end_ns;  // on the clock of the Profile
  Column<StringId> name;             // in `names`: "train.py(12): step", "nn.Module: Linear_3"
  Column<Row> thread;                // in `threads`
  Column<PythonFrameIndex> caller;   // an earlier row of the same thread; kNoRow = none recorded
  StringTable names;
  StructTable<Thread> threads;
  std::size_t size() const { return start_ns.size(); }
};

// How the frame of an nn.Module begins: "nn.Module: Linear_3", where 3 numbers the modules of a
// class.
inline constexpr std::string_view kModulePrefix = "nn.Module: ";

// The category of Python frames in Profile::recorded_tables.
inline constexpr std::string_view kPythonFrameTable = "python_function";

// Frames in the file of the profile; 0 = none.
inline int64_t python_frame_count(const Profile& profile) {
  for (const RecordedTable& table : profile.recorded_tables) {
    if (table.name == kPythonFrameTable) return table.rows;
  }
  return 0;
}

// What the name of a frame tells: of "nn/linear.py(114): forward" function "forward" in line 114 of
// file "nn/linear.py". Of modules and built-in functions all is the function.
struct FrameName {
  std::string_view function, file, line;  // the last two empty = not recorded
};
FrameName split_frame_name(std::string_view name);
// "linear" of "<built-in method linear of type object at 0x7f>"; other functions as they are.
std::string_view bare_function(std::string_view function);

// Returns whether it is a built-in function ("<built-in method ...>"), or a frame of torch that
// only passes a call on ("torch/nn/modules/module.py(1751): _call_impl"). Both repeat what the
// frame or op next to them says, once for each module or op. Other frames of torch do work of their
// own.
bool is_internal_frame(std::string_view name);

}  // namespace dlview::profile
