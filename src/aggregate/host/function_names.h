// Meaning of the names of functions on call stacks.
#pragma once

#include <string>
#include <string_view>

namespace dlview::aggregate {

// Without return type, parameters and template arguments:
// "void at::native::(anonymous namespace)::copy_kernel<float>(at::TensorIterator&, bool)" is
// "at::native::copy_kernel".
std::string plain_function_name(std::string_view symbol);

// Whether the function only passes work on: interpreters, dispatchers, standard library, thread
// starts. Naming it would say nothing.
bool passes_on(std::string_view symbol);

// Whether functions, ranges or threads of that name read, decode or stage input data.
bool loads_data(std::string_view name);

// Whether a range of that name reads a batch of input data or waits for one.
bool is_data_range(std::string_view name);

// Returns what to call a thread in such a function: "pin-memory thread", "DALI thread", else
// "thread".
std::string_view thread_role(std::string_view name);

}  // namespace dlview::aggregate
