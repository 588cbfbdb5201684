# libsarrus.so: the objects of both static libraries, compiled once. Its only symbols are the functions of the public headers,
# which symbols.txt lists (`tools/symbols.py` writes the list, and tests/cli/test_library.py holds the library against it).
# Before version 1.0 a new minor version may change them, so that it is part of the name by which programs ask for it.
if(NOT SARRUS_SHARED OR SARRUS_BUILD_FUZZ)
  return()
endif()
set(abi ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(version_script ${CMAKE_CURRENT_BINARY_DIR}/sarrus.map)
set(symbol_list ${CMAKE_CURRENT_SOURCE_DIR}/cmake/symbols.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${symbol_list})
file(READ ${symbol_list} symbols)
string(REPLACE "\n" ";\n" symbols "${symbols}")
file(GENERATE OUTPUT ${version_script} CONTENT "SARRUS_${abi} {\nglobal:\n${symbols}local: *;\n};\n")
add_library(sarrus_shared SHARED $<TARGET_OBJECTS:sarrus_core> $<TARGET_OBJECTS:sarrus_io>)
set_target_properties(sarrus_shared PROPERTIES EXPORT_NAME shared LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
target_include_directories(sarrus_shared PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# What the static libraries leave to their users, this one links itself.
function(link_as_shared target)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:sarrus_flags> $<BUILD_INTERFACE:${AMD_LIBRARY}>
    $<BUILD_INTERFACE:${SUITESPARSECONFIG_LIBRARY}> $<BUILD_INTERFACE:${YAML_LIBRARY}> ${CMAKE_DL_LIBS} m)
  foreach(part ${sundials_parts})
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${sundials_${part}}>)
  endforeach()
  if(OpenMP_C_FOUND)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${OpenMP_C_LIBRARIES}>)
  endif()
  if(hdf5_linked)
    target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:${HDF5_C_LIBRARIES}>")
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME sarrus VERSION ${PROJECT_VERSION} SOVERSION ${abi} LINK_DEPENDS ${version_script})
  # Calls within the library are its own; a library that nobody calls is not asked for.
  target_link_options(${target} PRIVATE -Wl,-Bsymbolic-functions -Wl,--as-needed -Wl,--version-script=${version_script})
  if(NOT SARRUS_SANITIZE) # whose run-time the program that loads the library has
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
endfunction()
link_as_shared(sarrus_shared)

# The same sources for processors with AVX2, in the folder in which the dynamic linker of glibc looks first on those: it is what
# programs get there, without anything to choose. Without fused multiply-adds the bits are the same.
if(SARRUS_HWCAPS AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT SARRUS_NATIVE)
  set(hwcaps glibc-hwcaps/x86-64-v3)
  add_library(sarrus_shared_v3 SHARED ${core_sources} ${bibliography} ${io_sources})
  set_target_properties(sarrus_shared_v3 PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${hwcaps})
  foreach(part sarrus_core sarrus_io)
    target_include_directories(sarrus_shared_v3 PRIVATE $<TARGET_PROPERTY:${part},INCLUDE_DIRECTORIES>)
    target_compile_definitions(sarrus_shared_v3 PRIVATE $<TARGET_PROPERTY:${part},COMPILE_DEFINITIONS>)
  endforeach()
  target_compile_options(sarrus_shared_v3 PRIVATE -march=x86-64-v3 -mno-fma ${OpenMP_C_FLAGS})
  link_as_shared(sarrus_shared_v3)
  install(TARGETS sarrus_shared_v3 LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/${hwcaps} NAMELINK_SKIP)
endif()
