// What LeakSanitizer finds in libraries that we cannot mend.

// fontconfig keeps its default languages, 256 bytes, until FcFini(), which no library may call.
extern "C" const char* __lsan_default_suppressions();  // NOLINT: LeakSanitizer's name
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig\n";
}
