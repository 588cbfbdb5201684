# The program as a module, from the objects of the program and of the library: Python loads it in the place of libsarrus.so where
# methods written in Python shall be in commands (python -m sarrus). Its folder is named as those of cmake/processors.cmake.
if(SARRUS_SANITIZE OR NOT SARRUS_SHARED OR SARRUS_BUILD_FUZZ)
  return()
endif()
target_compile_options(sarrus PRIVATE -fPIC)
add_library(sarrus_program MODULE $<TARGET_OBJECTS:sarrus> $<TARGET_OBJECTS:sarrus_core> $<TARGET_OBJECTS:sarrus_io>)
set_target_properties(sarrus_program PROPERTIES PREFIX "" OUTPUT_NAME program SUFFIX .so LINKER_LANGUAGE C
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/baseline)
link_libraries_of_sarrus(sarrus_program)
if(ZLIB_FOUND)
  target_link_libraries(sarrus_program PRIVATE ZLIB::ZLIB)
endif()
target_link_options(sarrus_program PRIVATE -Wl,-Bsymbolic -Wl,--as-needed)
install(TARGETS sarrus_program LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sarrus/baseline COMPONENT program OPTIONAL)
