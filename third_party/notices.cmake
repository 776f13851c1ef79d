# The licences of what ends up inside the binary, taken from the packages that it comes from, so that
# `dlview --licenses` can show them: fonts, statically linked and header-only libraries.
set(notices "")
foreach(package fonts-inter fonts-jetbrains-mono libimgui-dev libstb-dev python3-glad libcli11-dev nlohmann-json3-dev)
  set(file /usr/share/doc/${package}/copyright)
  if(EXISTS ${file})
    string(REPLACE "-" "_" name ${package})
    list(APPEND notices ${name}=${file})
  else()
    message(WARNING "${file} is missing: `dlview --licenses` will not show it. Keep copyright files when you distribute the binary.")
  endif()
endforeach()
list(PREPEND notices dlview_license=${PROJECT_SOURCE_DIR}/LICENSE)
dlview_embed(dlview_notices dlview::notices ${notices})
