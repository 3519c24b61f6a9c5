// Splits work over threads.
#pragma once

#include <cstddef>
#include <functional>

namespace ds4 {

// Calls body(0) to body(count - 1), each once, in any order, on `jobs` threads (0: one a core), the caller's
// among them; returns when all are done. The first exception ends the work early and is thrown on. A body must write
// nothing that another one reads: then results do not depend on the number of threads.
void parallelFor(size_t count, unsigned jobs, const std::function<void(size_t)> &body);

} // namespace ds4
