// Columns of DLProf's aggregated tables, and the tables to which their ids refer. Only this file
// names them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dlview::import::dlprof {

// `table` under `alias`, joined by its id in `foreign_key` of an earlier alias.
struct Join {
  std::string table, alias, left, foreign_key;
};

// The value of `column` of `alias`, called `name`.
struct SourceColumn {
  std::string name, alias, column;
};

// The aggregated table `name` has the alias "t".
struct StoredDeclaration {
  std::string name;
  std::size_t key_columns = 0;  // the first columns identify a row
  std::vector<Join> joins;
  std::vector<SourceColumn> columns;
};

// All tables but kernel_iteration_node, in the order in which they are shown.
std::vector<StoredDeclaration> stored_declarations();

// kernel_iteration_node has a row for each kernel and is read on its own.
StoredDeclaration kernel_iteration_declaration();

}  // namespace dlview::import::dlprof
