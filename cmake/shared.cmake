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
function(link_libraries_of_sarrus target)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:sarrus_flags> $<BUILD_INTERFACE:${AMD_LIBRARY}>
    $<BUILD_INTERFACE:${SUITESPARSECONFIG_LIBRARY}> $<BUILD_INTERFACE:${YAML_LIBRARY}> $<BUILD_INTERFACE:${EXPAT_LIBRARY}>
    ${CMAKE_DL_LIBS} m)
  foreach(part ${sundials_parts})
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${sundials_${part}}>)
  endforeach()
  if(OpenMP_C_FOUND)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${OpenMP_C_LIBRARIES}>)
  endif()
  if(hdf5_linked)
    target_link_libraries(${target} PRIVATE "$<BUILD_INTERFACE:${HDF5_C_LIBRARIES}>")
  endif()
endfunction()
function(link_as_shared target)
  link_libraries_of_sarrus(${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME sarrus VERSION ${PROJECT_VERSION} SOVERSION ${abi} LINK_DEPENDS ${version_script})
  # Calls within the library are its own; a library that nobody calls is not asked for.
  target_link_options(${target} PRIVATE -Wl,-Bsymbolic-functions -Wl,--as-needed -Wl,--version-script=${version_script})
  if(NOT SARRUS_SANITIZE) # whose run-time the program that loads the library has
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
endfunction()
link_as_shared(sarrus_shared)
