# The stamp in cache files changes with every source that decides on a number, and not with the place
# of the project. cmake -DSOURCE=... -DWORK=... -P source_stamp_test.cmake
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${WORK})

# stamp(RESULT FOLDER SOURCE...)
function(stamp result folder)
  execute_process(COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DOUTPUT=${WORK}/stamp.cpp
                          -P ${SOURCE}/src/import/column_cache/source_stamp.cmake ${ARGN}
                  COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${WORK}/stamp.cpp text)
  if(NOT text MATCHES "return (0x[0-9a-f]+);")
    message(FATAL_ERROR "no stamp in ${text}")
  endif()
  set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

function(expect_other what stamp)
  if(stamp STREQUAL first)
    message(FATAL_ERROR "The stamp stays ${first} when ${what}")
  endif()
endfunction()

file(WRITE ${WORK}/here/sums.cpp "a + b")
file(WRITE ${WORK}/here/rows.h "rows")
stamp(first ${WORK}/here sums.cpp rows.h)

file(COPY ${WORK}/here/ DESTINATION ${WORK}/there)
stamp(elsewhere ${WORK}/there sums.cpp rows.h)
if(NOT elsewhere STREQUAL first)
  message(FATAL_ERROR "The stamp changes with the folder: ${first}, ${elsewhere}")
endif()

stamp(fewer ${WORK}/here sums.cpp)
expect_other("a source is missing" ${fewer})
file(RENAME ${WORK}/there/rows.h ${WORK}/there/lines.h)
stamp(renamed ${WORK}/there sums.cpp lines.h)
expect_other("a source is renamed" ${renamed})
file(WRITE ${WORK}/here/sums.cpp "a - b")
stamp(changed ${WORK}/here sums.cpp rows.h)
expect_other("a source is changed" ${changed})
