# dlview_version: what `dlview --version` tells of the build. The commit stands in a source of its own,
# written before each build and only when it has changed, so that a commit compiles one small file.

set(version_dir ${CMAKE_CURRENT_BINARY_DIR}/version)
set(libraries "")
function(dlview_library name version)
  if(version)
    set(libraries "${libraries}    {\"${name}\", \"${version}\"},\n" PARENT_SCOPE)
  endif()
endfunction()

# Two packages whose pkg-config files tell another number.
if(NOT RE2_VERSION VERSION_GREATER 0)
  execute_process(COMMAND dpkg-query -W -f \${Version} libre2-dev OUTPUT_VARIABLE re2 ERROR_QUIET)
  string(REGEX MATCH "^[0-9.]+" RE2_VERSION "${re2}")
endif()
find_file(XLSXWRITER_HEADER xlsxwriter.h HINTS ${XLSXWRITER_INCLUDE_DIRS})
if(XLSXWRITER_HEADER)
  file(STRINGS ${XLSXWRITER_HEADER} lines REGEX "LXW_VERSION \"")
  string(REGEX MATCH "[0-9]+[0-9.]+" XLSXWRITER_VERSION "${lines}")
endif()

if(DLVIEW_PDF)
  dlview_library(Pango "${PANGOCAIRO_pangocairo_VERSION}")
endif()
dlview_library("Dear ImGui" "${IMGUI_VERSION}")
dlview_library(GLFW "${glfw3_VERSION}")
dlview_library(SQLite "${SQLite3_VERSION}")
dlview_library(oneTBB "${TBB_VERSION}")
dlview_library(fmt "${fmt_VERSION}")
dlview_library(RE2 "${RE2_VERSION}")
dlview_library(xxHash "${XXHASH_VERSION}")
dlview_library(libxlsxwriter "${XLSXWRITER_VERSION}")
dlview_library(libpng "${PNG_VERSION_STRING}")
dlview_library(ISA-L "${ISAL_VERSION}")
dlview_library(zlib "${ZLIB_VERSION_STRING}")
dlview_library(FreeType "${FREETYPE_VERSION_STRING}")
dlview_library(Fontconfig "${Fontconfig_VERSION}")
dlview_library(CLI11 "${CLI11_VERSION}")
dlview_library("nlohmann/json" "${NLOHMANN_JSON_VERSION}")
dlview_library(toml++ "${TOMLPLUSPLUS_VERSION}")
set(engines "cpu, reference")
if(DLVIEW_HAS_CUDA)
  set(engines "cpu, cuda, reference")
  dlview_library("CUDA runtime" "${CMAKE_CUDA_COMPILER_VERSION}")
endif()
set(DLVIEW_LIBRARIES "${libraries}")
configure_file(${PROJECT_SOURCE_DIR}/assets/packaging/build_facts.cpp.in ${version_dir}/build_facts.cpp @ONLY)

find_package(Git QUIET)
add_custom_target(dlview_commit
  COMMAND ${CMAKE_COMMAND} -DGIT=${GIT_EXECUTABLE} -DSOURCE=${PROJECT_SOURCE_DIR}
          -DOUTPUT=${version_dir}/commit.cpp -P ${PROJECT_SOURCE_DIR}/assets/packaging/commit.cmake
  BYPRODUCTS ${version_dir}/commit.cpp
  COMMENT "Looking at the commit")
add_library(dlview_version STATIC ${version_dir}/build_facts.cpp ${version_dir}/commit.cpp)
add_dependencies(dlview_version dlview_commit)
target_include_directories(dlview_version PUBLIC ${PROJECT_SOURCE_DIR}/src)
set_target_properties(dlview_version PROPERTIES UNITY_BUILD OFF)
