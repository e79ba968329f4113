# add_op(<stem>): everything of the operator folder src/opapi/<stem>, by file name.
#
#   reference.cc     test-only library <stem>_reference
#   <kind>_test.cc   test <stem>_<kind>_test
#   bench.cc         part of the program `bench`
#   any other .cc    layer opapi_<stem>

set(ACLNN_CPU_OP_FILES README.md problem.h contract.cc plan.cc kernel.cc reference.cc
    contract_test.cc kernel_test.cc)

function(add_op stem)
  set(dir ${CMAKE_CURRENT_SOURCE_DIR}/${stem})
  foreach(file IN LISTS ACLNN_CPU_OP_FILES)
    if(NOT EXISTS ${dir}/${file})
      message(FATAL_ERROR "${dir} lacks ${file}")
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY ACLNN_CPU_OPS ${stem})

  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${dir}/*.cc)
  list(FILTER sources EXCLUDE REGEX "(_test|/reference|/bench)\\.cc$")
  add_layer(opapi_${stem} DEPENDS nnopbase simd SOURCES ${sources})

  if(NOT ACLNN_CPU_TESTS)
    return()
  endif()
  add_library(${stem}_reference STATIC EXCLUDE_FROM_ALL ${stem}/reference.cc)
  target_link_libraries(${stem}_reference PUBLIC aclnn_cpu_flags)
  file(GLOB tests CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${dir}/*_test.cc)
  foreach(test IN LISTS tests)
    get_filename_component(kind ${test} NAME_WE)
    set(labels unit)
    if(kind STREQUAL "kernel_test")
      set(labels unit target)
    elseif(kind STREQUAL "golden_test")
      set(labels unit golden)
    endif()
    add_unit_test(${stem}_${kind} SRCS ${test} LAYERS opapi_${stem}
      LIBS ${stem}_reference test_support rapidcheck LABELS ${labels})
  endforeach()
endfunction()

# add_op_registry(): the table behind nnopbase/op_registry.h, one row per add_op() so far, as layer
# op_registry.
function(add_op_registry)
  get_property(stems GLOBAL PROPERTY ACLNN_CPU_OPS)
  set(declarations)
  set(rows)
  set(below)
  foreach(stem IN LISTS stems)
    string(APPEND declarations "namespace ${stem} {\nconst OpInfo& Info();\n}\n")
    string(APPEND rows "    {&${stem}::Info},\n")
    list(APPEND below opapi_${stem})
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/op_registry.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT
"#include \"nnopbase/op_registry.h\"

namespace aclnn_cpu {

${declarations}
namespace {
constexpr OpEntry kOps[] = {
${rows}};
}  // namespace

std::span<const OpEntry> RegisteredOps() { return kOps; }

}  // namespace aclnn_cpu
")
  add_layer(op_registry DEPENDS nnopbase ${below} SOURCES ${source})
endfunction()
