# libaclnn_cpu.so.0: all layers in one shared library that exports the public functions and, for the
# forwarding libraries, an alias aclnn_cpu_<name> of each. A forwarding library could not reach
# aclInit by its own name: it defines aclInit itself.
#
# The version script is anonymous: with a named version, clients would ask for aclInit@NAME and
# could not start on CANN's own libraries.

# What the aclnn-cpu tool asks; not public (src/opapi/describe.h).
set(exports "    aclnn_cpu_describe;\n")
set(aliases)
foreach(name IN LISTS ACLNN_CPU_FUNCTIONS)
  string(APPEND exports "    ${name};\n    aclnn_cpu_${name};\n")
  string(APPEND aliases "-Wl,--defsym=aclnn_cpu_${name}=${name}\n")
endforeach()
set(exports_map ${PROJECT_BINARY_DIR}/exports.map)
set(aliases_file ${PROJECT_BINARY_DIR}/aliases.rsp)
file(CONFIGURE OUTPUT ${exports_map} CONTENT "{\n  global:\n${exports}  local:\n    *;\n};\n")
file(CONFIGURE OUTPUT ${aliases_file} CONTENT "${aliases}")

set(ACLNN_CPU_LIBRARY_DIR ${PROJECT_BINARY_DIR}/lib64)

get_property(layers GLOBAL PROPERTY ACLNN_CPU_LAYERS)
list(TRANSFORM layers PREPEND layer_)

add_library(aclnn_cpu SHARED)
target_link_libraries(aclnn_cpu PRIVATE ${layers})
set_target_properties(aclnn_cpu PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}
  LINKER_LANGUAGE CXX
  LIBRARY_OUTPUT_DIRECTORY ${ACLNN_CPU_LIBRARY_DIR}
  LINK_DEPENDS "${exports_map};${aliases_file}")
# nodelete: worker threads may still run in the library after a client's dlclose.
target_link_options(aclnn_cpu PRIVATE @${aliases_file}
  LINKER:--version-script=${exports_map}
  LINKER:-z,nodelete LINKER:-z,defs LINKER:--as-needed)
