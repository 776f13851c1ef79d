// What is known of this build: written by CMake (packaging/version.cmake), so that a new commit
// compiles one small file.
#pragma once

#include <span>

namespace dlview::app {

struct LibraryFact {
  const char* name;
  const char* version;  // of its headers; a shared library may be newer at run time
};

extern const char* const kVersion;
extern const char* const kCommit;      // abbreviated, with " (modified)"; "unknown" without git
extern const char* const kCommitDate;  // YYYY-MM-DD, or "unknown"
extern const char* const kEngines;     // "cpu, cuda, reference"
extern const char* const kCompiler;
extern const std::span<const LibraryFact> kBuiltWith;

}  // namespace dlview::app
