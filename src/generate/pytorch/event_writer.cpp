#include "generate/pytorch/event_writer.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <zlib.h>

namespace dlview::generate::pytorch {

struct TraceFile::Deflate {
  z_stream stream{};
  std::vector<Bytef> block = std::vector<Bytef>(1 << 18);
};

TraceFile::TraceFile(std::ostream& out, bool compresses) : out_(out) {
  text_.reserve(2 * kBlock);
  if (!compresses) return;
  deflate_ = std::make_unique<Deflate>();
  constexpr int kGzipWindow = 15 + 16;
  deflateInit2(&deflate_->stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY);
}

TraceFile::~TraceFile() {
  if (deflate_) deflateEnd(&deflate_->stream);
}

void TraceFile::flush(bool is_last) {
  raw_bytes_ += static_cast<int64_t>(text_.size());
  if (!deflate_) {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
    return;
  }
  z_stream& stream = deflate_->stream;
  stream.next_in = reinterpret_cast<Bytef*>(text_.data());
  stream.avail_in = static_cast<uInt>(text_.size());
  do {
    stream.next_out = deflate_->block.data();
    stream.avail_out = static_cast<uInt>(deflate_->block.size());
    deflate(&stream, is_last ? Z_FINISH : Z_NO_FLUSH);
    out_.write(reinterpret_cast<const char*>(deflate_->block.data()),
               static_cast<std::streamsize>(deflate_->block.size() - stream.avail_out));
  } while (stream.avail_out == 0);
  text_.clear();
}

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

EventWriter::EventWriter(TraceFile& file, const PytorchOptions& options)
    : file_(file),
      writer_(options.writer),
      indent_(options.writer == PytorchWriter::python_json ? options.indent : 0),
      whole_microseconds_(options.schema <= PytorchSchema::v2023 &&
                          options.writer != PytorchWriter::autograd),
      trims_zeros_(options.writer == PytorchWriter::python_json),
      order_(options.seed) {}

std::string_view EventWriter::number(int64_t value) {
  char* const begin = digit_.data() + digits_;
  char* const end = std::to_chars(begin, digit_.data() + digit_.size(), value).ptr;
  digits_ += static_cast<std::size_t>(end - begin);
  return {begin, static_cast<std::size_t>(end - begin)};
}

std::string_view EventWriter::time(int64_t ns) {
  const std::string_view whole = number(ns / 1000);
  if (whole_microseconds_) return whole;
  const int64_t rest = ns % 1000;
  char* at = digit_.data() + digits_;
  char* const begin = at;
  *at++ = '.';
  *at++ = static_cast<char>('0' + rest / 100);
  *at++ = static_cast<char>('0' + rest / 10 % 10);
  *at++ = static_cast<char>('0' + rest % 10);
  if (trims_zeros_) {
    while (at[-1] == '0' && at - begin > 2) --at;
  }
  digits_ += static_cast<std::size_t>(at - begin);
  return {whole.data(), whole.size() + static_cast<std::size_t>(at - begin)};
}

void EventWriter::write_as_kineto(std::string& out) const {
  out += "  {\n    ";
  for (std::size_t i = 0; i < fields_; ++i) {
    const Field& field = field_[i];
    out += field.key;
    out += ": ";
    out += field.value;
    if (i + 1 < fields_) out += field.ends_line ? ",\n    " : ", ";
  }
  out += "\n  }";
}

void EventWriter::new_line(int depth, std::string& out) const {
  if (indent_ == 0) return;
  out += '\n';
  out.append(static_cast<std::size_t>(indent_ * depth), ' ');
}

void EventWriter::lay_out(std::string_view json, int depth, std::string& out) const {
  const bool compact = writer_ == PytorchWriter::python_exporter;
  const auto skip_space = [&](std::size_t at) {
    while (at < json.size() && (json[at] == ' ' || json[at] == '\n')) ++at;
    return at;
  };
  for (std::size_t i = 0; i < json.size();) {
    const char c = json[i];
    if (c == '"') {
      std::size_t end = i + 1;
      while (json[end] != '"') end += json[end] == '\\' ? 2 : 1;
      out += json.substr(i, end + 1 - i);
      i = end + 1;
      continue;
    }
    i = skip_space(i + 1);
    if (c == '{' || c == '[') {
      out += c;
      if (i < json.size() && (json[i] == '}' || json[i] == ']')) {
        out += json[i];
        i = skip_space(i + 1);
      } else {
        new_line(++depth, out);
      }
    } else if (c == '}' || c == ']') {
      new_line(--depth, out);
      out += c;
    } else if (c == ',') {
      out += c;
      if (indent_ > 0) {
        new_line(depth, out);
      } else if (!compact) {
        out += ' ';
      }
    } else if (c == ':') {
      out += compact ? ":" : ": ";
    } else if (c != ' ' && c != '\n') {
      out += c;
    }
  }
}

void EventWriter::add_flow(bool is_start, int64_t id, int64_t process, std::string_view thread,
                           int64_t ns) {
  begin();
  add("\"ph\"", is_start ? "\"s\"" : "\"f\"");
  add("\"id\"", id);
  add("\"pid\"", process);
  add("\"tid\"", thread);
  add_time("\"ts\"", ns);
  end_line();
  add("\"cat\"", "\"ac2g\"");
  add("\"name\"", "\"ac2g\"");
  if (!is_start) add("\"bp\"", "\"e\"");
  end();
}

void EventWriter::end() {
  std::string& out = file_.text();
  if (events_++ > 0) {
    switch (writer_) {
      case PytorchWriter::kineto:
      case PytorchWriter::python_exporter:
        out += ",\n";
        break;
      case PytorchWriter::autograd:
        out += ", ";
        break;
      case PytorchWriter::python_json:
        out += indent_ > 0 ? "," : ", ";
        new_line(2, out);
        break;
    }
  }
  if (writer_ == PytorchWriter::kineto) {
    write_as_kineto(out);
  } else {
    if (writer_ == PytorchWriter::python_json) {
      // Any order, though often that of the event before.
      if (order_.below(4) == 0) {
        const auto at = static_cast<std::ptrdiff_t>(order_.below(static_cast<int64_t>(fields_)));
        std::rotate(field_.begin(), field_.begin() + at,
                    field_.begin() + static_cast<std::ptrdiff_t>(fields_));
      }
    }
    scratch_ = '{';
    for (std::size_t i = 0; i < fields_; ++i) {
      if (i > 0) scratch_ += ',';
      scratch_ += field_[i].key;
      scratch_ += ':';
      scratch_ += field_[i].value;
    }
    scratch_ += '}';
    lay_out(scratch_, 2, out);
  }
  file_.flush_if_full();
}

void EventWriter::write_members(const Header& header, bool comma_first, std::string& out) const {
  for (const auto& [key, value] : header) {
    if (writer_ == PytorchWriter::kineto) {
      out += comma_first ? ",\n  " : "  ";
      out += json_string(key) + ": " + value;
    } else {
      if (comma_first) out += ',';
      if (comma_first && indent_ == 0 && writer_ == PytorchWriter::python_json) out += ' ';
      new_line(1, out);
      lay_out(json_string(key) + ":" + value, 1, out);
    }
    comma_first = true;
  }
}

void EventWriter::begin_file(const Header& header) {
  std::string& out = file_.text();
  switch (writer_) {
    case PytorchWriter::kineto:
      out += "\n{\n";
      write_members(header, false, out);
      out += ",\n  \"traceEvents\": [\n";
      break;
    case PytorchWriter::python_exporter:
      out += '{';
      write_members(header, false, out);
      out += ",\"traceEvents\":[\n";
      break;
    case PytorchWriter::python_json:
      header_ = header;
      out += '{';
      new_line(1, out);
      out += "\"traceEvents\": [";
      new_line(2, out);
      break;
    case PytorchWriter::autograd:
      out += '[';
      break;
  }
}

void EventWriter::end_file(const Header& trailer) {
  std::string& out = file_.text();
  switch (writer_) {
    case PytorchWriter::kineto:
      out += "\n  ]";
      write_members(trailer, true, out);
      out += "\n}\n";
      break;
    case PytorchWriter::python_exporter:
      out += "\n]";
      write_members(trailer, true, out);
      out += '}';
      break;
    case PytorchWriter::python_json:
      new_line(1, out);
      out += ']';
      write_members(header_, true, out);
      write_members(trailer, true, out);
      new_line(0, out);
      out += '}';
      break;
    case PytorchWriter::autograd:
      out += ']';
      break;
  }
}

}  // namespace dlview::generate::pytorch
