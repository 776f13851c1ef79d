// Reads the file or folder that the user named. Detects its kind from the first bytes, not from the
// extension. Never writes to the user's file or folder.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/progress.h"
#include "base/result.h"
#include "import/sqlite/database.h"
#include "import/sqlite/inspect.h"

namespace dlview::import {

class ByteSource {
 public:
  enum class Kind : uint8_t { folder, plain, gzip, database };
  // Headers of PyTorch traces of large jobs, which list all process groups, take some 100 KB.
  static constexpr std::size_t kHeadBytes = std::size_t{256} << 10;
  static constexpr std::size_t kUnpackedHeadBytes = std::size_t{1} << 20;

  // Returns what head() would be, without connecting to a database; empty if it cannot be read.
  static std::string read_head(const std::filesystem::path& path);

  // Reads the first bytes, and connects to a database. An Error for a path that leads to nothing
  // that can be read.
  static base::Result<ByteSource> open(const std::filesystem::path& path, base::Progress& progress);

  Kind kind() const { return kind_; }
  const std::filesystem::path& path() const { return path_; }  // as the user gave it
  // The first bytes, of a gzip file those that it unpacks to. Empty for a folder.
  std::string_view head() const { return head_; }
  // For Kind::database only.
  const sqlite::Database& database() const { return *database_; }
  // Bytes that streams of a gzip file have unpacked so far. Safe on any thread.
  const std::shared_ptr<std::atomic<int64_t>>& unpacked_bytes() const { return unpacked_bytes_; }
  // Whether somebody wrote to the file since open(): then what was read may be a mixture.
  bool has_changed() const;

 private:
  ByteSource() = default;

  std::filesystem::path path_;
  Kind kind_ = Kind::plain;
  std::string head_;
  sqlite::FileStamp stamp_;
  std::optional<sqlite::Database> database_;
  std::shared_ptr<std::atomic<int64_t>> unpacked_bytes_ = std::make_shared<std::atomic<int64_t>>(0);
};

// A plain file, or what a gzip file unpacks to, from its first byte to its last; never in memory as
// a whole.
class ByteStream {
 public:
  // What follows the bytes of a gzip file that is truncated or damaged.
  enum class WhenDamaged : uint8_t { error, end };

  // `source` is plain or gzip. A gzip file ends with an Error where it unpacks to more than
  // `most_unpacked_bytes`; nullopt = what most_unpacked_bytes() says of it.
  static base::Result<ByteStream> open(const ByteSource& source, base::Progress& progress,
                                       std::optional<int64_t> most_unpacked_bytes = std::nullopt,
                                       WhenDamaged when_damaged = WhenDamaged::error);

  // Fills `block` from its start and returns the number of bytes: fewer than its size only at the
  // end of the stream. Fails if the file cannot be read, is damaged or truncated, and on
  // cancel.
  base::Result<std::size_t> read(std::span<char> block);
  // Whether WhenDamaged::end ended it.
  bool is_damaged() const;
  // Bytes of the file, and how many of them were read.
  int64_t file_bytes() const;
  int64_t file_bytes_read() const;

 private:
  struct State;
  struct Delete {
    void operator()(State* state) const;
  };
  explicit ByteStream(std::unique_ptr<State, Delete> state) : state_(std::move(state)) {}

  std::unique_ptr<State, Delete> state_;
};

// Returns the least of 64 GB and the larger of 1 GB and 200 times the packed bytes. A number in
// $DLVIEW_LIMITS multiplies the result; "off" = no limit.
int64_t most_unpacked_bytes(int64_t packed_bytes);

// Returns the bytes that a gzip file says it unpacks to, at most most_unpacked_bytes(); 0 for other
// files. The file holds only the lower 32 bits: a file above 64 MiB unpacks to 8 times its size or
// more.
int64_t recorded_unpacked_bytes(const std::filesystem::path& path);

}  // namespace dlview::import
