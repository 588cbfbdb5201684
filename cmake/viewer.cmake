# The script of the pages of `sarrus view`, bundled by esbuild from viewer/ and built into the program. Packages come from
# npm, as viewer/package-lock.json says, once. Without npm, or without them, the program says what is missing.
set(viewer_folder ${CMAKE_CURRENT_SOURCE_DIR}/viewer)
set(viewer_source ${CMAKE_CURRENT_BINARY_DIR}/viewer.c)
set(viewer_missing "")
find_program(NODE node)
find_program(NPM npm)
if(NOT SARRUS_WITH_VIEWER)
  set(viewer_missing "it was built with -DSARRUS_WITH_VIEWER=OFF")
elseif(NOT NODE OR NOT NPM)
  set(viewer_missing "node and npm were not found when it was built")
else()
  set(installed ${viewer_folder}/node_modules/.package-lock.json)
  if(NOT EXISTS ${installed} OR ${viewer_folder}/package-lock.json IS_NEWER_THAN ${installed})
    message(STATUS "Fetching the packages of the viewer with npm")
    execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund WORKING_DIRECTORY ${viewer_folder}
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET TIMEOUT 300)
    if(failed)
      set(viewer_missing "npm could not fetch its packages when it was built ('npm ci' in the folder viewer says why)")
    else()
      file(TOUCH ${installed})
    endif()
  endif()
endif()
if(viewer_missing AND SARRUS_WITH_VIEWER AND NOT SARRUS_WITH_VIEWER STREQUAL "AUTO")
  message(FATAL_ERROR "SARRUS_WITH_VIEWER: ${viewer_missing}")
endif()
if(viewer_missing)
  message(STATUS "No pages of motions: ${viewer_missing}")
  file(CONFIGURE OUTPUT ${viewer_source} @ONLY CONTENT [[
#include "pages/viewer.h"
const unsigned char cli_viewer_script[1] = {0}, cli_viewer_style[1] = {0};
const size_t cli_viewer_script_length = 0, cli_viewer_style_length = 0;
const char* const cli_viewer_missing = "@viewer_missing@";
]])
else()
  file(GLOB viewer_files CONFIGURE_DEPENDS ${viewer_folder}/src/*)
  add_custom_command(OUTPUT ${viewer_source} COMMAND ${NODE} ${viewer_folder}/build.mjs ${viewer_source}
    DEPENDS ${viewer_files} ${viewer_folder}/build.mjs ${viewer_folder}/package-lock.json VERBATIM)
endif()
target_sources(sarrus PRIVATE ${viewer_source})

find_package(ZLIB QUIET) # numbers in pages are deflated; without it they are larger
if(ZLIB_FOUND)
  target_link_libraries(sarrus PRIVATE ZLIB::ZLIB)
  target_compile_definitions(sarrus PRIVATE SARRUS_WITH_ZLIB)
endif()
