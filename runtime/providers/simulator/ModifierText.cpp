#include "runtime/providers/simulator/ModifierText.h"

#include "runtime/providers/simulator/Program.h"

#include <cstdlib>
#include <string>

namespace ds4::sim {

namespace {

// The numbers of "name:5", "name:0x1f" or "name:[1,0,2]" and of "name(A,1,2)": anything that is not a number counts as 0.
std::vector<int64_t> numbers(std::string_view list) {
  std::vector<int64_t> result;
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    result.push_back(std::strtoll(std::string(list.substr(0, comma)).c_str(), nullptr, 0));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return result;
}

std::string_view within(std::string_view text, char open, char close) {
  const size_t begin = text.find(open), end = text.rfind(close);
  return begin == text.npos || end == text.npos || end < begin ? std::string_view() : text.substr(begin + 1, end - begin - 1);
}

uint8_t bitList(std::string_view modifier) {
  uint8_t bits = 0;
  int k = 0;
  for (int64_t bit : numbers(within(modifier, '[', ']')))
    bits |= uint8_t((bit & 1) << k++);
  return bits;
}

// ds_swizzle_b32's pattern as its 16-bit offset.
int32_t swizzlePattern(std::string_view arguments) {
  const std::vector<int64_t> n = numbers(arguments);
  if (arguments.starts_with("SWAP") && n.size() == 2)
    return 0x1f | int32_t(n[1]) << 10;
  if (arguments.starts_with("REVERSE") && n.size() == 2)
    return 0x1f | int32_t(n[1] - 1) << 10;
  if (arguments.starts_with("BROADCAST") && n.size() == 3)
    return int32_t(32 - n[1]) | int32_t(n[2]) << 5;
  if (arguments.starts_with("QUAD_PERM") && n.size() == 5)
    return 0x8000 | int32_t(n[1] | n[2] << 2 | n[3] << 4 | n[4] << 6);
  if (arguments.starts_with("ROTATE") && n.size() == 3)
    return 0xc000 | int32_t(n[1]) << 10 | int32_t(n[2]) << 5;
  if (arguments.starts_with("FFT") && n.size() == 2)
    return 0xe000 | int32_t(n[1]);
  int32_t andMask = 0, orMask = 0, xorMask = 0, bit = 16;
  for (char c : within(arguments, '"', '"')) { // BITMASK_PERM: one letter a bit, the highest first
    orMask |= c == '1' ? bit : 0;
    andMask |= c == 'p' || c == 'i' ? bit : 0;
    xorMask |= c == 'i' ? bit : 0;
    bit >>= 1;
  }
  return andMask | orMask << 5 | xorMask << 10;
}

// Source lanes of a DPP control; lanes whose source lies outside of their row are taken out of `valid`.
bool dppLanes(std::string_view control, std::array<int32_t, kLanes> &lanes, uint32_t &valid) {
  const size_t colon = control.find(':');
  const std::string_view name = control.substr(0, colon);
  const std::string_view value = colon == control.npos ? std::string_view() : control.substr(colon + 1);
  const std::vector<int64_t> list = numbers(value.starts_with('[') ? within(value, '[', ']') : value);
  const int n = list.empty() ? 0 : int(list[0]);
  if ((name == "quad_perm" && list.size() != 4) || (name == "dpp8" && list.size() != 8))
    return false;
  for (int l = 0; l < kLanes; l++) {
    const int row = l & ~15, place = l & 15;
    int from;
    if (name == "quad_perm")
      from = (l & ~3) + int(list[l & 3]);
    else if (name == "dpp8")
      from = (l & ~7) + int(list[l & 7]);
    else if (name == "row_shl")
      from = place + n > 15 ? -1 : l + n;
    else if (name == "row_shr")
      from = place < n ? -1 : l - n;
    else if (name == "row_ror")
      from = row + ((place - n) & 15);
    else if (name == "row_mirror")
      from = row + 15 - place;
    else if (name == "row_half_mirror")
      from = row + (place & 8) + 7 - (place & 7);
    else if (name == "row_share" || name == "row_newbcast")
      from = row + n;
    else if (name == "row_xmask")
      from = row + (place ^ n);
    else
      return false;
    if (from < 0)
      valid &= ~(1u << l);
    lanes[l] = from < 0 ? l : from;
  }
  return true;
}

uint32_t lanesOfMask(uint32_t mask, bool rows) {
  uint32_t lanes = 0;
  for (int l = 0; l < kLanes; l++)
    lanes |= ((mask >> (rows ? l / 16 : (l & 15) / 4)) & 1) << l;
  return lanes;
}

} // namespace

bool applyModifier(std::string_view modifier, Instruction &in, Program &storage) {
  const size_t colon = modifier.find(':');
  const std::string_view name = modifier.substr(0, colon);
  const std::string value(colon == modifier.npos ? std::string_view() : modifier.substr(colon + 1));
  const int64_t number = std::strtoll(value.c_str(), nullptr, 0);
  if (name == "offset" && value.starts_with("swizzle"))
    in.offset = swizzlePattern(within(value, '(', ')'));
  else if (name == "offset" || name == "offset0")
    in.offset = int32_t(number);
  else if (name == "offset1")
    in.offset1 = int32_t(number);
  else if (name == "glc")
    in.globallyCoherent = true;
  else if (name == "clamp")
    in.clamp = true;
  else if (name == "mul")
    in.outputModifier = number == 4 ? 2 : 1;
  else if (name == "div")
    in.outputModifier = 3;
  else if (name == "op_sel")
    in.opSel = bitList(value);
  else if (name == "op_sel_hi") {
    in.opSelHi = bitList(value);
    in.hasOpSelHi = true;
  } else if (name == "neg_lo")
    in.negLo = bitList(value);
  else if (name == "neg_hi")
    in.negHi = bitList(value);
  else if (name == "row_mask" || name == "bank_mask")
    in.dppWriteMask &= lanesOfMask(uint32_t(number), name == "row_mask");
  else if (name == "bound_ctrl")
    in.boundControl = true;
  else if (name == "fi")
    in.fetchInactive = number != 0;
  else if (name != "dlc" && name != "slc" && name != "scc") {
    std::array<int32_t, kLanes> lanes;
    if (!dppLanes(modifier, lanes, in.dppValidLanes))
      return false;
    in.dpp = true;
    in.boundControl |= name == "dpp8"; // inactive source lanes read 0
    in.lanePermutation = storage.keepPermutation(lanes);
  }
  return true;
}

bool parseHardwareRegister(std::string_view text, Operand &operand) {
  if (!text.starts_with("hwreg("))
    return false;
  const std::string_view arguments = within(text, '(', ')');
  struct Named {
    std::string_view name;
    uint64_t id;
  };
  static constexpr Named kNamed[] = {
      {"HW_REG_MODE", 1}, {"HW_REG_STATUS", 2}, {"HW_REG_HW_ID1", 23}, {"HW_REG_HW_ID2", 24}, {"HW_REG_SHADER_CYCLES", 29}};
  const std::string_view name = arguments.substr(0, arguments.find(','));
  for (const Named &known : kNamed) {
    if (name != known.name)
      continue;
    const std::vector<int64_t> n = numbers(arguments);
    operand.kind = OperandKind::Constant;
    operand.value = known.id | uint64_t(n.size() > 1 ? n[1] : 0) << 6 | uint64_t((n.size() > 2 ? n[2] : 32) - 1) << 11;
    return true;
  }
  return false;
}

} // namespace ds4::sim
