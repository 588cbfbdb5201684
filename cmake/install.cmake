# What `cmake --install` leaves behind: headers, libraries, how to find them (CMake and pkg-config), problems and schema.
include(CMakePackageConfigHelpers)

set_target_properties(sarrus_core PROPERTIES EXPORT_NAME core)
set_target_properties(sarrus_io PROPERTIES EXPORT_NAME io)
add_library(sarrus::core ALIAS sarrus_core)
add_library(sarrus::io ALIAS sarrus_io)

install(DIRECTORY include/sarrus TYPE INCLUDE)
install(TARGETS sarrus_core sarrus_io EXPORT sarrus-targets)
install(DIRECTORY studies DESTINATION ${CMAKE_INSTALL_DATADIR}/sarrus)
install(DIRECTORY problems DESTINATION ${CMAKE_INSTALL_DATADIR}/sarrus PATTERN "make_*.py" EXCLUDE PATTERN "__pycache__" EXCLUDE)
install(FILES sarrus.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/sarrus)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sarrus)
install(EXPORT sarrus-targets NAMESPACE sarrus:: DESTINATION ${package_dir})
configure_package_config_file(cmake/sarrus-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/sarrus-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/sarrus-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sarrus-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/sarrus-config-version.cmake
  DESTINATION ${package_dir})

set(pc_requires "yaml-0.1")
if(SARRUS_WITH_HDF5)
  string(APPEND pc_requires " hdf5")
endif()
set(pc_sundials "")
foreach(part ${sundials_parts})
  string(APPEND pc_sundials " -lsundials_${part}")
endforeach()
set(pc_openmp "")
if(OpenMP_C_FOUND)
  foreach(name ${OpenMP_C_LIB_NAMES})
    string(APPEND pc_openmp " -l${name}")
  endforeach()
endif()
# The file says where everything is relative to itself, so that an installation can be moved.
file(RELATIVE_PATH pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/sarrus.pc.in ${CMAKE_CURRENT_BINARY_DIR}/sarrus.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sarrus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
