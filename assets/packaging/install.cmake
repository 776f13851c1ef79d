# `cmake --install` and CPack. Man page, completions and licenses come from the program itself.
include(GNUInstallDirs)

# Folders of a package are for all to read, whatever the umask.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})

install(TARGETS dlview)
install(FILES ${PROJECT_SOURCE_DIR}/assets/dlview.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES ${PROJECT_SOURCE_DIR}/assets/dlview.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES ${PROJECT_SOURCE_DIR}/assets/packaging/dlview.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
install(FILES ${PROJECT_SOURCE_DIR}/assets/packaging/mime.xml RENAME dlview.xml
        DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)

set(written ${CMAKE_BINARY_DIR}/installed)
install(CODE "execute_process(COMMAND ${CMAKE_COMMAND} -DDLVIEW=${CMAKE_BINARY_DIR}/dlview -DFOLDER=${written}
  -DVERSION=${PROJECT_VERSION} -P ${PROJECT_SOURCE_DIR}/assets/packaging/write_files.cmake COMMAND_ERROR_IS_FATAL ANY)")
# Debian's own zsh looks for the completions of packages in a folder of their own.
set(zsh_folder zsh/site-functions)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(zsh_folder zsh/vendor-completions)
endif()
install(FILES ${written}/dlview.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${written}/dlview DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${written}/_dlview DESTINATION ${CMAKE_INSTALL_DATADIR}/${zsh_folder})
install(FILES ${written}/dlview.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${written}/copyright ${written}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The dlview authors <dlview@example.org>")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "viewer for profiles of deep-learning runs")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "dlview opens profiles of Nsight Systems and DLProf and shows where the time
of training iterations goes: which ops and kernels take it, whether they use
Tensor Cores, when GPUs are idle, and what to change.

It also writes DLProf's reports, those of nsys stats and screenshots from
the command line.")
# The driver: software rendering will do.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libgl1-mesa-dri | libgl1-nvidia-glvnd-glx, default-mime-support | shared-mime-info")
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/assets/packaging/cpack_project.cmake)
set(CPACK_DLVIEW_BINARY ${CMAKE_BINARY_DIR}/dlview)
include(CPack)
