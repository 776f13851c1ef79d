#include "base/unfinished_file.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/random.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/descriptor.h"
#include "base/names_to_remove.h"

namespace dlview::base {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlockBytes = std::size_t{1} << 16;

Error cannot_write(const fs::path& target, const std::string& reason) {
  return {"A file cannot be written", fmt::format("{}: {}", target.string(), reason),
          "Check the permissions and free space of the folder, or choose another folder"};
}

// A name that nobody can guess, beside the target. It does not contain the target's, which may be
// as long as names can be.
fs::path random_name_beside(const fs::path& target) {
  std::array<unsigned char, 12> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::system_error(errno, std::generic_category(), "no random numbers");
  }
  std::string name = ".dlview-unfinished-";
  for (const unsigned char byte : bytes) name += fmt::format("{:02x}", byte);
  return target.parent_path() / name;
}

// N of /dev/fd/N and its other names.
std::optional<int> open_descriptor(const fs::path& target) {
  const std::string text = target.string();
  if (text == "/dev/stdout") return STDOUT_FILENO;
  if (text == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!text.starts_with(folder)) continue;
    const char* const first = text.data() + folder.size();
    const char* const last = text.data() + text.size();
    int number = -1;
    const auto [end, error] = std::from_chars(first, last, number);
    if (error == std::errc() && end == last && number >= 0) return number;
  }
  return std::nullopt;
}

fs::path path_of(const Descriptor& descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor.get());
}

// A file without a name; none where the file system cannot do that or /proc is missing.
Descriptor open_nameless(const fs::path& folder) {
  Descriptor file(
      open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
  if (!file || access(path_of(file).c_str(), F_OK) == 0) return file;
  errno = EOPNOTSUPP;
  return Descriptor();
}

bool has_no_nameless_files(int error) {
  return error == EOPNOTSUPP || error == EISDIR || error == ENOENT || error == EINVAL;
}

}  // namespace

struct UnfinishedFile::State {
  fs::path asked;   // as the user wrote it
  fs::path target;  // to be named so; empty where the target is written itself
  Descriptor file;
  fs::path path;  // for libraries; of a name beside the target unless nameless
  bool is_named = false;
  std::optional<NameToRemove> name;
  Descriptor aside;  // behind `path` where the target is written itself
  std::optional<DescriptorBuffer> buffer;
  std::optional<std::ostream> stream;

  ~State() {
    if (is_named) unlink(path.c_str());
  }
  Error error(int number) const { return cannot_write(asked, std::strerror(number)); }

  Status open_itself(int flags) {
    file = Descriptor(open(asked.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | flags));
    return file ? Status(Success{}) : error(errno);
  }
  Status open_copy_of(int descriptor) {
    file = Descriptor(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    return file ? Status(Success{}) : error(errno);
  }
  Status open_named();
  Status open_beside(bool wants_name);
  Status find_target();
  Status copy_aside();
  void take_over_mode() const;
  Status give_name() const;
};

Status UnfinishedFile::State::open_named() {
  for (;;) {
    fs::path free = random_name_beside(target);
    name.emplace(free);
    file = Descriptor(open(free.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666));
    if (!file && errno == EEXIST) continue;
    if (!file) return error(errno);
    path = std::move(free);
    is_named = true;
    return Success{};
  }
}

Status UnfinishedFile::State::open_beside(bool wants_name) {
  if (wants_name) return open_named();
  file = open_nameless(target.parent_path());
  if (!file) return has_no_nameless_files(errno) ? open_named() : error(errno);
  path = path_of(file);
  return Success{};
}

// Follows links; refuses what can be neither replaced nor written.
Status UnfinishedFile::State::find_target() {
  target = asked;
  std::error_code failure;
  if (fs::is_symlink(fs::symlink_status(asked, failure))) {
    target = fs::canonical(asked, failure);
    if (failure) return cannot_write(asked, "broken symbolic link");
  }
  struct stat facts {};
  if (stat(target.c_str(), &facts) != 0) return errno == ENOENT ? Status(Success{}) : error(errno);
  if (S_ISFIFO(facts.st_mode) || S_ISCHR(facts.st_mode)) {
    target.clear();
    return Success{};
  }
  if (S_ISDIR(facts.st_mode)) return error(EISDIR);
  if (!S_ISREG(facts.st_mode)) return cannot_write(asked, "not a regular file");
  return faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) == 0 ? Status(Success{})
                                                                    : error(errno);
}

