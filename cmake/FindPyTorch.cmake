# Finds the PyTorch that a Python has, and makes one target of it: PyTorch::PyTorch is libtorch, its Python binding, its pybind11
# and the libpython to embed. It asks the Python itself rather than TorchConfig.cmake, which demands nvcc for a CPU-only
# build, runs CMake's legacy CUDA detection, and may find another Python than the one whose torch it is.
#
# In:  Python3_EXECUTABLE      the Python that has torch; otherwise AUTOKERNEL_PYTHON of the environment, the checkout's .venv,
#                              or python3 of PATH
# Out: PyTorch_FOUND           PyTorch_VERSION ("2.11.0+cu130")   PyTorch_PYTHON   PyTorch_PYTHON_VERSION ("3.11")
#      PyTorch_LIBRARY_DIR     PyTorch_NOT_FOUND_MESSAGE (why not, and what to do)
set(PyTorch_MINIMUM 2.9)

function(autokernel_find_pytorch)
  foreach(variable FOUND VERSION PYTHON PYTHON_VERSION LIBRARY_DIR NOT_FOUND_MESSAGE)
    set(PyTorch_${variable} "" PARENT_SCOPE)
  endforeach()
  macro(not_found)
    string(CONCAT message ${ARGN})
    set(PyTorch_NOT_FOUND_MESSAGE "${message}" PARENT_SCOPE)
    set(PyTorch_FOUND FALSE PARENT_SCOPE)
    if(PyTorch_FIND_REQUIRED)
      message(FATAL_ERROR "${message}")
    elseif(NOT PyTorch_FIND_QUIETLY)
      message(STATUS "${message}")
    endif()
    return()
  endmacro()

  set(python "${Python3_EXECUTABLE}")
  if(NOT python AND NOT "$ENV{AUTOKERNEL_PYTHON}" STREQUAL "")
    set(python "$ENV{AUTOKERNEL_PYTHON}")
  endif()
  if(NOT python AND EXISTS ${PROJECT_SOURCE_DIR}/.venv/bin/python3)
    set(python ${PROJECT_SOURCE_DIR}/.venv/bin/python3)
  endif()
  if(NOT python)
    find_program(python python3 NO_CACHE)
  endif()
  if(NOT python)
    not_found("There is no python3. Run scripts/setup, or: apt-get install python3-venv libpython3-dev")
  endif()

  # find_spec does not import torch: a second instead of an instant, and a broken one would hide its own version.
  set(question "
import importlib.util, os, runpy, sys, sysconfig
get = sysconfig.get_config_var
names = [n for n in (get('INSTSONAME'), get('LDLIBRARY')) if n and '.so' in n]
names.append('libpython%d.%d.so.1.0' % sys.version_info[:2])
folders = [f for f in (get('LIBDIR'), os.path.join(sys.base_prefix, 'lib'),
                       os.path.join('/usr/lib', get('MULTIARCH') or '')) if f]
found = [os.path.join(f, n) for f in folders for n in names if os.path.exists(os.path.join(f, n))]
spec = importlib.util.find_spec('torch')
where = os.path.dirname(spec.origin) if spec and spec.origin else ''
version = runpy.run_path(os.path.join(where, 'version.py'))['__version__'] if where else ''
print(';'.join(['%d.%d' % sys.version_info[:2], sysconfig.get_path('include'), found[0] if found else '', where, str(version),
                sys.executable]))
")
  execute_process(COMMAND ${python} -c "${question}" OUTPUT_VARIABLE answer ERROR_VARIABLE complaint RESULT_VARIABLE status
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(LENGTH answer parts)
  if(NOT status EQUAL 0 OR NOT parts EQUAL 6)
    not_found("'${python}' does not answer: ${status} ${complaint}")
  endif()
  list(GET answer 0 python_version)
  list(GET answer 1 python_include)
  list(GET answer 2 python_library)
  list(GET answer 3 torch_folder)
  list(GET answer 4 torch_version)
  list(GET answer 5 executable)

  if(NOT torch_folder)
    not_found("'${python}' has no torch. Run scripts/setup, or: ${python} -m pip install torch, or name a Python that has it: "
              "-DPython3_EXECUTABLE=/path/to/python3")
  endif()
  if(torch_version VERSION_LESS PyTorch_MINIMUM)
    not_found("torch ${torch_version} of '${python}' is too old, ${PyTorch_MINIMUM} is the oldest that works: "
              "${python} -m pip install --upgrade torch")
  endif()
  if(NOT EXISTS ${python_include}/Python.h)
    not_found("${python_include}/Python.h is missing: apt-get install libpython${python_version}-dev")
  endif()
  if(NOT python_library)
    not_found("'${python}' has no shared libpython${python_version} to embed. Make the venv with the distribution's own Python: "
              "/usr/bin/python3 -m venv .venv, and: apt-get install libpython3-dev")
  endif()
  foreach(library torch torch_cpu torch_python c10)
    if(NOT EXISTS ${torch_folder}/lib/lib${library}.so)
      not_found("${torch_folder}/lib/lib${library}.so is missing: this torch is not whole, install it again")
    endif()
  endforeach()

  if(NOT TARGET PyTorch::PyTorch)
    add_library(PyTorch::PyTorch INTERFACE IMPORTED GLOBAL)
    set_target_properties(
      PyTorch::PyTorch
      PROPERTIES INTERFACE_INCLUDE_DIRECTORIES
                 "${torch_folder}/include;${torch_folder}/include/torch/csrc/api/include;${python_include}"
                 # libtorch pulls in libtorch_cuda where there is one; no symbol of it is named by us, so that one build of the
                 # runner is linked alike against every flavour of torch.
                 INTERFACE_LINK_LIBRARIES
                 "${torch_folder}/lib/libtorch_python.so;${torch_folder}/lib/libtorch.so;${torch_folder}/lib/libtorch_cpu.so;${torch_folder}/lib/libc10.so;${python_library}"
                 # The libraries they need in turn are found by their own rpath at run time; the linker need not see them.
                 INTERFACE_LINK_OPTIONS "-Wl,--allow-shlib-undefined;-Wl,--unresolved-symbols=ignore-in-shared-libs")
  endif()
  set(PyTorch_FOUND TRUE PARENT_SCOPE)
  set(PyTorch_VERSION ${torch_version} PARENT_SCOPE)
  set(PyTorch_PYTHON ${executable} PARENT_SCOPE)
  set(PyTorch_PYTHON_VERSION ${python_version} PARENT_SCOPE)
  set(PyTorch_LIBRARY_DIR ${torch_folder}/lib PARENT_SCOPE)
endfunction()

autokernel_find_pytorch()
