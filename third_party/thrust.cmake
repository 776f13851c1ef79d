# dlview_thrust: Thrust's headers, from the CUDA toolkit or from libthrust-dev. Without CUDA they serve
# the tests, which run the GPU's algorithms on the host.
find_path(THRUST_INCLUDE_DIR thrust/version.h
  HINTS /usr/local/cuda/include/cccl ENV CUDA_PATH PATH_SUFFIXES include/cccl include)
if(THRUST_INCLUDE_DIR)
  add_library(dlview_thrust INTERFACE)
  target_include_directories(dlview_thrust SYSTEM INTERFACE ${THRUST_INCLUDE_DIR})
  if(THRUST_INCLUDE_DIR MATCHES "/cccl$")
    get_filename_component(cuda_include_dir ${THRUST_INCLUDE_DIR} DIRECTORY)
    target_include_directories(dlview_thrust SYSTEM INTERFACE ${cuda_include_dir})
  endif()
endif()
