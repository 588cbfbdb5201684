# The man page and the completion of shells, made by the program itself from its tables of options.
if(TARGET sarrus AND NOT CMAKE_CROSSCOMPILING)
  set(described "")
  foreach(pair man:sarrus.1 bash:sarrus.bash zsh:_sarrus fish:sarrus.fish)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 kind)
    list(GET pair 1 file)
    add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${file}
      COMMAND sarrus describe ${kind} > ${CMAKE_CURRENT_BINARY_DIR}/${file} DEPENDS sarrus VERBATIM)
    list(APPEND described ${CMAKE_CURRENT_BINARY_DIR}/${file})
  endforeach()
  add_custom_target(sarrus_described ALL DEPENDS ${described})
  # Of a build of the program alone an installation is complete without them.
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sarrus.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program OPTIONAL)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sarrus.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME sarrus COMPONENT program OPTIONAL)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/_sarrus DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
    COMPONENT program OPTIONAL)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sarrus.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    COMPONENT program OPTIONAL)
endif()
