# The licenses of what ends up inside the binary, taken from the packages that it comes from, so that
# `dlview --licenses` can show them: fonts, header-only libraries, the headers of others with code in
# them, and statically linked libraries.
set(notices "")
set(notice_packages fonts-inter fonts-jetbrains-mono libimgui-dev libstb-dev python3-glad libcli11-dev
                    nlohmann-json3-dev libtomlplusplus-dev libfmt-dev libtbb-dev)
if(DLVIEW_PORTABLE)
  list(APPEND notice_packages libre2-dev libxxhash-dev libzstd-dev libsqlite3-dev)
endif()
foreach(package ${notice_packages})
  set(file /usr/share/doc/${package}/copyright)
  if(EXISTS ${file})
    string(REPLACE "-" "_" name ${package})
    list(APPEND notices ${name}=${file})
  else()
    message(WARNING "${file} is missing: `dlview --licenses` will not show it. Keep copyright files when you distribute the binary.")
  endif()
endforeach()
if(DLVIEW_HAS_CUDA)
  list(APPEND notices cuda_runtime=${PROJECT_SOURCE_DIR}/assets/packaging/cuda_runtime.txt)
  get_filename_component(cuda_folder ${CMAKE_CUDA_COMPILER} REALPATH)
  get_filename_component(cuda_folder ${cuda_folder}/../.. ABSOLUTE)
  # As NVIDIA's installer, pip's packages and Debian's have them: the runtime's, and Thrust's.
  file(GLOB runtime_license ${cuda_folder}/EULA.txt ${cuda_folder}/dist-info/nvidia_cuda_runtime-*/licenses/License.txt
       /usr/share/doc/nvidia-cuda-toolkit/copyright)
  file(GLOB thrust_license ${cuda_folder}/dist-info/nvidia_cuda_cccl-*/licenses/License.txt
       /usr/share/doc/libthrust-dev/copyright)
  foreach(name runtime_license thrust_license)
    if(${name})
      list(GET ${name} 0 file)
      list(APPEND notices cuda_${name}=${file})
    endif()
  endforeach()
endif()
list(PREPEND notices dlview_license=${PROJECT_SOURCE_DIR}/LICENSE)
dlview_embed(dlview_notices dlview::notices ${notices})
