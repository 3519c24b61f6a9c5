# Small helpers so that each folder's CMakeLists reads as a list of what it holds.

set(DS4C_WARNINGS -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers)

# PRECOMPILE names headers that most of a target's sources include, directly or not, and that take long to parse: MLIR's, CLI11's.

# ds4_add_library(name [SHARED] SOURCES ... [LINK ...] [PRECOMPILE ...]): includes are rooted at the repository
# ("models/gguf/Reader.h").
function(ds4_add_library name)
  cmake_parse_arguments(ARG "SHARED" "" "SOURCES;LINK;PRECOMPILE" ${ARGN})
  if(ARG_SHARED)
    add_library(${name} SHARED ${ARG_SOURCES})
  else()
    add_library(${name} STATIC ${ARG_SOURCES})
  endif()
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_options(${name} PRIVATE ${DS4C_WARNINGS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE ${ARG_PRECOMPILE})
  if(DS4C_SANITIZE) # in a third of the time
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
endfunction()

# ds4_add_tool(name SOURCES ... [LINK ...] [PRECOMPILE ...])
function(ds4_add_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRECOMPILE" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_options(${name} PRIVATE ${DS4C_WARNINGS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE ${ARG_PRECOMPILE})
endfunction()

# ds4_add_test(name SOURCES ... [LINK ...]): one GoogleTest binary; each of its cases is a ctest test "name/Suite.Case".
# Tests find data of the repository under DS4C_SOURCE_DIR and shared reference values, where present, under DS4C_SHARED_DIR.
function(ds4_add_test name)
  if(NOT DS4C_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(DS4C_SANITIZE)
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 10")
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  target_compile_options(${name} PRIVATE ${DS4C_WARNINGS})
  target_compile_definitions(${name} PRIVATE DS4C_SOURCE_DIR="${PROJECT_SOURCE_DIR}" DS4C_BINARY_DIR="${PROJECT_BINARY_DIR}"
                             DS4C_SHARED_DIR="${PROJECT_SOURCE_DIR}/../shared")
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  if(NOT TARGET ds4_test_headers) # parsed once for all tests
    file(WRITE ${PROJECT_BINARY_DIR}/test_headers.cpp "int main() {}\n")
    add_executable(ds4_test_headers ${PROJECT_BINARY_DIR}/test_headers.cpp)
    target_compile_options(ds4_test_headers PRIVATE ${DS4C_WARNINGS})
    target_link_libraries(ds4_test_headers PRIVATE GTest::gtest GTest::gmock)
    target_precompile_headers(ds4_test_headers PRIVATE <gtest/gtest.h> <gmock/gmock.h>)
  endif()
  target_precompile_headers(${name} REUSE_FROM ds4_test_headers)
  gtest_discover_tests(${name} TEST_PREFIX "${name}/" NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT ${ARG_TIMEOUT})
endfunction()
