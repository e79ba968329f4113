# add_layer(<name> SOURCES <file>... [DEPENDS <lower layer>...])
#
# A layer is an object library `layer_<name>`. Object libraries do not hand their objects on to
# whoever links them indirectly, so layer_closure() lists a layer and everything below it.

function(add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "add_layer(${name}): unknown argument ${arg_UNPARSED_ARGUMENTS}")
  endif()
  add_library(layer_${name} OBJECT ${arg_SOURCES})
  target_link_libraries(layer_${name} PUBLIC aclnn_cpu_flags)
  set_property(TARGET layer_${name} PROPERTY LAYER_DEPENDS ${arg_DEPENDS})
  set_property(GLOBAL APPEND PROPERTY ACLNN_CPU_LAYERS ${name})
endfunction()

# Sets <out> to the targets of the named layers and of all layers below them.
function(layer_closure out)
  set(todo ${ARGN})
  set(targets)
  while(todo)
    list(POP_FRONT todo name)
    if(NOT layer_${name} IN_LIST targets)
      list(APPEND targets layer_${name})
      get_target_property(below layer_${name} LAYER_DEPENDS)
      if(below)
        list(APPEND todo ${below})
      endif()
    endif()
  endwhile()
  set(${out} ${targets} PARENT_SCOPE)
endfunction()
