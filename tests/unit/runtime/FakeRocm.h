// What the test double of libamdhip64 counts: fakeRocmLedger() of the library returns it.
#pragma once

namespace ds4::hip {

struct FakeRocmLedger {
  int calls = 0;           // that could fail
  int live = 0;            // allocations, modules, streams and events not yet given back
  int initialised = 0;     // a bit for each device that was made current
  const char *failed = ""; // the call that DS4_ROCM_FAIL made fail
};

} // namespace ds4::hip
