// Plans: as they come, and with the checksum made right, which a damaged plan lacks and a wrong writer has.
#include <algorithm>

#include "runtime/plan/PlanFile.h"
#include "support/Sha256.h"
#include "tests/fuzz/Fuzz.h"

using namespace ds4;

namespace {

void use(const Plan &plan) {
  const int64_t last = plan.context - 1;
  for (const PlanLaunch &launch : plan.launches)
    for (const int64_t pos : {int64_t(0), last / 2, last})
      for (const int64_t q : {int64_t(1), std::min<int64_t>(plan.maxWidth, plan.context - pos)})
        // A grid that is too large at some position is refused when the step gets there.
        fuzz::read(ExitCode::User, [&] { launch.at(pos, q); });
  plan.weightPieces();
  plan.statePieces();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const auto bytes = fuzz::bytesOf(data, size);
  fuzz::read(ExitCode::User, [&] { use(parsePlan(bytes, "input")); });
  std::vector<std::byte> right(bytes.begin(), bytes.end());
  for (const char digit : sha256Hex(fuzz::textOf(data, size)))
    right.push_back(static_cast<std::byte>(digit));
  return fuzz::read(ExitCode::User, [&] { use(parsePlan(right, "input")); });
}
