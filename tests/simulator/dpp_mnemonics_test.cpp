// DPP: the first source comes from another lane. Rows are 16 lanes, banks 4.
#include <functional>

#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {
namespace {

constexpr int kNone = -1;

// The source lane of each lane, kNone where it lies outside of the row.
using SourceLane = std::function<int(int)>;

struct Control {
  std::string text;
  SourceLane source;
};

int inRow(int lane, int offset) {
  const int place = (lane & 15) + offset;
  return place < 0 || place > 15 ? kNone : (lane & 16) | place;
}

std::vector<Control> controls() {
  std::vector<Control> all = {
      {"quad_perm:[3,2,1,0]", [](int l) { return l ^ 3; }},
      {"quad_perm:[0,0,2,2]", [](int l) { return l & ~1; }},
      {"quad_perm:[1,3,0,0]",
       [](int l) {
         const int pick[] = {1, 3, 0, 0};
         return (l & ~3) | pick[l & 3];
       }},
      {"row_mirror", [](int l) { return l ^ 15; }},
      {"row_half_mirror", [](int l) { return l ^ 7; }},
      {"dpp8:[7,6,5,4,3,2,1,0]", [](int l) { return l ^ 7; }},
      {"dpp8:[2,2,0,1,7,7,4,5]",
       [](int l) {
         const int pick[] = {2, 2, 0, 1, 7, 7, 4, 5};
         return (l & ~7) | pick[l & 7];
       }},
  };
  for (int n : {1, 4, 15}) {
    all.push_back({"row_shl:" + std::to_string(n), [n](int l) { return inRow(l, n); }});
    all.push_back({"row_shr:" + std::to_string(n), [n](int l) { return inRow(l, -n); }});
    all.push_back({"row_ror:" + std::to_string(n), [n](int l) { return (l & 16) | ((l - n) & 15); }});
  }
  for (int n : {0, 5, 15}) {
    all.push_back({"row_share:" + std::to_string(n), [n](int l) { return (l & 16) | n; }});
    all.push_back({"row_xmask:" + std::to_string(n), [n](int l) { return l ^ n; }});
  }
  return all;
}

struct Options {
  uint32_t exec = ~0u;
  bool boundControl = false, fetchInactive = false;
  uint32_t rows = 0xf, banks = 0xf;
};

// dst = f(src0 of the source lane, src1, dst) where the lane is written at all.
std::function<void(State &)> definition(SourceLane source, Options options, unsigned dst,
                                        std::function<uint32_t(uint32_t, uint32_t, uint32_t)> f) {
  return [=](State &s) {
    const State before = s;
    for (int l = 0; l < int(kLanes); ++l) {
      const int from = source(l);
      const bool readable = from != kNone && (options.fetchInactive || before.active(unsigned(from)));
      const bool enabled = options.rows >> (l / 16) & 1 && options.banks >> (l / 4 % 4) & 1;
      if (before.active(unsigned(l)) && enabled && (readable || options.boundControl))
        s.v[dst][l] = f(readable ? before.v[0][from] : 0, before.v[2][l], before.v[dst][l]);
    }
  };
}

std::function<void(State &)> withExec(uint32_t exec) {
  return [exec](State &s) { s.exec = exec; };
}

uint32_t first(uint32_t a, uint32_t, uint32_t) { return a; }
uint32_t sum(uint32_t a, uint32_t b, uint32_t) { return a + b; }

Rows movement() {
  Rows rows;
  for (const Control &control : controls())
    for (uint32_t exec : {~0u, 0xfff0f3c5u}) {
      Options options{exec};
      options.boundControl = control.text.starts_with("dpp8"); // these read 0 from inactive lanes
      rows.push_back(wave("v_mov_b32_dpp v8, v0 " + control.text, withExec(exec), definition(control.source, options, 8, first)));
      options.fetchInactive = true;
      rows.push_back(
          wave("v_mov_b32_dpp v8, v0 " + control.text + " fi:1", withExec(exec), definition(control.source, options, 8, first)));
      if (control.text.starts_with("dpp8"))
        continue;
      options.boundControl = true;
      rows.push_back(wave("v_add_nc_u32_dpp v8, v0, v2 " + control.text + " bound_ctrl:1 fi:1", withExec(exec),
                          definition(control.source, options, 8, sum)));
      options.fetchInactive = false;
      rows.push_back(wave("v_add_nc_u32_dpp v8, v0, v2 " + control.text + " bound_ctrl:1", withExec(exec),
                          definition(control.source, options, 8, sum)));
    }
  return rows;
}

Rows masks() {
  auto shifted = [](int l) { return inRow(l, -1); };
  Rows rows;
  for (auto [rowMask, bankMask] : {std::pair{0x1u, 0xfu}, std::pair{0x2u, 0xfu}, std::pair{0xfu, 0x5u}, std::pair{0x2u, 0x8u}}) {
    Options options{~0u, false, false, rowMask, bankMask};
    const std::string text = " row_mask:" + std::to_string(rowMask) + " bank_mask:" + std::to_string(bankMask);
    rows.push_back(wave("v_mov_b32_dpp v8, v0 row_shr:1" + text, withExec(~0u), definition(shifted, options, 8, first)));
    options.boundControl = true;
    rows.push_back(wave("v_add_nc_u32_dpp v8, v0, v2 row_shr:1" + text + " bound_ctrl:1", withExec(~0u),
                        definition(shifted, options, 8, sum)));
  }
  return rows;
}

Rows inPlace() {
  auto shifted = [](int l) { return inRow(l, -1); };
  auto floats = [](State &s) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      s.v[0][lane] = std::bit_cast<uint32_t>(float(lane + 1)), s.v[2][lane] = std::bit_cast<uint32_t>(0.5f);
  };
  return {
      // All lanes are read before any is written.
      wave("v_mov_b32_dpp v0, v0 row_shr:1", withExec(~0u), definition(shifted, {}, 0, first)),
      wave("v_add_nc_u32_dpp v0, v0, v0 row_shr:1", withExec(~0u),
           definition(shifted, {}, 0, [](uint32_t a, uint32_t, uint32_t d) { return a + d; })),
      wave("v_add_f32_dpp v0, v0, v0 row_shr:1 bound_ctrl:1", floats,
           definition(shifted, {~0u, true}, 0,
                      [](uint32_t a, uint32_t, uint32_t d) {
                        return std::bit_cast<uint32_t>(std::bit_cast<float>(a) + std::bit_cast<float>(d));
                      })),
      wave("v_add_f32_e64_dpp v8, -v0, |v2| quad_perm:[3,2,1,0]", floats,
           definition([](int l) { return l ^ 3; }, {}, 8,
                      [](uint32_t a, uint32_t b, uint32_t) {
                        return std::bit_cast<uint32_t>(-std::bit_cast<float>(a) + std::bit_cast<float>(b));
                      })),
      wave(
          "v_fma_f32_e64_dpp v8, v0, v2, v8 row_ror:2",
          [floats](State &s) {
            floats(s);
            for (uint32_t &lane : s.v[8])
              lane = std::bit_cast<uint32_t>(10.0f);
          },
          definition([](int l) { return (l & 16) | ((l - 2) & 15); }, {}, 8,
                     [](uint32_t a, uint32_t b, uint32_t d) {
                       return std::bit_cast<uint32_t>(std::bit_cast<float>(a) * std::bit_cast<float>(b) + std::bit_cast<float>(d));
                     })),
      wave(
          "v_cmp_lt_u32_e64_dpp s8, v0, v2 row_mirror",
          [](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[0][lane] = lane, s.v[2][lane] = 8;
          },
          [](State &s) { s.s[8] = 0x0000ff00; }),
  };
}

const MnemonicTable table("dpp", [] { return join({movement(), masks(), inPlace()}); });

} // namespace
} // namespace ds4::sim::test
