# The solver of live pages as WebAssembly. `make wasm` builds it (target live_solver, with emscripten); a program that is built afterwards
# has it inside. An ordinary build takes what is there, so that nobody waits for a second compiler with every change.
set(live_folder ${CMAKE_CURRENT_BINARY_DIR}/live)
set(live_source ${CMAKE_CURRENT_BINARY_DIR}/live_solver.c)
set(live_wasm ${live_folder}/built/solver.wasm) # for the program; a copy, so that no program is behind a compiler that nobody asked for
find_program(EMCC emcc)
if(EMCC AND NODE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  # acorn, which emscripten needs to look at JavaScript, is not in node's own path in Debian
  set(emcc ${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs ${EMCC})
  # No -msimd128: with it clang 14 computes balls of relative coordinates wrongly (test_one_file.py --all sees it).
  set(emcc_flags -std=c17 -O2 -ffp-contract=off -D_GNU_SOURCE)
  set(one_file ${live_folder}/sarrus.c)
  add_custom_command(OUTPUT ${one_file} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/tools/amalgamate.py ${live_folder}
    DEPENDS ${core_sources} ${io_sources} tools/amalgamate.py VERBATIM)
  add_custom_command(OUTPUT ${live_folder}/sarrus.o COMMAND ${emcc} ${emcc_flags} -Wno-unused-function -c ${one_file} -o ${live_folder}/sarrus.o
    DEPENDS ${one_file} COMMENT "Compiling the core to WebAssembly: some minutes" VERBATIM)
  set(live_sources viewer/solver/live.c viewer/solver/live_report.c viewer/solver/live_certificate.c cli/common/files/json.c
    cli/pages/page_model.c src/studies/quantities.c)
  list(TRANSFORM live_sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set(live_functions malloc free)
  foreach(name open said start scene advance width frames take status set_input drag drag_to pose_to certify)
    list(APPEND live_functions live_${name})
  endforeach()
  list(TRANSFORM live_functions PREPEND _)
  string(REPLACE ";" "," live_functions "${live_functions}")
  add_custom_command(OUTPUT ${live_folder}/solver.wasm
    COMMAND ${emcc} ${emcc_flags} -I${CMAKE_CURRENT_SOURCE_DIR}/include -I${CMAKE_CURRENT_SOURCE_DIR}/src -I${CMAKE_CURRENT_SOURCE_DIR}/cli
      -I${CMAKE_CURRENT_SOURCE_DIR}/viewer/solver ${live_sources} ${live_folder}/sarrus.o -o ${live_folder}/solver.js
      -sMODULARIZE=1 -sEXPORT_NAME=createSolver -sENVIRONMENT=worker,node -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=1GB -sTOTAL_STACK=4MB
      -sEXPORTED_FUNCTIONS=${live_functions} -sEXPORTED_RUNTIME_METHODS=FS,UTF8ToString,stringToUTF8,lengthBytesUTF8 -sFORCE_FILESYSTEM=1
    DEPENDS ${live_sources} viewer/solver/live.h viewer/solver/live_self.h ${live_folder}/sarrus.o VERBATIM)
  add_custom_target(live_solver DEPENDS ${live_folder}/solver.wasm
    COMMAND ${CMAKE_COMMAND} -E make_directory ${live_folder}/built
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${live_folder}/solver.wasm ${live_folder}/solver.js ${live_folder}/built)
  # The program of docs/live.md, for node and for a page: its digits are compared with those of the library.
  add_custom_command(OUTPUT ${live_folder}/run_model.js
    COMMAND ${emcc} ${emcc_flags} -I${live_folder} ${CMAKE_CURRENT_SOURCE_DIR}/examples/one-file/run_model.c ${live_folder}/sarrus.o -o ${live_folder}/run_model.js
      -sNODERAWFS=1 -sALLOW_MEMORY_GROWTH=1 -sTOTAL_STACK=4MB -sEXIT_RUNTIME=1
    DEPENDS examples/one-file/run_model.c ${live_folder}/sarrus.o VERBATIM)
  add_custom_command(OUTPUT ${live_folder}/run_model_page.js
    COMMAND ${emcc} ${emcc_flags} -I${live_folder} ${CMAKE_CURRENT_SOURCE_DIR}/examples/one-file/run_model.c ${live_folder}/sarrus.o -o ${live_folder}/run_model_page.js
      -sMODULARIZE=1 -sEXPORT_NAME=createRunModel -sENVIRONMENT=web -sALLOW_MEMORY_GROWTH=1 -sTOTAL_STACK=4MB -sINVOKE_RUN=0 -sFORCE_FILESYSTEM=1
      -sEXPORTED_RUNTIME_METHODS=FS,callMain
    DEPENDS examples/one-file/run_model.c ${live_folder}/sarrus.o VERBATIM)
  add_custom_target(live_for_tests DEPENDS ${live_folder}/run_model.js ${live_folder}/run_model_page.js)
endif()

set(live_missing "")
if(viewer_missing)
  set(live_missing "it has no pages at all")
elseif(NOT EXISTS ${live_wasm})
  set(live_missing "the solver for browsers was not there when it was built")
endif()
if(live_missing)
  file(CONFIGURE OUTPUT ${live_source} @ONLY CONTENT [[
#include "pages/live.h"
const unsigned char cli_live_worker[1] = {0}, cli_live_wasm[1] = {0}, cli_live_playground[1] = {0};
const size_t cli_live_worker_length = 0, cli_live_wasm_length = 0, cli_live_playground_length = 0;
const char* const cli_live_missing = "@live_missing@";
]])
else()
  foreach(file ${core_sources})
    if(${file} IS_NEWER_THAN ${live_wasm})
      message(STATUS "The solver of live pages is older than the sources: 'make wasm' makes it anew")
      break()
    endif()
  endforeach()
  file(GLOB live_examples CONFIGURE_DEPENDS examples/models/*.yaml problems/*/*.yaml)
  add_custom_command(OUTPUT ${live_source} COMMAND ${NODE} ${viewer_folder}/build_live.mjs ${live_folder}/built ${live_source}
    DEPENDS ${live_wasm} ${viewer_folder}/build_live.mjs ${viewer_folder}/solver/worker.js ${live_examples} sarrus.schema.json VERBATIM)
endif()
target_sources(sarrus PRIVATE ${live_source})
