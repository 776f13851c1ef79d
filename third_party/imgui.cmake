# Dear ImGui from the distribution: one static library with the GLFW, OpenGL 3 and FreeType parts.
pkg_check_modules(IMGUI REQUIRED imgui)
find_library(STB_LIBRARY stb REQUIRED)

add_library(dlview_imgui INTERFACE)
target_include_directories(dlview_imgui SYSTEM INTERFACE ${IMGUI_INCLUDE_DIRS} ${IMGUI_INCLUDE_DIRS}/backends)
target_link_directories(dlview_imgui INTERFACE ${IMGUI_LIBRARY_DIRS})
target_link_libraries(dlview_imgui INTERFACE ${IMGUI_LIBRARIES} ${STB_LIBRARY} Freetype::Freetype glfw ${CMAKE_DL_LIBS})
