// What sanitizers find in libraries that dlview cannot fix.

// fontconfig keeps its default languages, 256 bytes, until FcFini(), which no library may call.
extern "C" const char* __lsan_default_suppressions();  // NOLINT: LeakSanitizer's name
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig\n";
}

// These libraries are not built for ThreadSanitizer, which misses how their own threads
// synchronize: those of llvmpipe, and the one on which Pango loads fonts. None of them calls into
// dlview.
extern "C" const char* __tsan_default_suppressions();  // NOLINT: ThreadSanitizer's name
extern "C" const char* __tsan_default_suppressions() {
  return "race:swrast_dri.so\n"
         "race:libpangoft2-\n"
         "race:libfontconfig.so\n"
         "race:libglib-2.0.so\n";
}
