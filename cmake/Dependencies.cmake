# Every third-party package, found on this machine; nothing is downloaded. A missing one stops with the command that brings it.
function(autokernel_missing name apt)
  message(FATAL_ERROR "${name} is missing. Run scripts/setup, or: apt-get install ${apt}")
endfunction()

macro(autokernel_find package apt)
  find_package(${package} QUIET ${ARGN})
  if(NOT ${package}_FOUND)
    autokernel_missing(${package} "${apt}")
  endif()
endmacro()

find_package(PkgConfig QUIET)
if(NOT PKG_CONFIG_FOUND)
  autokernel_missing(pkg-config pkg-config)
endif()

# Makes the imported target PkgConfig::<target>.
macro(autokernel_pkg target module apt)
  pkg_check_modules(${target} QUIET IMPORTED_TARGET ${module})
  if(NOT ${target}_FOUND)
    autokernel_missing(${module} "${apt}")
  endif()
endmacro()

# For libraries of headers alone that bring neither a CMake package nor a pkg-config file on every distribution.
macro(autokernel_header header apt)
  string(MAKE_C_IDENTIFIER AUTOKERNEL_HAS_${header} autokernel_header_variable)
  find_path(${autokernel_header_variable} ${header})
  mark_as_advanced(${autokernel_header_variable})
  if(NOT ${autokernel_header_variable})
    autokernel_missing(${header} "${apt}")
  endif()
endmacro()

find_package(Threads REQUIRED)
autokernel_find(fmt libfmt-dev)
autokernel_find(spdlog libspdlog-dev)
autokernel_find(nlohmann_json nlohmann-json3-dev)
autokernel_find(CLI11 libcli11-dev)
autokernel_find(OpenSSL libssl-dev)
autokernel_pkg(libzmq libzmq libzmq3-dev)
autokernel_pkg(hiredis hiredis libhiredis-dev)
autokernel_find(cppzmq cppzmq-dev)
autokernel_header(msgpack.hpp "libmsgpack-cxx-dev (Ubuntu 22.04: libmsgpack-dev)")
autokernel_find(tomlplusplus libtomlplusplus-dev)
autokernel_header(tl/expected.hpp libexpected-dev)
if(AUTOKERNEL_TESTS)
  autokernel_find(GTest "libgtest-dev libgmock-dev")
endif()

# The core alone: the CMake package of prometheus-cpp also wants curl, zlib and civetweb, for parts that we do not use.
autokernel_pkg(prometheus_cpp prometheus-cpp-core prometheus-cpp-dev)
add_library(prometheus-cpp::core ALIAS PkgConfig::prometheus_cpp)
