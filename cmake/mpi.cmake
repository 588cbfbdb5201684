# MPI for sweeps, as a module that the program loads when mpirun started it. The program itself does not link MPI: it runs
# where there is none, and libmpi would add 1 ms to the start of every command.
if(SARRUS_WITH_MPI STREQUAL "AUTO")
  find_package(MPI QUIET COMPONENTS C)
elseif(SARRUS_WITH_MPI)
  find_package(MPI REQUIRED COMPONENTS C)
endif()
if(SARRUS_WITH_MPI AND MPI_C_FOUND)
  file(RELATIVE_PATH mpi_folder /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR}/sarrus)
  target_compile_definitions(sarrus PRIVATE SARRUS_MPI_FOLDER="${mpi_folder}")
  add_library(sarrus_mpi MODULE cli/sweep/mpi/module.c)
  set_target_properties(sarrus_mpi PROPERTIES PREFIX "" OUTPUT_NAME sarrus-mpi SUFFIX .so
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  target_include_directories(sarrus_mpi PRIVATE cli)
  target_link_libraries(sarrus_mpi PRIVATE sarrus_flags MPI::MPI_C)
  add_dependencies(sarrus sarrus_mpi)
  install(TARGETS sarrus_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sarrus COMPONENT program)
endif()
