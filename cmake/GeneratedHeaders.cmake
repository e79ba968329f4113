# Headers that follow from include/aclnnop/aclnn_<stem>.h and public_functions.txt:
#   aclnnop/level2/aclnn_<stem>.h    the second spelling, used by code for CANN 8.1
#   aclnnop/aclnn_ops_<domain>.h     umbrellas: the operators of the domain's library

set(ACLNN_CPU_UMBRELLAS nn=opapi_nn cv=opapi_cv train=aclnn_ops_train infer=aclnn_ops_infer)

set(generated ${ACLNN_CPU_GENERATED_INCLUDE}/aclnnop)
file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include/aclnnop
     ${PROJECT_SOURCE_DIR}/include/aclnnop/aclnn_*.h)

foreach(header IN LISTS headers)
  string(MAKE_C_IDENTIFIER "ACLNN_CPU_ACLNNOP_LEVEL2_${header}_" guard)
  string(TOUPPER ${guard} guard)
  file(CONFIGURE OUTPUT ${generated}/level2/${header} CONTENT
"#ifndef ${guard}
#define ${guard}

#include \"aclnnop/${header}\"

#endif /* ${guard} */
")
endforeach()

foreach(umbrella IN LISTS ACLNN_CPU_UMBRELLAS)
  string(REGEX MATCH "^(.+)=(.+)$" _ ${umbrella})
  set(domain ${CMAKE_MATCH_1})
  set(lib ${CMAKE_MATCH_2})
  set(includes)
  foreach(header IN LISTS headers)
    file(STRINGS ${PROJECT_SOURCE_DIR}/include/aclnnop/${header} found
         REGEX "aclnn[A-Za-z0-9]+GetWorkspaceSize\\(" LIMIT_COUNT 1)
    if(found MATCHES "(aclnn[A-Za-z0-9]+GetWorkspaceSize)\\("
       AND CMAKE_MATCH_1 IN_LIST ACLNN_CPU_FUNCTIONS_${lib})
      string(APPEND includes "#include \"aclnnop/${header}\"\n")
    endif()
  endforeach()
  string(TOUPPER ACLNN_CPU_ACLNNOP_ACLNN_OPS_${domain}_H_ guard)
  file(CONFIGURE OUTPUT ${generated}/aclnn_ops_${domain}.h CONTENT
"#ifndef ${guard}
#define ${guard}

/* The operators of lib${lib}.so. */
${includes}
#endif /* ${guard} */
")
endforeach()
