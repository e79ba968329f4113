# CANN's library names, each a few KB of generated assembly: per public function a jump to the
# core's alias of it. Clients linked here therefore ask for CANN's names and for nothing of ours.
#
# Not symlinks (the client would record the core's name), not DT_FILTER (after a dlopen of a filter
# library the unwinder does not know the core, so exceptions inside it end the process).

function(add_forwarding_library lib)
  set(source ${PROJECT_BINARY_DIR}/forwarding/${lib}.S)
  set(FORWARDS)
  foreach(name IN LISTS ACLNN_CPU_FUNCTIONS_${lib})
    string(APPEND FORWARDS "forward ${name}\n")
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/forwarding.S.in ${source} @ONLY)
  add_library(${lib} SHARED ${source})
  set_target_properties(${lib} PROPERTIES
    LINKER_LANGUAGE C
    LIBRARY_OUTPUT_DIRECTORY ${ACLNN_CPU_LIBRARY_DIR}
    BUILD_RPATH "$ORIGIN"
    INSTALL_RPATH "$ORIGIN"
    BUILD_WITH_INSTALL_RPATH ON)
  target_link_options(${lib} PRIVATE -nostdlib
    LINKER:--no-as-needed LINKER:-z,defs LINKER:--enable-new-dtags)
  target_link_libraries(${lib} PRIVATE aclnn_cpu)
endfunction()

foreach(lib IN LISTS ACLNN_CPU_FORWARDING_LIBS)
  add_forwarding_library(${lib})
endforeach()
