# assets/packaging/commit.cmake names the commit of a repository, and none of what only lies inside one.
# cmake -DSOURCE=... -DWORK=... -P commit_test.cmake
cmake_minimum_required(VERSION 3.22)
find_program(GIT git REQUIRED)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/repository/unpacked)
set(git ${GIT} -C ${WORK}/repository -c user.name=a -c user.email=a@example.org)

# expect(FOLDER PATTERN [GIT_PROGRAM]): the source written for FOLDER matches the pattern.
function(expect folder pattern)
  set(program ${GIT})
  if(ARGC GREATER 2)
    set(program ${ARGV2})
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -DGIT=${program} -DSOURCE=${folder} -DOUTPUT=${WORK}/commit.cpp
                          -P ${SOURCE}/assets/packaging/commit.cmake COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${WORK}/commit.cpp text)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "${folder}: no ${pattern} in ${text}")
  endif()
endfunction()

file(WRITE ${WORK}/repository/file "1")
execute_process(COMMAND ${git} init -q COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${git} add file COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${git} commit -q -m one COMMAND_ERROR_IS_FATAL ANY)
expect(${WORK}/repository "kCommit = \"[0-9a-f]+\".*kCommitDate = \"20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]\"")
file(WRITE ${WORK}/repository/file "2")
expect(${WORK}/repository "kCommit = \"[0-9a-f]+ \\(modified\\)\"")
expect(${WORK}/repository/unpacked "kCommit = \"unknown\".*kCommitDate = \"unknown\"")
expect(${WORK}/repository "kCommit = \"unknown\"" ${WORK}/no_git)