// As root the owner, too.
void UnfinishedFile::State::take_over_mode() const {
  struct stat old {};
  struct stat own {};
  if (stat(target.c_str(), &old) != 0 || fstat(file.get(), &own) != 0) return;
  if (old.st_uid != own.st_uid || old.st_gid != own.st_gid) {
    if (fchown(file.get(), old.st_uid, old.st_gid) != 0) errno = 0;  // it is not ours to give
  }
  fchmod(file.get(), old.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO));
}

// A link cannot take the place of a file, so that the file needs a name for a moment.
Status UnfinishedFile::State::give_name() const {
  const auto link_to = [this](const fs::path& where) {
    return linkat(AT_FDCWD, path.c_str(), AT_FDCWD, where.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (is_named) return rename(path.c_str(), target.c_str()) == 0 ? Status(Success{}) : error(errno);
  if (link_to(target)) return Success{};
  while (errno == EEXIST) {
    const fs::path between = random_name_beside(target);
    const NameToRemove removed(between);
    if (!link_to(between)) continue;
    if (rename(between.c_str(), target.c_str()) == 0) return Success{};
    const int failure = errno;
    unlink(between.c_str());
    return error(failure);
  }
  return error(errno);
}

Status UnfinishedFile::State::copy_aside() {
  std::vector<char> block(kBlockBytes);
  for (off_t at = 0;;) {
    const ssize_t bytes = pread(aside.get(), block.data(), block.size(), at);
    if (bytes < 0) return error(errno);
    if (bytes == 0) return Success{};
    if (const int failure = write_all(file.get(), block.data(), static_cast<std::size_t>(bytes))) {
      return error(failure);
    }
    at += bytes;
  }
}

UnfinishedFile::UnfinishedFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept = default;
UnfinishedFile::~UnfinishedFile() = default;

Result<UnfinishedFile> UnfinishedFile::create(const fs::path& target) {
  auto state = std::make_unique<State>();
  state->asked = target;
  Status opened = Success{};
  if (const std::optional<int> descriptor = open_descriptor(target)) {
    opened = state->open_copy_of(*descriptor);
  } else {
    opened = state->find_target();
    if (opened) opened = state->target.empty() ? state->open_itself(0) : state->open_beside(false);
  }
  if (!opened) return std::move(opened).error();
  return UnfinishedFile(std::move(state));
}

Result<UnfinishedFile> UnfinishedFile::create_named(const fs::path& target) {
  auto state = std::make_unique<State>();
  state->asked = target;
  if (Status found = state->find_target(); !found) return std::move(found).error();
  if (state->target.empty()) return cannot_write(target, "not a regular file");
  if (Status opened = state->open_beside(true); !opened) return std::move(opened).error();
  return UnfinishedFile(std::move(state));
}

std::ostream& UnfinishedFile::out() {
  State& state = *state_;
  if (!state.stream) {
    state.buffer.emplace(state.file.get());
    state.stream.emplace(&*state.buffer);
  }
  return *state.stream;
}

const fs::path& UnfinishedFile::path() {
  State& state = *state_;
  if (state.path.empty()) {  // the target may be no place to go back and forth in
    std::error_code failure;
    const fs::path folder = fs::temp_directory_path(failure);
    state.aside = open_nameless(folder);
    if (!state.aside) {
      std::string free = (folder / "dlview-XXXXXX").string();
      state.aside = Descriptor(mkostemp(free.data(), O_CLOEXEC));
      if (state.aside) unlink(free.c_str());
    }
    state.path = path_of(state.aside);
  }
  return state.path;
}

Status UnfinishedFile::finish() {
  State& state = *state_;
  if (state.stream) {
    state.stream->flush();
    if (state.buffer->error() != 0) return state.error(state.buffer->error());
    if (!*state.stream) return error("the write was incomplete");
  }
  if (state.target.empty()) return state.aside ? state.copy_aside() : Status(Success{});
  state.take_over_mode();
  Status named = state.give_name();
  if (named) {
    state.is_named = false;
    state.path.clear();
    state.name.reset();
  }
  return named;
}

Error UnfinishedFile::error(const std::string& reason) const {
  return cannot_write(state_->asked, reason);
}

}  // namespace dlview::base
