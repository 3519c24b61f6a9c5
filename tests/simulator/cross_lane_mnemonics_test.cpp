// Values that move between lanes, and between lanes and scalar registers.
#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {
namespace {

void nothing(State &) {}

Rows laneAccess() {
  auto partial = [](State &s) { s.exec = 0xffff0000; };
  return {
      wave("v_readlane_b32 s8, v0, 5", partial, [](State &s) { s.s[8] = s.v[0][5]; }), // EXEC does not matter
      wave(
          "v_readlane_b32 s8, v0, s4", [](State &s) { s.s[4] = 40; }, [](State &s) { s.s[8] = s.v[0][8]; }), // modulo 32
      wave("v_readfirstlane_b32 s8, v0", nothing, [](State &s) { s.s[8] = s.v[0][0]; }),
      wave(
          "v_readfirstlane_b32 s8, v0", [](State &s) { s.exec = 0x00f00000; }, [](State &s) { s.s[8] = s.v[0][20]; }),
      wave(
          "v_readfirstlane_b32 s8, v0", [](State &s) { s.exec = 0; }, [](State &s) { s.s[8] = s.v[0][0]; }),
      wave("v_writelane_b32 v8, s4, 3", partial, [](State &s) { s.v[8][3] = s.s[4]; }),
      wave(
          "v_writelane_b32 v8, 17, s4", [](State &s) { s.s[4] = 33; }, [](State &s) { s.v[8][1] = 17; }),
      wave(
          "v_mbcnt_lo_u32_b32 v8, s4, v2", [](State &s) { s.s[4] = 0xf0f0f0f1; },
          [](State &s) {
            uint32_t count = 0;
            for (unsigned lane = 0; lane < kLanes; ++lane) {
              s.v[8][lane] = count + s.v[2][lane];
              count += s.s[4] >> lane & 1;
            }
          }),
      wave("v_mbcnt_hi_u32_b32 v8, -1, v2", partial,
           [](State &s) {
             for (unsigned lane = 0; lane < kLanes; ++lane)
               s.setActive(8, lane, s.v[2][lane]);
           }),
  };
}

// Selectors: four bits a lane, lanes 0..7 of each row in the first scalar.
Row permlane(bool otherRow, uint32_t exec, bool fetchInactive, bool boundControl) {
  std::string text = otherRow ? "v_permlanex16_b32 v8, v0, s4, s5" : "v_permlane16_b32 v8, v0, s4, s5";
  if (fetchInactive || boundControl)
    text += std::string(" op_sel:[") + (fetchInactive ? "1" : "0") + "," + (boundControl ? "1" : "0") + "]";
  return wave(
      text,
      [=](State &s) {
        s.s[4] = 0x73fa0912;
        s.s[5] = 0x0fedc847;
        s.exec = exec;
      },
      [=](State &s) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const unsigned place = lane % 16, selector = s.s[place < 8 ? 4 : 5] >> (4 * (place % 8)) & 15;
          const unsigned from = ((lane & 16) ^ (otherRow ? 16 : 0)) | selector;
          const bool readable = fetchInactive || s.active(from);
          if (readable || boundControl)
            s.setActive(8, lane, readable ? s.v[0][from] : 0);
        }
      });
}

Rows permlanes() {
  Rows rows;
  for (bool otherRow : {false, true})
    for (uint32_t exec : {~0u, 0x3ca5f10fu})
      for (bool fetchInactive : {false, true})
        for (bool boundControl : {false, true})
          rows.push_back(permlane(otherRow, exec, fetchInactive, boundControl));
  rows.push_back(wave("v_permlane64_b32 v8, v0", nothing, nothing)); // no effect in a wave of 32
  return rows;
}

Row swizzle(const std::string &pattern, auto sourceLane, uint32_t exec = ~0u) {
  return wave(
      "ds_swizzle_b32 v8, v0 offset:" + pattern, [exec](State &s) { s.exec = exec; },
      [=](State &s) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const unsigned from = sourceLane(lane);
          s.setActive(8, lane, s.active(from) ? s.v[0][from] : 0);
        }
      });
}

Rows ldsPermutes() {
  auto addresses = [](State &s) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      s.v[0][lane] = 4 * ((lane * 7 + 3) % 32) + lane % 4; // the two low bits are ignored
  };
  auto someActive = [addresses](State &s) {
    addresses(s);
    s.exec = 0x0ff0ffff;
  };
  auto backward = [](unsigned offset) {
    return [offset](State &s) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        const unsigned from = (s.v[0][lane] + offset) / 4 % 32;
        s.setActive(8, lane, s.active(from) ? s.v[2][from] : 0);
      }
    };
  };
  auto forward = [](State &s) {
    uint32_t row[kLanes] = {};
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (s.active(lane))
        row[s.v[0][lane] / 4 % 32] = s.v[2][lane];
    for (unsigned lane = 0; lane < kLanes; ++lane)
      s.setActive(8, lane, row[lane]);
  };
  return {
      wave("ds_bpermute_b32 v8, v0, v2", addresses, backward(0)),
      wave("ds_bpermute_b32 v8, v0, v2", someActive, backward(0)),
      wave("ds_bpermute_b32 v8, v0, v2 offset:64", addresses, backward(64)),
      wave("ds_bpermute_b32 v2, v0, v2", addresses,
           [backward](State &s) { // in place
             State t = s;
             backward(0)(t);
             for (unsigned lane = 0; lane < kLanes; ++lane)
               s.v[2][lane] = t.v[8][lane];
           }),
      wave("ds_permute_b32 v8, v0, v2", addresses, forward),
      wave("ds_permute_b32 v8, v0, v2", someActive, forward),
      swizzle("swizzle(QUAD_PERM,3,0,1,2)",
              [](unsigned l) {
                const unsigned pick[] = {3, 0, 1, 2};
                return (l & ~3u) | pick[l & 3];
              }),
      swizzle("swizzle(SWAP,16)", [](unsigned l) { return l ^ 16; }),
      swizzle(
          "swizzle(SWAP,1)", [](unsigned l) { return l ^ 1; }, 0x7fffffff),
      swizzle("swizzle(REVERSE,8)", [](unsigned l) { return l ^ 7; }),
      swizzle("swizzle(BROADCAST,16,5)", [](unsigned l) { return (l & 16) | 5; }),
      swizzle("swizzle(BITMASK_PERM,\"01pi0\")", [](unsigned l) { return 8 | (l & 4) | (~l & 2); }),
      swizzle("0xc020", [](unsigned l) { return (l + 1) % 32; }), // rotation by one
  };
}

const MnemonicTable table("cross_lane", [] { return join({laneAccess(), permlanes(), ldsPermutes()}); });

} // namespace
} // namespace ds4::sim::test
