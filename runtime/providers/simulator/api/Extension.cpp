// The entry points of ds4sim.h.
#include "runtime/providers/simulator/api/Exports.h"
#include "runtime/providers/simulator/api/Session.h"

namespace ds4::hip {

using sim::Session;

int ds4simSetOption(const char *name, const char *value) {
  return name && value && Session::instance().setOption(name, value) ? 0 : 1;
}

const char *ds4simLastFault() { return sim::ThreadErrors::instance().reason.c_str(); }

void ds4simLastLaunch(Ds4SimCounters *counters) { *counters = Session::instance().lastLaunch(); }

void ds4simTotals(Ds4SimCounters *counters) { *counters = Session::instance().totals(); }

void ds4simResetCounters() { Session::instance().resetCounters(); }

} // namespace ds4::hip
