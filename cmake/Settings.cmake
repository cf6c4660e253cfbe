# How our own code is compiled: the interface target autokernel::settings, linked PRIVATE and never to third-party code.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

option(AUTOKERNEL_WERROR "Warnings are errors" OFF)
option(AUTOKERNEL_TESTS "Build the tests" ON)
option(AUTOKERNEL_CCACHE "Compile through ccache when it is installed" ON)
set(AUTOKERNEL_SANITIZER "" CACHE STRING "address (with undefined), thread, or empty for none")
set_property(CACHE AUTOKERNEL_SANITIZER PROPERTY STRINGS "" address thread)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(
    FATAL_ERROR
      "g++ ${CMAKE_CXX_COMPILER_VERSION} is too old, 12 is the oldest that works: apt-get install g++-12, then CXX=g++-12")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(AUTOKERNEL_CCACHE)
  find_program(AUTOKERNEL_CCACHE_PROGRAM ccache)
  mark_as_advanced(AUTOKERNEL_CCACHE_PROGRAM)
  if(AUTOKERNEL_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${AUTOKERNEL_CCACHE_PROGRAM})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${AUTOKERNEL_CCACHE_PROGRAM})
  endif()
endif()

add_library(autokernel_settings INTERFACE)
add_library(autokernel::settings ALIAS autokernel_settings)
target_include_directories(autokernel_settings INTERFACE ${PROJECT_SOURCE_DIR})
# -Wmaybe-uninitialized: g++ 12 and 13 see one in every variant of strings that is moved.
target_compile_options(
  autokernel_settings
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion -Wno-missing-field-initializers
            -Wno-maybe-uninitialized>
            $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${AUTOKERNEL_WERROR}>>:-Werror>)

if(AUTOKERNEL_SANITIZER STREQUAL "address")
  set(AUTOKERNEL_SANITIZER_FLAGS -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
elseif(AUTOKERNEL_SANITIZER STREQUAL "thread")
  set(AUTOKERNEL_SANITIZER_FLAGS -fsanitize=thread -fno-omit-frame-pointer)
elseif(NOT AUTOKERNEL_SANITIZER STREQUAL "")
  message(FATAL_ERROR "AUTOKERNEL_SANITIZER is '${AUTOKERNEL_SANITIZER}': use address, thread or nothing")
endif()
if(AUTOKERNEL_SANITIZER_FLAGS)
  target_compile_options(autokernel_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${AUTOKERNEL_SANITIZER_FLAGS}>)
  target_link_options(autokernel_settings INTERFACE ${AUTOKERNEL_SANITIZER_FLAGS})
endif()
