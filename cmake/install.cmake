# Headers, library, CMake package, pkg-config file, licence; the command. All relocatable.
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

# The .pc file finds the prefix from where it lies, however deep the library directory is. Directories
# that were given as absolute stay where they are.
set(pc_prefix ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_prefix}")
endif()
foreach(directory libdir includedir)
  string(TOUPPER ${directory} variable)
  set(pc_${directory} ${CMAKE_INSTALL_${variable}})
  if(NOT IS_ABSOLUTE "${pc_${directory}}")
    set(pc_${directory} "\${prefix}/${pc_${directory}}")
  endif()
endforeach()

# What the library needs itself, its users link only with the static one: then it is the only one
# here, and they need not know (--static).
get_target_property(library_type evenstep TYPE)
set(pc_libs "")
set(pc_libs_private "")
if(EVENSTEP_MATH)
  if(library_type STREQUAL "SHARED_LIBRARY")
    set(pc_libs_private " -lm")
  else()
    set(pc_libs " -lm")
  endif()
endif()
if(CMAKE_THREAD_LIBS_INIT AND library_type STREQUAL "SHARED_LIBRARY")
  string(APPEND pc_libs_private " ${CMAKE_THREAD_LIBS_INIT}")
elseif(CMAKE_THREAD_LIBS_INIT)
  string(APPEND pc_libs " ${CMAKE_THREAD_LIBS_INIT}")
endif()
configure_file(cmake/evenstep.pc.in evenstep.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/evenstep.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The command finds a shared library from where it lies itself, unless whoever packages it says how.
if(TARGET evenstep_command)
  if(library_type STREQUAL "SHARED_LIBRARY" AND NOT DEFINED CMAKE_INSTALL_RPATH)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
      set(run_path "${CMAKE_INSTALL_FULL_LIBDIR}")
    else()
      file(RELATIVE_PATH run_path "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
      if(APPLE)
        string(PREPEND run_path "@loader_path/")
      else()
        string(PREPEND run_path "\$ORIGIN/")
      endif()
    endif()
    set_target_properties(evenstep_command PROPERTIES INSTALL_RPATH "${run_path}")
  endif()
  install(TARGETS evenstep_command)
endif()

# Within others' projects CMAKE_INSTALL_DOCDIR may be theirs, with a licence of theirs.
if(PROJECT_IS_TOP_LEVEL)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
else()
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/evenstep)
endif()
