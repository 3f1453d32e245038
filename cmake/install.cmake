# Headers, library, CMake package and pkg-config file. All relocatable.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/evenstep)

install(DIRECTORY include/evenstep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS evenstep EXPORT evenstep-targets)
install(EXPORT evenstep-targets NAMESPACE evenstep:: DESTINATION ${package_dir})

configure_package_config_file(cmake/evenstep-config.cmake.in evenstep-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(evenstep-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/evenstep-config.cmake
  ${PROJECT_BINARY_DIR}/evenstep-config-version.cmake
  DESTINATION ${package_dir})

# The .pc file finds the prefix from where it lies, however deep the library directory is.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/evenstep.pc.in evenstep.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/evenstep.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET evenstep_command)
  install(TARGETS evenstep_command)
endif()
