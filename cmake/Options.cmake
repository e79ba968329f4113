# How every object of the project is compiled: one INTERFACE target, aclnn_cpu_flags.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

# One optimisation level, so that what is installed is what the tests have run.
string(REPLACE "-O3" "-O2" CMAKE_C_FLAGS_RELEASE "${CMAKE_C_FLAGS_RELEASE}")
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

find_program(ACLNN_CPU_CCACHE ccache)
mark_as_advanced(ACLNN_CPU_CCACHE)
if(ACLNN_CPU_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${ACLNN_CPU_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ACLNN_CPU_CCACHE})
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(hwy REQUIRED)

set(ACLNN_CPU_GENERATED_INCLUDE ${PROJECT_BINARY_DIR}/include-generated)

add_library(aclnn_cpu_flags INTERFACE)
target_include_directories(aclnn_cpu_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include ${ACLNN_CPU_GENERATED_INCLUDE})
# Only fmt's headers: its code is compiled once, in base/fmt_engine.cc.
get_target_property(fmt_include fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(aclnn_cpu_flags SYSTEM INTERFACE ${fmt_include})
target_link_libraries(aclnn_cpu_flags INTERFACE hwy::hwy Threads::Threads)

# -ffp-contract=off: GCC fuses multiply and add by default, which would give targets with FMA other
# bits than targets without.
target_compile_options(aclnn_cpu_flags INTERFACE
  -Wall -Wextra -Wshadow -ffp-contract=off -fno-math-errno -fvisibility=hidden -pthread
  $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)
if(ACLNN_CPU_DEVELOPER)
  target_compile_options(aclnn_cpu_flags INTERFACE -Werror)
endif()

# Not the enum check: callers, in C too, may pass any number as an enumeration, and the functions
# have to answer with a code.
if(ACLNN_CPU_SANITIZE)
  target_compile_options(aclnn_cpu_flags INTERFACE
    -fsanitize=${ACLNN_CPU_SANITIZE} -fno-sanitize=enum -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(aclnn_cpu_flags INTERFACE -fsanitize=${ACLNN_CPU_SANITIZE})
endif()

# The macro names are Highway's; they are expanded inside its headers, on every architecture.
if(NOT ACLNN_CPU_AVX512)
  target_compile_definitions(aclnn_cpu_flags INTERFACE
    "HWY_DISABLED_TARGETS=(HWY_AVX3|HWY_AVX3_DL)")
endif()

# How programs that use the library as a user does are compiled: public headers only.
add_library(aclnn_cpu_client_flags INTERFACE)
target_include_directories(aclnn_cpu_client_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${ACLNN_CPU_GENERATED_INCLUDE}
  ${PROJECT_SOURCE_DIR}/include/aclnn ${PROJECT_SOURCE_DIR}/include/aclnnop)
target_compile_options(aclnn_cpu_client_flags INTERFACE -Wall -Wextra -pthread)
if(ACLNN_CPU_DEVELOPER)
  target_compile_options(aclnn_cpu_client_flags INTERFACE -Werror)
endif()
if(ACLNN_CPU_SANITIZE)
  target_compile_options(aclnn_cpu_client_flags INTERFACE -fsanitize=${ACLNN_CPU_SANITIZE})
  target_link_options(aclnn_cpu_client_flags INTERFACE -fsanitize=${ACLNN_CPU_SANITIZE})
endif()
