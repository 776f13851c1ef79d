# Read by cpack: dependencies as dpkg-shlibdeps finds them. Both packages of GLFW serve: libglfw3-wayland
# has the same library, but does not say that it provides libglfw3.
if(CPACK_GENERATOR STREQUAL "DEB")
  get_filename_component(folder ${CPACK_DLVIEW_BINARY} DIRECTORY)
  string(APPEND folder /shlibdeps)
  file(WRITE ${folder}/debian/control "Source: dlview\n\nPackage: dlview\nArchitecture: any\n")
  execute_process(COMMAND dpkg-shlibdeps --ignore-missing-info -O ${CPACK_DLVIEW_BINARY}
    WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE depends COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "shlibs:Depends=([^\n]+)" depends "${depends}")
  string(REGEX REPLACE "libglfw3( \\([^)]*\\))?" "libglfw3\\1 | libglfw3-wayland\\1" depends "${CMAKE_MATCH_1}")
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "${depends}")
endif()
