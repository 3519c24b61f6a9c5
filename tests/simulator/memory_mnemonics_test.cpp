// Loads and stores of every width in the four address spaces, and scalar loads.
#include <cstring>

#include <fmt/format.h>

#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {
namespace {

constexpr unsigned kStride = 20; // bytes between the lanes' accesses, so that wide ones overlap
constexpr uint32_t kSomeLanes = 0xa5f00f3c;

enum class Part { Whole, Low, High }; // what a 16-bit load fills, or where a store's data lies

struct Width {
  std::string suffix; // as global memory spells it; `lds` where LDS differs
  unsigned bytes;
  bool isSigned = false;
  Part part = Part::Whole;
  std::string lds = {};
};

const Width kLoads[] = {{"u8", 1},
                        {"i8", 1, true},
                        {"u16", 2},
                        {"i16", 2, true},
                        {"b32", 4},
                        {"b64", 8},
                        {"b96", 12},
                        {"b128", 16},
                        {"d16_b16", 2, false, Part::Low, "u16_d16"},
                        {"d16_hi_b16", 2, false, Part::High, "u16_d16_hi"},
                        {"d16_u8", 1, false, Part::Low, "u8_d16"},
                        {"d16_hi_u8", 1, false, Part::High, "u8_d16_hi"},
                        {"d16_i8", 1, true, Part::Low, "i8_d16"},
                        {"d16_hi_i8", 1, true, Part::High, "i8_d16_hi"}};
const Width kStores[] = {{"b8", 1},
                         {"b16", 2},
                         {"b32", 4},
                         {"b64", 8},
                         {"b96", 12},
                         {"b128", 16},
                         {"d16_hi_b8", 1, false, Part::High, "b8_d16_hi"},
                         {"d16_hi_b16", 2, false, Part::High, "b16_d16_hi"}};

std::string range(unsigned first, unsigned bytes) {
  return bytes <= 4 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + bytes / 4 - 1);
}

// The loaded bytes as the destination's first word or words.
void load(State &s, const Width &width, unsigned lane, const uint8_t *from) {
  uint32_t words[4] = {};
  std::memcpy(words, from, width.bytes);
  if (width.isSigned)
    words[0] = width.bytes == 1 ? uint32_t(int32_t(int8_t(words[0]))) : uint32_t(int32_t(int16_t(words[0])));
  const uint32_t old = s.v[kResult][lane];
  if (width.part == Part::Low)
    words[0] = pack(words[0], old >> 16);
  if (width.part == Part::High)
    words[0] = pack(old, words[0]);
  for (unsigned word = 0; word * 4 < width.bytes; ++word)
    s.setActive(kResult + word, lane, words[word]);
}

// Data in v16.
void store(const State &s, const Width &width, unsigned lane, uint8_t *to) {
  uint32_t words[4] = {s.v[16][lane], s.v[17][lane], s.v[18][lane], s.v[19][lane]};
  if (width.part == Part::High)
    words[0] >>= 16;
  if (s.active(lane))
    std::memcpy(to, words, width.bytes);
}

// A space's name and operands: address registers set up by `input`, `place` gives the byte that a lane accesses.
struct Space {
  std::string name, address, base, modifiers;
  std::function<void(State &)> input;
  std::function<uint8_t *(State &, unsigned)> place;
};

Rows accesses(const Space &space) {
  Rows rows;
  const bool isLds = space.name == "ds";
  auto add = [&](const std::string &text, auto expected) {
    Case all{space.input, expected, {}, {}}, some = all;
    some.input = [input = space.input](State &s) {
      input(s);
      s.exec = kSomeLanes;
    };
    rows.push_back({text, {all, some}});
  };
  const std::string base = space.base.empty() ? "" : ", " + space.base, tail = base + space.modifiers;
  for (const Width &width : kLoads)
    add(fmt::format("{}_load_{} {}, {}{}", space.name, isLds && !width.lds.empty() ? width.lds : width.suffix,
                    range(kResult, width.bytes), space.address, tail),
        [width, place = space.place](State &s) {
          for (unsigned lane = 0; lane < kLanes; ++lane)
            load(s, width, lane, place(s, lane));
        });
  for (const Width &width : kStores)
    add(fmt::format("{}_store_{} {}, {}{}", space.name, isLds && !width.lds.empty() ? width.lds : width.suffix, space.address,
                    range(16, width.bytes), tail),
        [width, place = space.place](State &s) {
          for (unsigned lane = 0; lane < kLanes; ++lane) // where lanes overlap, the higher one wins
            store(s, width, lane, place(s, lane));
        });
  return rows;
}

