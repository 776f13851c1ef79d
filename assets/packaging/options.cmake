# Options of builds that are handed to others.

option(DLVIEW_PDF "Write tables as PDF; needs Pango" ON)
option(DLVIEW_DISTRIBUTE "Harden the binary and keep this machine's paths out of it" OFF)
option(DLVIEW_PORTABLE "Link what distributions version: statically, or from ../lib" OFF)

if(DLVIEW_DISTRIBUTE)
  include(CheckPIESupported)
  check_pie_supported()
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2;-fstack-protector-strong>"
                      "$<$<COMPILE_LANGUAGE:C,CXX>:-ffile-prefix-map=${CMAKE_BINARY_DIR}=build;-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.>")
  add_link_options(LINKER:-z,relro,-z,now LINKER:--as-needed)
endif()

if(DLVIEW_PORTABLE)
  set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib")
  # What comes from static libraries stays inside: shared ones that have the same symbols keep their own.
  add_link_options(LINKER:--exclude-libs,ALL)
endif()
