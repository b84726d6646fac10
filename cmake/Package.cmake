# What is installed, and how other programs find it: find_package(mbsens), pkg-config mbsens or mbsens-static.
# Everything is found by its place, so that the installed tree may be moved.
include(CMakePackageConfigHelpers)

install(TARGETS command)
install(TARGETS mbsens EXPORT static_library INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS mbsens_shared EXPORT shared_library INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/mbsens TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(DIRECTORY models schema DESTINATION ${CMAKE_INSTALL_DATADIR}/mbsens)
install(FILES LICENSE TYPE DOC)
install(FILES ${PROJECT_BINARY_DIR}/mbsens.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/mbsens.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME mbsens)

# ---- CMake ----
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/mbsens)
foreach(library static shared)
  install(EXPORT ${library}_library DESTINATION ${config} NAMESPACE mbsens:: FILE mbsens-${library}.cmake)
endforeach()
configure_package_config_file(cmake/package/mbsensConfig.cmake.in mbsensConfig.cmake INSTALL_DESTINATION ${config})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mbsensConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mbsensConfig.cmake ${PROJECT_BINARY_DIR}/mbsensConfigVersion.cmake
              cmake/Dependencies.cmake DESTINATION ${config})

# ---- pkg-config ----
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE libdir)
string(REGEX REPLACE "[^/]+" ".." up_from_libdir "${libdir}")
foreach(name mbsens mbsens-static)
  configure_file(cmake/package/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
