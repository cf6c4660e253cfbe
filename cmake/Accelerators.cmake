# What GPU code can be compiled here. With neither CUDA nor HIP everything else builds, and the CPU device works.
# AUTOKERNEL_CUDA: our own CUDA parts are built (language CUDA enabled, CUDA::cudart there).
# AUTOKERNEL_HIP: HIP sources are compiled by AUTOKERNEL_HIPCC.

find_package(CUDAToolkit QUIET)
set(autokernel_cuda_found OFF)
if(CUDAToolkit_FOUND AND CUDAToolkit_NVCC_EXECUTABLE)
  set(autokernel_cuda_found ON)
endif()
option(AUTOKERNEL_CUDA "Build the CUDA parts" ${autokernel_cuda_found})

if(AUTOKERNEL_CUDA)
  if(NOT autokernel_cuda_found)
    message(FATAL_ERROR "AUTOKERNEL_CUDA is ON, but there is no CUDA toolkit with nvcc (12.0 or newer): "
                        "put nvcc into PATH, or configure with -DAUTOKERNEL_CUDA=OFF")
  endif()
  if(CUDAToolkit_VERSION VERSION_LESS 12.0)
    message(FATAL_ERROR "CUDA ${CUDAToolkit_VERSION} is too old: 12.0 is the oldest that works, or -DAUTOKERNEL_CUDA=OFF")
  endif()
  # All set before the language is enabled: CMake 3.25 would try an architecture that CUDA 13 no longer knows, and does not
  # know how to ask nvcc 13 for C++20.
  set(CMAKE_CUDA_ARCHITECTURES "80-real;90" CACHE STRING "GPU architectures to compile for; the last also as PTX")
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  if(NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER ${CUDAToolkit_NVCC_EXECUTABLE})
  endif()
  if(NOT CMAKE_CUDA_HOST_COMPILER)
    set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
  endif()
  enable_language(CUDA)
endif()

find_program(AUTOKERNEL_HIPCC hipcc HINTS /opt/rocm/bin)
mark_as_advanced(AUTOKERNEL_HIPCC)
set(autokernel_hip_found OFF)
if(AUTOKERNEL_HIPCC)
  set(autokernel_hip_found ON)
endif()
option(AUTOKERNEL_HIP "Compile the HIP sources" ${autokernel_hip_found})
if(AUTOKERNEL_HIP AND NOT autokernel_hip_found)
  message(FATAL_ERROR "AUTOKERNEL_HIP is ON, but hipcc is missing: put it into PATH, or configure with -DAUTOKERNEL_HIP=OFF")
endif()

# The Python whose torch the runner is built against and run with: AUTOKERNEL_PYTHON from the environment, then the
# checkout's .venv, then whatever python3 is in PATH.
if(NOT Python3_EXECUTABLE)
  if(DEFINED ENV{AUTOKERNEL_PYTHON} AND NOT "$ENV{AUTOKERNEL_PYTHON}" STREQUAL "")
    set(autokernel_python $ENV{AUTOKERNEL_PYTHON})
  elseif(EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python3)
    set(autokernel_python ${PROJECT_SOURCE_DIR}/.venv/bin/python3)
  else()
    find_program(AUTOKERNEL_SYSTEM_PYTHON python3)
    mark_as_advanced(AUTOKERNEL_SYSTEM_PYTHON)
    set(autokernel_python ${AUTOKERNEL_SYSTEM_PYTHON})
  endif()
  set(Python3_EXECUTABLE ${autokernel_python} CACHE FILEPATH "The Python that has torch")
endif()

find_package(PyTorch QUIET)
