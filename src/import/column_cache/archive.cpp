#include "import/column_cache/archive.h"

#include <xxhash.h>

namespace dlview::import::column_cache {
namespace {

// Writes down the type of each field.
class Layout {
 public:
  template <typename T>
  void operator()(const profile::Column<T>&) {
    types_ += 'C';
    add<T>();
  }
  void operator()(const profile::StringTable&) { types_ += 'T'; }
  void operator()(const std::shared_ptr<const profile::KernelCounters>&) {}  // not cached
  void operator()(const std::string&) { types_ += 'S'; }
  template <Scalar T>
  void operator()(const T&) {
    add<T>();
  }
  template <typename Table>
  void operator()(profile::Index<Table>) {
    add<profile::Row>();
  }
  template <typename T>
  void operator()(const std::vector<T>&) {
    types_ += 'V';
    (*this)(T());
  }
  template <typename T>
  void operator()(const std::optional<T>&) {
    types_ += 'O';
    (*this)(T());
  }
  template <base::Struct T>
  void operator()(const T& value) {
    types_ += '(';
    using base::with_fields;
    with_fields(value, [this](const auto&... fields) { ((*this)(fields), ...); });
    types_ += ')';
  }

  const std::string& types() const { return types_; }

 private:
  template <typename T>
  void add() {
    types_ += std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
    types_ += std::to_string(sizeof(T));
  }

  std::string types_;
};

}  // namespace

std::size_t Reader::count(std::size_t bytes_of_each) {
  uint64_t number = 0;
  (*this)(number);
  if (number <= facts_.size() / bytes_of_each) return number;
  fits_ = false;
  return 0;
}

std::string_view Reader::next_facts(std::size_t bytes) {
  if (bytes > facts_.size()) {
    fits_ = false;
    return {};
  }
  const std::string_view next = facts_.substr(0, bytes);
  facts_.remove_prefix(bytes);
  return next;
}

std::span<const std::byte> Reader::next_column(std::size_t bytes_of_value) {
  if (directory_.empty()) {
    fits_ = false;
    return {};
  }
  const Entry entry = directory_.front();
  directory_ = directory_.subspan(1);
  const bool fits = entry.bytes_of_value == bytes_of_value && entry.offset % kAlignment == 0 &&
                    entry.offset <= file_.size() &&
                    entry.values <= (file_.size() - entry.offset) / bytes_of_value;
  fits_ = fits_ && fits;
  return fits ? file_.subspan(entry.offset, entry.values * bytes_of_value)
              : std::span<const std::byte>();
}

uint64_t layout_hash() {
  Layout layout;
  layout(profile::Profile());
  return XXH3_64bits(layout.types().data(), layout.types().size());
}

}  // namespace dlview::import::column_cache
