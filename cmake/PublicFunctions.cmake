# Reads public_functions.txt: one line per exported function, `<name> <library>,<library>...`, the
# libraries being those of CANN's names that define it (without "lib" and ".so").
#
# Sets ACLNN_CPU_FUNCTIONS to all names, ACLNN_CPU_FUNCTIONS_<library> to those of one library.

set(ACLNN_CPU_FORWARDING_LIBS ascendcl acl_rt nnopbase opapi opapi_nn opapi_cv opapi_math
    aclnn_ops_train aclnn_ops_infer aclnn_math)

set(ACLNN_CPU_FUNCTION_LIST ${PROJECT_SOURCE_DIR}/cmake/public_functions.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ACLNN_CPU_FUNCTION_LIST})

file(STRINGS ${ACLNN_CPU_FUNCTION_LIST} lines REGEX "^[^#]")
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^([A-Za-z0-9]+) ([a-z_,]+)$")
    message(FATAL_ERROR "public_functions.txt: cannot read '${line}'")
  endif()
  set(name ${CMAKE_MATCH_1})
  string(REPLACE "," ";" libs ${CMAKE_MATCH_2})
  list(APPEND ACLNN_CPU_FUNCTIONS ${name})
  foreach(lib IN LISTS libs)
    if(NOT lib IN_LIST ACLNN_CPU_FORWARDING_LIBS)
      message(FATAL_ERROR "public_functions.txt: ${name} names the unknown library '${lib}'")
    endif()
    list(APPEND ACLNN_CPU_FUNCTIONS_${lib} ${name})
  endforeach()
endforeach()
