// The text of an Nsight Compute CSV in pieces: decoded, and read ahead while the lines of the
// piece before are taken apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/untouched_vector.h"
#include "import/byte_source.h"

namespace dlview::import::ncu {

// The text of a file as UTF-8, without its byte order mark. PowerShell writes UTF-16.
class TextStream {
 public:
  // `head`: the first bytes of the file; they say how it is encoded.
  TextStream(ByteStream stream, std::string_view head);

  // Fills from the start. At the end of the file, at_end() says so.
  base::Result<std::size_t> read(std::span<char> block);

  // The last read() was the last.
  bool at_end() const { return at_end_; }
  int64_t file_bytes_read() const { return stream_.file_bytes_read(); }
  int64_t file_bytes() const { return stream_.file_bytes(); }

 private:
  enum class Encoding : uint8_t { utf8, utf16_little, utf16_big };

  uint32_t next_unit();
  void append_code_point(std::span<char> block, std::size_t& filled);

  ByteStream stream_;
  Encoding encoding_ = Encoding::utf8;
  bool is_first_ = true, is_end_ = false, at_end_ = false;
  std::vector<char> raw_;
  std::size_t at_ = 0;
  uint32_t high_ = 0;  // first half of a pair
};

// The text in memory: what is left of the window before, and the bytes read after it.
class Window {
 public:
  // A line has at most `headroom` bytes.
  Window(std::size_t bytes, std::size_t headroom) : bytes_(bytes), headroom_(headroom) {}

  // Reads what follows. Safe while other threads use the text.
  base::Status read_ahead(TextStream& stream);
  // Goes on with what read_ahead() read, after the text from `rest` on. False: that is too long.
  bool advance(const char* rest);

  const char* begin() const { return buffers_[current_].data() + begin_; }
  const char* end() const { return buffers_[current_].data() + end_; }
  bool is_last() const { return is_last_; }  // of the file

 private:
  std::size_t bytes_, headroom_;
  base::UntouchedVector<char> buffers_[2];
  int current_ = 0;
  std::size_t begin_ = 0, end_ = 0, ahead_ = 0;
  bool is_last_ = false, is_end_ahead_ = false;
};

}  // namespace dlview::import::ncu
