// One relocatable AMDGPU object to a code object that the HIP loader takes, by lld in process.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace ds4 {

// False, with lld's message in `log`, when symbols stay undefined or the temporary file cannot be made. lld keeps
// global state: calls from several threads wait for each other. After a crash inside lld no link is tried again.
bool linkCodeObject(std::span<const std::byte> object, std::vector<std::byte> &codeObject, llvm::raw_ostream &log);

} // namespace ds4
