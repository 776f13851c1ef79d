# The OpenGL 3.3 core loader, generated at configure time by the distribution's python3-glad: 2.x, or
# 0.1 (Ubuntu 22.04), whose options and header have other names. GLAD_COMMAND replaces it in a test.
if(NOT GLAD_DIR)
  set(GLAD_DIR ${CMAKE_CURRENT_BINARY_DIR}/glad)
endif()
if(NOT GLAD_COMMAND)
  find_program(GLAD_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
  set(GLAD_COMMAND ${GLAD_PYTHON} -m glad)
endif()
if(NOT EXISTS ${GLAD_DIR}/src/gl.c AND NOT EXISTS ${GLAD_DIR}/src/glad.c)
  # --reproducible: take the specification from the package, not from the network.
  execute_process(
    COMMAND ${GLAD_COMMAND} --reproducible --api gl:core=3.3 --out-path ${GLAD_DIR} c
    RESULT_VARIABLE GLAD_RESULT ERROR_VARIABLE GLAD_ERROR OUTPUT_QUIET)
  if(NOT GLAD_RESULT EQUAL 0 OR NOT EXISTS ${GLAD_DIR}/src/gl.c)
    execute_process(
      COMMAND ${GLAD_COMMAND} --reproducible --no-loader --profile core --api gl=3.3 --generator c --spec gl
              --out-path ${GLAD_DIR}
      RESULT_VARIABLE GLAD_RESULT ERROR_VARIABLE GLAD_OLD_ERROR OUTPUT_QUIET)
    if(NOT GLAD_RESULT EQUAL 0 OR NOT EXISTS ${GLAD_DIR}/src/glad.c)
      message(FATAL_ERROR "glad could not be generated (is python3-glad installed?): ${GLAD_ERROR} ${GLAD_OLD_ERROR}")
    endif()
    # The header under its new name, with what the tree uses of the new interface.
    file(WRITE ${GLAD_DIR}/include/glad/gl.h [[
#pragma once
#include <glad/glad.h>
typedef void (*(*GLADloadfunc)(const char *name))(void);
#define GLAD_MAKE_VERSION(major, minor) ((major) * 10000 + (minor))
#define GLAD_VERSION_MAJOR(version) ((version) / 10000)
#define GLAD_VERSION_MINOR(version) ((version) % 10000)
#define gladLoadGL(load) \
  (gladLoadGLLoader((GLADloadproc)(load)) ? GLAD_MAKE_VERSION(GLVersion.major, GLVersion.minor) : 0)
]])
  endif()
endif()
set(GLAD_SOURCE ${GLAD_DIR}/src/gl.c)
if(NOT EXISTS ${GLAD_SOURCE})
  set(GLAD_SOURCE ${GLAD_DIR}/src/glad.c)
endif()

if(NOT CMAKE_SCRIPT_MODE_FILE)
  add_library(dlview_glad STATIC ${GLAD_SOURCE})
  target_include_directories(dlview_glad SYSTEM PUBLIC ${GLAD_DIR}/include)
  target_compile_options(dlview_glad PRIVATE -w)
endif()
