// Markup of pages: texts, figures, tables and notes. All of them take texts of unknown origin.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aggregate/metrics.h"
#include "report/table.h"

namespace dlview::report::page {

// Whether paths of files keep their folders, which may name a user: "/home/ann/train.py".
enum class Folders : uint8_t { leave_out, keep };

// A text of any bytes as one line that a page can show, not escaped yet: control characters and
// those that change the direction of a text become visible ("\x1b", "\u202e"), bytes that are not
// UTF-8 become U+FFFD. At most kMostCharacters; the middle of a longer one is left out.
std::string shown_text(std::string_view text, Folders folders = Folders::leave_out);
inline constexpr std::size_t kMostCharacters = 500;

// The same, escaped for a place between tags or in an attribute with quotes.
std::string text(std::string_view text);
// A name that a program or a user chose: isolated, so that its direction ends with it.
std::string name(std::string_view text, Folders folders = Folders::leave_out);

// Base64 without line breaks.
std::string base64(std::span<const unsigned char> bytes);
std::string base64_of_hex(std::string_view hex);
// As a zlib stream in base64: what DataBlock::Kind::deflated holds.
std::string deflated(std::span<const unsigned char> bytes);

// A link to the definition of a metric (definition_list()), with its title or another text.
std::string metric_link(aggregate::MetricId metric, std::string_view title = {});
// Definitions of metrics, each once: title, formula, and `note` of the metric, with what is known
// of this page's number below it.
struct Definition {
  aggregate::MetricId metric;
  std::string note;              // "Counted as union. From ..."
  std::string source, sql = {};  // rows and statement behind the number of this page
};
std::string definition_list(std::span<const Definition> definitions);

// A key figure. The script writes another value into it where a page lets a range change.
struct KeyFigure {
  std::string id;     // "median_iteration"
  std::string title;  // "Median iteration"
  std::string value;  // "30.6 ms"
  std::string full;   // "30,550,123 ns"; may be empty
  std::string note;   // below the value; may be empty
  aggregate::MetricId metric = {};
};
std::string key_figures(std::span<const KeyFigure> figures);

// What a page shows of a table.
struct TableView {
  const Table& table;
  std::span<const uint32_t> rows;        // all rows of the page, in its order
  std::span<const std::size_t> columns;  // of the table, in this order
  std::string id;                        // of the page's table: "op_nodes"
  std::string caption;                   // a text
  std::optional<std::size_t> sorted_by;  // index into `columns`; descending
  std::string note = {};                 // a text below the table
};
inline constexpr std::size_t kStaticRows = 50;

// The first kStaticRows rows. Numbers are shown as people read them, with the full one in the
// tooltip. Without rows: the caption, and that there are none.
std::string table_markup(const TableView& view);
// All rows for the script: {"id", "columns": [...], "texts": [...], "cells": [[...], ...]}, cells
// by column. Integers beyond 2^53 are strings.
std::string table_json(const TableView& view);
// shown_text() in quotes as JSON, without any "<".
std::string json_text(std::string_view text);

// The title and the metric of a column on screen.
struct ColumnTitle {
  std::string title;
  aggregate::MetricId metric = {};
};
ColumnTitle title_of(const Table& table, const Column& column);

// A table of texts, for what is no report::Table. A first column of names has the row headers.
struct PlainTable {
  std::string caption;
  std::vector<std::string> header;             // texts
  std::vector<std::vector<std::string>> rows;  // markup: text(), name(), link
  std::vector<std::size_t> numbers = {};       // columns that are right-aligned
  bool has_total = false;                      // in the last row
};
std::string plain_table(const PlainTable& table);

std::string note(std::string_view text);      // small and soft
std::string subtitle(std::string_view text);  // a heading of level 3
std::string panel(std::string_view markup);   // a framed part of a section

}  // namespace dlview::report::page
