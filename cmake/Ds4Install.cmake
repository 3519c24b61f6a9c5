# What an installation holds beside the programs: the C interface, its package files, and the way back.
include(CMakePackageConfigHelpers)

set(DS4C_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ds4c)
install(TARGETS ds4rt_c EXPORT ds4cTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES runtime/capi/ds4rt.h runtime/capi/ds4rt.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ds4cTargets NAMESPACE ds4c:: DESTINATION ${DS4C_CMAKE_DIR})

configure_package_config_file(cmake/ds4cConfig.cmake.in ${PROJECT_BINARY_DIR}/ds4cConfig.cmake INSTALL_DESTINATION ${DS4C_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ds4cConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ds4cConfig.cmake ${PROJECT_BINARY_DIR}/ds4cConfigVersion.cmake DESTINATION ${DS4C_CMAKE_DIR})

# pkg-config finds the prefix from its own place, so the tree can be moved.
file(RELATIVE_PATH DS4C_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" DS4C_PC_PREFIX "${DS4C_PC_PREFIX}")
configure_file(cmake/ds4rt.pc.in ${PROJECT_BINARY_DIR}/ds4rt.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ds4rt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt -P
                                    ${PROJECT_SOURCE_DIR}/cmake/Uninstall.cmake)
