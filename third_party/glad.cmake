# The OpenGL 3.3 core loader, generated at configure time by the distribution's python3-glad.
set(GLAD_DIR ${CMAKE_CURRENT_BINARY_DIR}/glad)
find_program(GLAD_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
if(NOT EXISTS ${GLAD_DIR}/src/gl.c)
  # --reproducible: take the specification from the package, not from the network.
  execute_process(
    COMMAND ${GLAD_PYTHON} -m glad --reproducible --api gl:core=3.3 --out-path ${GLAD_DIR} c
    RESULT_VARIABLE GLAD_RESULT ERROR_VARIABLE GLAD_ERROR OUTPUT_QUIET)
  if(NOT GLAD_RESULT EQUAL 0 OR NOT EXISTS ${GLAD_DIR}/src/gl.c)
    message(FATAL_ERROR "glad could not be generated (is python3-glad installed?): ${GLAD_ERROR}")
  endif()
endif()

add_library(dlview_glad STATIC ${GLAD_DIR}/src/gl.c)
target_include_directories(dlview_glad SYSTEM PUBLIC ${GLAD_DIR}/include)
target_compile_options(dlview_glad PRIVATE -w)
