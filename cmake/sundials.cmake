# SUNDIALS (BSD licence; these parts of it need libm alone). It takes powers for its sizes of steps from the C library, whose
# last digits depend on the processor. Where there are static libraries, copies of them are linked in which `pow` is the
# library's own: then runs have the same bits everywhere, and packages need no SUNDIALS. Users of Sarrus's static libraries
# link what they have.
find_path(SUNDIALS_INCLUDE arkode/arkode_erkstep.h REQUIRED)
file(STRINGS ${SUNDIALS_INCLUDE}/sundials/sundials_config.h sundials_major REGEX "define SUNDIALS_VERSION_MAJOR 6")
if(NOT sundials_major)
  message(FATAL_ERROR "SUNDIALS 6 is wanted, ${SUNDIALS_INCLUDE}/sundials is another; -DSARRUS_WITH_SUNDIALS=OFF builds without")
endif()
option(SARRUS_SUNDIALS_STATIC "Link static libraries of SUNDIALS where there are some" ON)
foreach(part ${sundials_parts})
  find_library(SUNDIALS_${part}_LIBRARY sundials_${part} REQUIRED)
  find_library(SUNDIALS_${part}_ARCHIVE libsundials_${part}.a)
  set(sundials_${part} ${SUNDIALS_${part}_LIBRARY})
  if(SARRUS_SUNDIALS_STATIC AND SUNDIALS_${part}_ARCHIVE AND CMAKE_OBJCOPY)
    set(copy ${CMAKE_CURRENT_BINARY_DIR}/libsundials_${part}.a)
    if(NOT EXISTS ${copy})
      execute_process(COMMAND ${CMAKE_OBJCOPY} --redefine-sym pow=sari_pow ${SUNDIALS_${part}_ARCHIVE} ${copy} RESULT_VARIABLE failed)
    endif()
    if(NOT failed)
      set(sundials_${part} ${copy})
    endif()
  endif()
endforeach()
