// Collects what is wrong with rows while they are read: one note for each table and reason, with a
// count and the first example.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/profile.h"

namespace dlview::import {

class QualityLog {
 public:
  // `describe` returns the rest of "row 17: ..." and is called for the first row only.
  template <typename Describe>
  void add(std::string_view table, std::string_view reason, int64_t row_id, Describe&& describe) {
    add_rows(table, reason, 1, row_id, std::forward<Describe>(describe));
  }

  // As above for several rows; `row_id` is the first.
  template <typename Describe>
  void add_rows(std::string_view table, std::string_view reason, int64_t rows, int64_t row_id,
                Describe&& describe) {
    profile::QualityNote& note = note_for(table, reason);
    if (note.rows == 0) note.first_example = "row " + std::to_string(row_id) + ": " + describe();
    note.rows += rows;
  }

  // A fault of the file as a whole, of no single row.
  void add_file(std::string_view table, std::string_view reason, std::string what_is_missing) {
    note_for(table, reason).first_example = std::move(what_is_missing);
  }

  // Takes over what another job noted.
  void append(QualityLog&& other) {
    for (profile::QualityNote& from : other.notes_) {
      profile::QualityNote& note = note_for(from.table, from.reason);
      if (note.rows == 0) note.first_example = std::move(from.first_example);
      note.rows += from.rows;
    }
  }

  std::vector<profile::QualityNote> finish() && { return std::move(notes_); }

 private:
  profile::QualityNote& note_for(std::string_view table, std::string_view reason) {
    for (profile::QualityNote& note : notes_) {
      if (note.table == table && note.reason == reason) return note;
    }
    notes_.push_back({std::string(table), std::string(reason), 0, {}});
    return notes_.back();
  }

  std::vector<profile::QualityNote> notes_;
};

}  // namespace dlview::import
