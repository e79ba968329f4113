# The installed tree has CANN's layout, so that its root can be used as ASCEND_HOME_PATH. Every path
# in it is relative to the file that holds it: the tree may be moved. Only set_env.sh knows the prefix,
# for shells that do not tell it where it is.

include(CMakePackageConfigHelpers)

# CANN's samples name <home>/lib64/libX.so in full, so lib64 is fixed and not the system's choice.
set(lib lib64)
set(package ${lib}/cmake/aclnn_cpu)

install(TARGETS aclnn_cpu ${ACLNN_CPU_FORWARDING_LIBS} LIBRARY DESTINATION ${lib})
install(DIRECTORY include/ ${ACLNN_CPU_GENERATED_INCLUDE}/aclnnop DESTINATION include
        FILES_MATCHING PATTERN "*.h")
install(TARGETS aclnn-cpu RUNTIME DESTINATION bin)
# Frameworks refuse a toolkit that lacks these folders.
install(DIRECTORY DESTINATION runtime)
install(DIRECTORY DESTINATION compiler)
install(DIRECTORY DESTINATION opp)

set(out ${PROJECT_BINARY_DIR}/packaging)
list(JOIN ACLNN_CPU_FORWARDING_LIBS " " names)
configure_file(cmake/aclnn_cpu-config.cmake.in ${out}/aclnn_cpu-config.cmake @ONLY)
write_basic_package_version_file(${out}/aclnn_cpu-config-version.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(cmake/aclnn_cpu.pc.in ${out}/aclnn_cpu.pc @ONLY)

install(FILES ${out}/aclnn_cpu-config.cmake ${out}/aclnn_cpu-config-version.cmake
        DESTINATION ${package})
# Debian's CMake does not search a prefix for lib64/cmake, but does for share/cmake.
file(CONFIGURE OUTPUT ${out}/share/aclnn_cpu-config.cmake CONTENT
  "include(\"\${CMAKE_CURRENT_LIST_DIR}/../../../${package}/aclnn_cpu-config.cmake\")\n" @ONLY)
install(FILES ${out}/share/aclnn_cpu-config.cmake ${out}/aclnn_cpu-config-version.cmake
        DESTINATION share/cmake/aclnn_cpu)
install(FILES ${out}/aclnn_cpu.pc DESTINATION ${lib}/pkgconfig)
# Written in its place when installed, as only then the prefix is known.
install(CODE "
  cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX NORMALIZE OUTPUT_VARIABLE prefix)
  set(file \"\$ENV{DESTDIR}\${prefix}/set_env.sh\")
  string(REPLACE \"'\" [['\\'']] prefix \"\${prefix}\")
  configure_file([[${PROJECT_SOURCE_DIR}/cmake/set_env.sh.in]] \"\${file}\" @ONLY)
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${file}\")
")
