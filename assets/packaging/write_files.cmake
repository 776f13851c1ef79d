# cmake -DDLVIEW=... -DFOLDER=... -DVERSION=... -P write_files.cmake: the files that dlview writes about
# itself, and a changelog in Debian's form. SOURCE_DATE_EPOCH, else the present, is the changelog's date.
cmake_minimum_required(VERSION 3.22)
function(write_output file)
  execute_process(COMMAND ${DLVIEW} ${ARGN} OUTPUT_FILE ${FOLDER}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
file(MAKE_DIRECTORY ${FOLDER})
write_output(dlview.1 --man)
write_output(dlview completion bash)
write_output(_dlview completion zsh)
write_output(dlview.fish completion fish)
write_output(copyright --licenses)
execute_process(COMMAND ${DLVIEW} --version --json OUTPUT_VARIABLE facts COMMAND_ERROR_IS_FATAL ANY)
string(JSON commit GET "${facts}" commit)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${FOLDER}/changelog "dlview (${VERSION}) unstable; urgency=medium

  * Built from commit ${commit}.

 -- The dlview authors <dlview@example.org>  ${date}
")
execute_process(COMMAND gzip -9nf ${FOLDER}/dlview.1 ${FOLDER}/changelog COMMAND_ERROR_IS_FATAL ANY)
