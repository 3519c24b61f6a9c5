// The libraries of this process that make up the compiler behind hipRTC.
#pragma once

#include <string>
#include <vector>

namespace ds4 {

// Each with its build id, or size and time where it has none: what changes whenever the compiler does. `library` is the one
// that hipRTC was loaded from.
std::string compilerLibraries(const std::string &library);

// The architectures that the loaded comgr makes code for, oldest first; empty where there is no comgr to ask.
std::vector<std::string> knownArchitectures();

} // namespace ds4