// 64-bit address in v[0:1].
void flatAddresses(State &s) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    s.setV64(0, lane, memoryAddress() + lane * kStride);
}

// Base in s[2:3], offset in v0.
void basedAddresses(State &s) {
  s.setS64(2, memoryAddress());
  for (unsigned lane = 0; lane < kLanes; ++lane)
    s.v[0][lane] = lane * kStride;
}

auto at(std::array<uint8_t, kMemoryBytes> State::*memory, unsigned offset) {
  return [=](State &s, unsigned lane) { return (s.*memory).data() + lane * kStride + offset; };
}

Rows global() {
  return join({accesses({"global", "v0", "s[2:3]", " offset:24", basedAddresses, at(&State::memory, 24)}),
               accesses({"global", "v[0:1]", "off", " offset:8", flatAddresses, at(&State::memory, 8)}),
               accesses({"global", "v[0:1]", "off", " offset:-4",
                         [](State &s) {
                           for (unsigned lane = 0; lane < kLanes; ++lane)
                             s.setV64(0, lane, memoryAddress() + 4 + lane * kStride);
                         },
                         at(&State::memory, 0)})});
}

Rows flat() {
  Rows rows = accesses({"flat", "v[0:1]", "", " offset:8", flatAddresses, at(&State::memory, 8)});
  // The shared aperture: LDS through a flat address.
  rows.push_back(wave("s_mov_b64 s[4:5], src_shared_base\n v_mov_b32 v1, s5\n flat_load_b32 v8, v[0:1] offset:4\n"
                      "s_mov_b64 s[4:5], 0\n s_waitcnt vmcnt(0) lgkmcnt(0)\n v_mov_b32 v1, 0",
                      basedAddresses, [](State &s) {
                        s.setS64(4, 0);
                        for (unsigned lane = 0; lane < kLanes; ++lane) {
                          load(s, {"b32", 4}, lane, s.lds.data() + lane * kStride + 4);
                          s.v[1][lane] = 0;
                        }
                      }));
  // The private aperture: a scratch store read back.
  rows.push_back(wave(
      "s_mov_b64 s[4:5], src_private_base\n v_mov_b32 v1, s5\n v_mov_b32 v0, 16\n scratch_store_b32 off, v16, off offset:24\n"
      "s_waitcnt_vscnt null, 0x0\n flat_load_b32 v8, v[0:1] offset:8\n"
      "s_mov_b64 s[4:5], 0\n s_waitcnt vmcnt(0) lgkmcnt(0)\n v_mov_b32 v1, 0",
      [](State &) {},
      [](State &s) {
        s.setS64(4, 0);
        for (unsigned lane = 0; lane < kLanes; ++lane)
          s.v[0][lane] = 16, s.v[1][lane] = 0, s.v[8][lane] = s.v[16][lane];
      }));
  return rows;
}

// Every lane has its own scratch: filled from v[20:23] at 32, changed by the store under test, read back from 32.
Rows scratch() {
  Rows rows;
  const std::string fill = "v_mov_b32 v30, 32\n scratch_store_b128 v30, v[20:23], off\n s_waitcnt_vscnt null, 0x0\n ";
  struct Form {
    std::string address, base, modifiers;
  };
  auto input = [](State &s) {
    s.s[2] = 20;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      s.v[0][lane] = lane % 2 ? 32 : 36;
  };
  auto bytes = [](const State &s, unsigned lane) {
    std::array<uint8_t, 16> content;
    for (unsigned word = 0; word < 4; ++word)
      std::memcpy(content.data() + 4 * word, &s.v[20 + word][lane], 4);
    return content;
  };
  for (const Width &width : kLoads) {
    const bool fits = width.bytes <= 12;
    auto expected = [=](auto offset) {
      return [=](State &s) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          load(s, width, lane, bytes(s, lane).data() + offset(lane));
          s.v[30][lane] = 32;
        }
      };
    };
    const std::string head = fill + "scratch_load_" + width.suffix + " " + range(kResult, width.bytes);
    rows.push_back(wave(head + (fits ? ", off, off offset:36" : ", off, off offset:32"), input,
                        expected([fits](unsigned) { return fits ? 4 : 0; })));
    rows.push_back(wave(head + (fits ? ", off, s2 offset:16" : ", off, s2 offset:12"), input,
                        expected([fits](unsigned) { return fits ? 4 : 0; })));
    if (fits)
      rows.push_back(wave(head + ", v0, off", input, expected([](unsigned lane) { return lane % 2 ? 0 : 4; })));
  }
  for (const Width &width : kStores) {
    const unsigned offset = width.bytes <= 12 ? 4 : 0;
    rows.push_back(wave(
        fill +
            fmt::format("scratch_store_{} off, {}, s2 offset:{}\n s_waitcnt_vscnt null, 0x0\n scratch_load_b128 v[8:11], v30, off",
                        width.suffix, range(16, width.bytes), 12 + offset),
        input, [=](State &s) {
          for (unsigned lane = 0; lane < kLanes; ++lane) {
            std::array<uint8_t, 16> content = bytes(s, lane);
            store(s, width, lane, content.data() + offset);
            load(s, {"b128", 16}, lane, content.data());
            s.v[30][lane] = 32;
          }
        }));
  }
  return rows;
}

