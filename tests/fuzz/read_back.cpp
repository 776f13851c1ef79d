#include "fuzz/read_back.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <utility>
#include <zlib.h>

namespace dlview::fuzz {
namespace {

// Reads a text from its beginning, token by token.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  // What stands before the token, which is taken too.
  std::optional<std::string_view> until(std::string_view token) {
    const std::size_t at = rest_.find(token);
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view before = rest_.substr(0, at);
    rest_.remove_prefix(at + token.size());
    return before;
  }

 private:
  std::string_view rest_;
};

constexpr std::array<std::pair<std::string_view, char>, 5> kEntities{
    {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}}};

// Text between tags of HTML and XML.
std::optional<std::string> unescaped(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    if (text[0] == '<' || text[0] == '>') return std::nullopt;
    std::size_t taken = 1;
    char letter = text[0];
    if (letter == '&') {
      taken = 0;
      for (const auto& [entity, meaning] : kEntities) {
        if (!text.starts_with(entity)) continue;
        letter = meaning;
        taken = entity.size();
      }
      if (taken == 0) return std::nullopt;
    }
    plain += letter;
    text.remove_prefix(taken);
  }
  return plain;
}

// "_x005F_" stands for the character 5F in a workbook.
std::string without_codes(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    unsigned code = 0;
    const bool is_code =
        text.size() >= 7 && text.starts_with("_x") && text[6] == '_' &&
        std::from_chars(text.data() + 2, text.data() + 6, code, 16).ptr == text.data() + 6 &&
        code < 0x80;
    plain += is_code ? static_cast<char>(code) : text[0];
    text.remove_prefix(is_code ? 7 : 1);
  }
  return plain;
}

constexpr std::size_t kMostSheetRows = 1000;

uint32_t little_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  uint32_t value = 0;
  for (std::size_t i = count; i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes.at(at + i));
  }
  return value;
}

std::optional<std::string> inflated(std::string_view bytes, std::size_t size) {
  std::string plain(size, '\0');
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(plain.data());
  stream.avail_out = static_cast<uInt>(plain.size());
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  const int result = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  return result == Z_STREAM_END && stream.avail_out == 0 ? std::optional(plain) : std::nullopt;
}

// A file in a ZIP archive without a comment. Offsets of .at() that lie outside throw.
std::optional<std::string> unzipped(std::string_view archive, std::string_view name) {
  constexpr std::size_t kEndBytes = 22, kEntryBytes = 46, kLocalBytes = 30;
  if (archive.size() < kEndBytes) return std::nullopt;
  const std::size_t end = archive.size() - kEndBytes;
  const std::size_t entries = little_endian(archive, end + 10, 2);
  std::size_t at = little_endian(archive, end + 16, 4);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t name_bytes = little_endian(archive, at + 28, 2);
    if (archive.substr(at + kEntryBytes, name_bytes) == name) {
      const std::size_t packed = little_endian(archive, at + 20, 4);
      const std::size_t size = little_endian(archive, at + 24, 4);
      const std::size_t local = little_endian(archive, at + 42, 4);
      const std::size_t data = local + kLocalBytes + little_endian(archive, local + 26, 2) +
                               little_endian(archive, local + 28, 2);
      return inflated(archive.substr(data, packed), size);
    }
    at += kEntryBytes + name_bytes + little_endian(archive, at + 30, 2) +
          little_endian(archive, at + 32, 2);
  }
  return std::nullopt;
}

// <c r="A2" s="1" t="inlineStr"><is><t xml:space="preserve">text</t></is></c>, and the other types.
std::optional<SheetCell> read_cell(std::string_view attributes, std::string_view contents) {
  SheetCell cell{"n", ""};
  Scanner in_attributes(attributes), in_contents(contents);
  if (in_attributes.until(" t=\"")) {
    const auto type = in_attributes.until("\"");
    if (!type) return std::nullopt;
    cell.type = *type;
  }
  const bool is_text = cell.type == "inlineStr";
  const bool begins =
      is_text ? in_contents.take("<is><t>") || in_contents.take("<is><t xml:space=\"preserve\">")
              : in_contents.take("<v>");
  const auto inner = in_contents.until(is_text ? "</t></is>" : "</v>");
  const std::optional<std::string> text = begins && inner ? unescaped(*inner) : std::nullopt;
  if (!text) return std::nullopt;
  cell.text = is_text ? without_codes(*text) : *text;
  return cell;
}

}  // namespace

std::optional<TextRows> read_html(std::string_view page) {
  Scanner in(page);
  if (!in.until("<tbody>\n")) return std::nullopt;
  TextRows rows;
  while (in.take("<tr>")) {
    auto& row = rows.emplace_back();
    while (in.take("<td>") || in.take("<td class=\"n\">") || in.take("<td class=\"f\">") ||
           in.take("<td class=\"m\">")) {
      const auto text = in.until("</td>");
      const std::optional<std::string> plain = text ? unescaped(*text) : std::nullopt;
      if (!plain) return std::nullopt;
      row.push_back(*plain);
    }
    if (!in.take("</tr>\n")) return std::nullopt;
  }
  if (!in.take("</tbody>\n</table>\n</body>\n</html>\n")) return std::nullopt;
  return rows;
}

std::optional<std::vector<std::vector<SheetCell>>> read_sheet(std::string_view workbook,
                                                              std::size_t columns) {
  const std::optional<std::string> sheet = unzipped(workbook, "xl/worksheets/sheet1.xml");
  if (!sheet) return std::nullopt;
  std::vector<std::vector<SheetCell>> rows;
  Scanner in(*sheet);
  if (!in.until("<sheetData>")) return std::nullopt;
  while (in.take("<row r=\"")) {
    // Rows without a cell are left out.
    const auto place = in.until(">");
    std::size_t number = 0;
    if (!place) return std::nullopt;
    std::from_chars(place->data(), place->data() + place->size(), number);
    if (number <= rows.size() || number > kMostSheetRows) return std::nullopt;
    rows.resize(number, std::vector<SheetCell>(columns));
    while (in.take("<c r=\"")) {
      const auto attributes = in.until(">");
      const auto contents = in.until("</c>");
      if (!attributes || !contents || attributes->empty()) return std::nullopt;
      const auto cell = read_cell(*attributes, *contents);
      const auto column = static_cast<std::size_t>((*attributes)[0] - 'A');
      if (!cell || column >= columns) return std::nullopt;
      rows.back()[column] = *cell;
    }
    if (!in.take("</row>")) return std::nullopt;
  }
  if (!in.take("</sheetData>")) return std::nullopt;
  return rows;
}

}  // namespace dlview::fuzz
