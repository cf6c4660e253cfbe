# A compiler that was installed without libstdc++.so links its runtime statically. A program that also loads shared C++
# libraries (torch) then has two, and an exception thrown by one cannot be rethrown by the other. This links such a
# program with the system's shared runtime; with every ordinary compiler it does nothing.
function(autokernel_shared_cxx_runtime target)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.so
                  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(IS_ABSOLUTE "${found}")
    return()
  endif()
  find_file(AUTOKERNEL_LIBSTDCXX libstdc++.so.6 PATHS /usr/lib/x86_64-linux-gnu /usr/lib64 /lib64)
  if(NOT AUTOKERNEL_LIBSTDCXX)
    message(FATAL_ERROR "${CMAKE_CXX_COMPILER} links the C++ runtime statically, and libstdc++.so.6 is nowhere to be found. "
                        "Use another compiler (-DCMAKE_CXX_COMPILER=/usr/bin/g++), or: apt-get install libstdc++6")
  endif()
  target_link_libraries(${target} PRIVATE ${AUTOKERNEL_LIBSTDCXX})
endfunction()