void ldsAddresses(State &s) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    s.v[0][lane] = lane * kStride;
}

Rows lds() {
  Rows rows = accesses({"ds", "v0", "", " offset:24", ldsAddresses, at(&State::lds, 24)});
  auto input = [](State &s) {
    for (unsigned lane = 0; lane < kLanes; ++lane)
      s.v[0][lane] = lane * 8;
  };
  // Two places a lane: offsets count elements, or 64 of them.
  for (unsigned bytes : {4u, 8u})
    for (bool stride64 : {false, true}) {
      const unsigned unit = bytes * (stride64 ? 64 : 1), first = stride64 ? 0 : 2, second = 1;
      const std::string name = fmt::format("2addr_{}b{}", stride64 ? "stride64_" : "", 8 * bytes),
                        offsets = fmt::format(" offset0:{} offset1:{}", first, second);
      rows.push_back(wave(fmt::format("ds_load_{} {}, v0{}", name, range(kResult, 2 * bytes), offsets), input, [=](State &s) {
        for (unsigned lane = 0; lane < kLanes; ++lane)
          for (unsigned half = 0; half < 2; ++half)
            for (unsigned word = 0; word < bytes / 4; ++word)
              std::memcpy(&s.v[kResult + half * (bytes / 4) + word][lane],
                          s.lds.data() + lane * 8 + (half ? second : first) * unit + 4 * word, 4);
      }));
      rows.push_back(wave(
          fmt::format("ds_store_{} v0, {}, {}{}", name, range(16, bytes), range(20, bytes), offsets),
          [=](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              s.v[0][lane] = lane * 16;
            s.exec = stride64 ? 0x0000ffff : ~0u; // the two places of different lanes stay apart
          },
          [=](State &s) {
            for (unsigned lane = 0; lane < kLanes; ++lane)
              for (unsigned half = 0; half < 2 && s.active(lane); ++half)
                for (unsigned word = 0; word < bytes / 4; ++word)
                  std::memcpy(s.lds.data() + lane * 16 + (half ? second : first) * unit + 4 * word,
                              &s.v[(half ? 20 : 16) + word][lane], 4);
          }));
    }
  rows.push_back(wave(
      "ds_load_addtid_b32 v8 offset:16", [](State &s) { s.m0 = 64; },
      [](State &s) {
        for (unsigned lane = 0; lane < kLanes; ++lane)
          std::memcpy(&s.v[8][lane], s.lds.data() + 80 + 4 * lane, 4);
      }));
  rows.push_back(wave(
      "ds_store_addtid_b32 v16 offset:16",
      [](State &s) {
        s.m0 = 64;
        s.exec = kSomeLanes;
      },
      [](State &s) {
        for (unsigned lane = 0; lane < kLanes; ++lane)
          if (s.active(lane))
            std::memcpy(s.lds.data() + 80 + 4 * lane, &s.v[16][lane], 4);
      }));
  return rows;
}

Rows scalarLoads() {
  Rows rows;
  for (unsigned words : {1u, 2u, 4u, 8u, 16u})
    for (auto [operands, offset] :
         {std::pair{"0x14", 0x14u}, std::pair{"s6", 12u}, std::pair{"s6 offset:0x20", 44u}, std::pair{"-0x8", 0u}}) {
      const bool negative = operands[0] == '-';
      rows.push_back(wave(
          fmt::format("s_load_b{} {}, s[2:3], {}", 32 * words, words == 1 ? "s8" : fmt::format("s[8:{}]", 7 + words), operands),
          [=](State &s) {
            s.setS64(2, memoryAddress() + (negative ? 8 : 0));
            s.s[6] = 12;
          },
          [=, offset = offset](State &s) { std::memcpy(&s.s[8], s.memory.data() + offset, 4 * words); }));
    }
  return rows;
}

const MnemonicTable globalTable("global", global);
const MnemonicTable flatTable("flat", flat);
const MnemonicTable scratchTable("scratch", scratch);
const MnemonicTable ldsTable("lds", lds);
const MnemonicTable scalarTable("smem", scalarLoads);

} // namespace
} // namespace ds4::sim::test
