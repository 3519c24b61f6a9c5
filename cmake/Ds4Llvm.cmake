# LLVM, Clang, LLD and MLIR 22 of Debian. libLLVM, libclang-cpp and libMLIR are linked as shared libraries.
set(DS4C_LLVM_ROOT /usr/lib/llvm-22 CACHE PATH "where LLVM 22 is installed")

find_package(LLVM 22.1 REQUIRED CONFIG PATHS ${DS4C_LLVM_ROOT}/lib/cmake/llvm NO_DEFAULT_PATH)
find_package(MLIR REQUIRED CONFIG PATHS ${DS4C_LLVM_ROOT}/lib/cmake/mlir NO_DEFAULT_PATH)

list(APPEND CMAKE_MODULE_PATH ${LLVM_CMAKE_DIR} ${MLIR_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# The LLVM headers as a target: ds4_llvm links libLLVM, ds4_mlir libMLIR too, ds4_clang Clang and lld.
add_library(ds4_llvm INTERFACE)
target_include_directories(ds4_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_definitions(ds4_llvm INTERFACE ${LLVM_DEFINITIONS_LIST})
target_link_libraries(ds4_llvm INTERFACE LLVM)
target_link_directories(ds4_llvm INTERFACE ${DS4C_LLVM_ROOT}/lib)

add_library(ds4_mlir INTERFACE)
target_link_libraries(ds4_mlir INTERFACE MLIR ds4_llvm)

add_library(ds4_clang INTERFACE)
# lld is static and compresses sections with zlib and zstd, which libLLVM links for itself alone.
target_link_libraries(ds4_clang INTERFACE clang-cpp lldELF lldCommon ds4_llvm z zstd)

# libMLIR is not on the loader's default path.
list(APPEND CMAKE_BUILD_RPATH ${DS4C_LLVM_ROOT}/lib)
list(APPEND CMAKE_INSTALL_RPATH ${DS4C_LLVM_ROOT}/lib)
