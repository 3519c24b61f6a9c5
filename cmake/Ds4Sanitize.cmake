# A build with sanitizers: "address" finds errors of memory and undefined behaviour, "thread" finds data races. tools/scripts/sanitize.sh
# builds what runs with them; the shared libraries of LLVM stay as they are.
set(DS4C_SANITIZE "" CACHE STRING "sanitizers of this build: address (with undefined behaviour), thread, or none")
set_property(CACHE DS4C_SANITIZE PROPERTY STRINGS "" address thread)

set(DS4C_NO_UNDEFINED_SYMBOLS -Wl,-z,defs)
if(DS4C_SANITIZE STREQUAL "")
  return()
elseif(DS4C_SANITIZE STREQUAL "address")
  set(flags -fsanitize=address,undefined -fno-sanitize-recover=undefined)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
elseif(DS4C_SANITIZE STREQUAL "thread")
  set(flags -fsanitize=thread)
else()
  message(FATAL_ERROR "DS4C_SANITIZE is '${DS4C_SANITIZE}': use address, thread or nothing")
endif()
add_compile_options(-O1 -g1 -fno-omit-frame-pointer -UNDEBUG ${flags})
add_link_options(${flags})
# The sanitizer's runtime is part of each program, where shared libraries find it when they are loaded.
set(DS4C_NO_UNDEFINED_SYMBOLS "")
set(DS4C_FUZZ OFF) # fuzz targets have flags of their own
