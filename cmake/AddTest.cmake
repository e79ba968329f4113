# add_unit_test(<name> SRCS <file>... [LAYERS <layer>...] [LABELS <label>...] [LIBS <target>...]
#               [TIMEOUT <seconds>])
#   A GoogleTest program that sees the library's inside. With LAYERS it links only these layers and
#   those below; without, the whole library as a static one.
# add_public_test(<name> ...)   the same arguments without LAYERS
#   A GoogleTest program that sees public headers and CANN's library names only, as a user does.
#
# Labels in use: unit, target, golden, threads, install, abi, lint, strict, misuse. The last is that of
# the tests in tests/strict/misuse.txt, which strict mode has to report.

include(GoogleTest)

# A request for absurdly much memory must come back as the library's error, not end the process.
set(ACLNN_CPU_TEST_ENVIRONMENT
    ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1
    TSAN_OPTIONS=allocator_may_return_null=1:halt_on_error=1:second_deadlock_stack=1
    UBSAN_OPTIONS=print_stacktrace=1)

# Sets <out> to a regular expression for the tests of <program> that tests/strict/misuse.txt lists.
function(_aclnn_cpu_misuse out program)
  set(table ${PROJECT_SOURCE_DIR}/tests/strict/misuse.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} rows REGEX "^${program} ")
  set(expression "nothing")
  foreach(row IN LISTS rows)
    string(REGEX REPLACE "^[^ ]+ ([^ ]+) .*$" "\\1" test ${row})
    string(REPLACE "." "[.]" test ${test})
    string(REPLACE "*" ".*" test ${test})
    string(APPEND expression "|${test}")
  endforeach()
  set(${out} "^(${expression})( |$)" PARENT_SCOPE)
endfunction()

function(_aclnn_cpu_test name)
  if(NOT ACLNN_CPU_TESTS)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "PUBLIC" "TIMEOUT" "SRCS;LAYERS;LABELS;LIBS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "test ${name}: unknown argument ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_executable(${name} ${arg_SRCS})
  if(arg_PUBLIC)
    target_link_libraries(${name} PRIVATE aclnn_cpu_client_flags)
    set(under_test opapi opapi_nn opapi_cv nnopbase ascendcl)
  else()
    target_link_libraries(${name} PRIVATE aclnn_cpu_flags)
    set(under_test aclnn_cpu_internal)
  endif()
  if(arg_LAYERS)
    layer_closure(under_test ${arg_LAYERS})
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  # base/status.h has a FAIL macro of its own.
  target_compile_definitions(${name} PRIVATE ACLNN_CPU_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    GTEST_DONT_DEFINE_FAIL=1)
  target_link_libraries(${name} PRIVATE ${arg_LIBS} ${under_test} GTest::gtest_main)

  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
    PROPERTIES TIMEOUT ${arg_TIMEOUT})
  # gtest_discover_tests cannot pass on lists, so ctest sets these once the tests are known.
  _aclnn_cpu_misuse(misuse ${name})
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${name}_properties.cmake)
  file(WRITE ${script}
    "if(${name}_TESTS)\n"
    "  set_tests_properties(\${${name}_TESTS} PROPERTIES LABELS \"${arg_LABELS}\"\n"
    "    ENVIRONMENT \"${ACLNN_CPU_TEST_ENVIRONMENT}\")\n"
    "endif()\n"
    "foreach(test IN LISTS ${name}_TESTS)\n"
    "  if(test MATCHES \"${misuse}\")\n"
    "    set_tests_properties(\"\${test}\" PROPERTIES LABELS \"${arg_LABELS};misuse\")\n"
    "  endif()\n"
    "endforeach()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()

function(add_unit_test name)
  _aclnn_cpu_test(${name} ${ARGN})
endfunction()

function(add_public_test name)
  _aclnn_cpu_test(${name} PUBLIC ${ARGN})
endfunction()
