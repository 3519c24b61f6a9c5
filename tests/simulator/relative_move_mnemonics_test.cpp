// Moves whose register index comes from M0.
#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {
namespace {

Rows vectors() {
  return {
      wave(
          "v_movrels_b32 v8, v0",
          [](State &s) {
            s.m0 = 3;
            s.exec = 0xffff00ff;
          },
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.setActive(8, lane, s.v[3][lane]);
          }),
      wave(
          "v_movreld_b32 v8, v0", [](State &s) { s.m0 = 3; },
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[11][lane] = s.v[0][lane];
          }),
      wave(
          "v_movrelsd_b32 v8, v0", [](State &s) { s.m0 = 3; },
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[11][lane] = s.v[3][lane];
          }),
      wave(
          "v_movrelsd_2_b32 v8, v0", [](State &s) { s.m0 = 5u << 16 | 3; },
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[13][lane] = s.v[3][lane];
          }),
  };
}

// SCC stays as it is.
Rows scalarMoves() {
  auto three = [](State &s) { s.m0 = 3; };
  auto four = [](State &s) { s.m0 = 4; };
  return {
      wave("s_movrels_b32 s8, s0", three, [](State &s) { s.s[8] = s.s[3]; }),
      wave("s_movrels_b64 s[8:9], s[0:1]", four, [](State &s) { s.setS64(8, s.s[4] | uint64_t(s.s[5]) << 32); }),
      wave("s_movreld_b32 s8, s0", three, [](State &s) { s.s[11] = s.s[0]; }),
      wave("s_movreld_b64 s[8:9], s[0:1]", four, [](State &s) { s.setS64(12, s.s[0] | uint64_t(s.s[1]) << 32); }),
      wave(
          "s_movrelsd_2_b32 s8, s0", [](State &s) { s.m0 = 5u << 16 | 3; }, [](State &s) { s.s[13] = s.s[3]; }),
  };
}

const MnemonicTable table("relative_move", [] { return join({vectors(), scalarMoves()}); });

} // namespace
} // namespace ds4::sim::test
