#include "runtime/providers/simulator/OperandText.h"

#include "runtime/providers/simulator/ModifierText.h"

#include <bit>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace ds4::sim {

namespace {

// A constant as printed: an integer, or a float to be rounded to the operand's type.
struct ParsedOperand {
  Operand operand;
  bool isFloat = false, isLiteral = false;
  double number = 0;
};

constexpr double kInverseTwoPi = 0.15915494309189532;

bool consume(std::string_view &text, std::string_view prefix, std::string_view suffix = {}) {
  if (!text.starts_with(prefix) || !text.ends_with(suffix) || text.size() < prefix.size() + suffix.size())
    return false;
  text = text.substr(prefix.size(), text.size() - prefix.size() - suffix.size());
  return true;
}

// v7, v[4:7], s3, ttmp[2:3]: index and count behind the letter.
bool parseRegister(std::string_view text, unsigned base, OperandKind kind, Operand &operand) {
  const bool bracketed = consume(text, "[", "]");
  unsigned first = 0, last = 0;
  const char *const stop = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), stop, first);
  if (parsed.ec != std::errc())
    return false;
  last = first;
  if (bracketed && parsed.ptr != stop && *parsed.ptr == ':')
    parsed = std::from_chars(parsed.ptr + 1, stop, last);
  if (parsed.ec != std::errc() || parsed.ptr != stop || last < first)
    return false;
  operand.kind = kind;
  operand.reg = uint16_t(base + first);
  operand.words = uint8_t(last - first + 1);
  return true;
}

bool parseNamed(std::string_view text, Operand &operand) {
  struct Named {
    std::string_view name;
    uint16_t reg;
    uint8_t words;
  };
  static constexpr Named kNamed[] = {{"vcc_lo", kVcc, 1},   {"vcc_hi", kVcc + 1, 1},   {"vcc", kVcc, 2},
                                     {"exec_lo", kExec, 1}, {"exec_hi", kExec + 1, 1}, {"exec", kExec, 2},
                                     {"m0", kM0, 1},        {"null", kNull, 1},        {"src_scc", kScc, 1}};
  for (const Named &named : kNamed)
    if (text == named.name) {
      operand.kind = OperandKind::Scalar;
      operand.reg = named.reg;
      operand.words = named.words;
      return true;
    }
  const bool shared = text == "src_shared_base", personal = text == "src_private_base";
  if (shared || personal) {
    operand.kind = OperandKind::Constant;
    operand.value = uint64_t(shared ? kSharedAperture : kPrivateAperture) << 32;
  }
  return shared || personal;
}

bool parseConstant(std::string_view text, ParsedOperand &parsed) {
  if (text.empty() || (!isdigit(text[0]) && text[0] != '-'))
    return false;
  parsed.operand.kind = OperandKind::Constant;
  parsed.isLiteral = text.find("0x") != text.npos;
  const std::string copy(text);
  char *end = nullptr;
  if (!parsed.isLiteral && text.find('.') != text.npos) {
    parsed.isFloat = true;
    parsed.number = text.starts_with("0.15915494") ? kInverseTwoPi : std::strtod(copy.c_str(), &end);
  } else {
    parsed.operand.value = copy[0] == '-' ? uint64_t(std::strtoll(copy.c_str(), &end, 0)) : std::strtoull(copy.c_str(), &end, 0);
  }
  return !end || !*end;
}

std::optional<ParsedOperand> parseOperand(std::string_view text) {
  ParsedOperand parsed;
  Operand &operand = parsed.operand;
  if (text.size() > 1 && text[0] == '-' && !isdigit(text[1])) {
    operand.modifiers |= Operand::Negate;
    text.remove_prefix(1);
  } else if (consume(text, "neg(", ")")) {
    operand.modifiers |= Operand::Negate;
  }
  if (consume(text, "|", "|"))
    operand.modifiers |= Operand::Absolute;
  if (text.ends_with(".l") || text.ends_with(".h")) {
    operand.half = 1;
    if (text.back() == 'h')
      operand.modifiers |= Operand::High;
    text.remove_suffix(2);
  }
  if (!consume(text, "lit64(", ")"))
    consume(text, "lit(", ")");
  if (text == "off") {
    operand.kind = OperandKind::Off;
    return parsed;
  }
  if (parseNamed(text, operand) || parseHardwareRegister(text, operand))
    return parsed;
  if ((text.starts_with("v") && parseRegister(text.substr(1), 0, OperandKind::Vector, operand)) ||
      (text.starts_with("s") && parseRegister(text.substr(1), 0, OperandKind::Scalar, operand)) ||
      (text.starts_with("ttmp") && parseRegister(text.substr(4), kTrapTemp, OperandKind::Scalar, operand)) ||
      parseConstant(text, parsed))
    return parsed;
  return std::nullopt;
}

// The constant's bits in the type that the handler reads it as.
void bindConstant(ParsedOperand &parsed, char type, Program &storage) {
  Operand &operand = parsed.operand;
  if (!operand.is(OperandKind::Constant))
    return;
  if (parsed.isFloat && (type == 'H' || type == 'W'))
    operand.value = std::bit_cast<uint16_t>(_Float16(parsed.number));
  else if (parsed.isFloat && (type == 'D' || type == 'L'))
    operand.value = std::bit_cast<uint64_t>(parsed.number);
  else if (parsed.isFloat)
    operand.value = std::bit_cast<uint32_t>(float(parsed.number));
  else if (type == 'D' && parsed.isLiteral && operand.value <= UINT32_MAX)
    operand.value <<= 32; // a 32-bit literal is the upper half of an f64
  operand.row = storage.constantRow(operand.value);
}

// Splits at commas outside of brackets, then at spaces: the first word of a piece may be an operand, the rest are modifiers.
struct SplitText {
  std::vector<ParsedOperand> operands;
  std::vector<std::string_view> modifiers;
};

SplitText split(std::string_view text) {
  SplitText result;
  size_t begin = 0;
  int depth = 0;
  bool first = true;
  for (size_t at = 0; at <= text.size(); at++) {
    const char c = at < text.size() ? text[at] : ',';
    depth += c == '[' || c == '(';
    depth -= c == ']' || c == ')';
    if (depth || (c != ',' && c != ' '))
      continue;
    if (const std::string_view word = text.substr(begin, at - begin); !word.empty()) {
      std::optional<ParsedOperand> operand = first ? parseOperand(word) : std::nullopt;
      if (operand)
        result.operands.push_back(*operand);
      else
        result.modifiers.push_back(word);
      first = false;
    }
    begin = at + 1;
    first |= c == ',';
  }
  return result;
}

bool startsWithAny(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  for (std::string_view prefix : prefixes)
    if (text.starts_with(prefix))
      return true;
  return false;
}

// op_sel of 16-bit VALU instructions selects halves; the packed families read the bits themselves.
bool selectsHalves(std::string_view key) {
  return key.starts_with("v_") && key.find("pk_") == key.npos &&
         !startsWithAny(key, {"v_permlane", "v_fma_mix", "v_wmma", "v_dot"});
}

void applyHalfSelection(Instruction &in, unsigned textSources) {
  for (unsigned k = 0; k < textSources; k++)
    if ((in.opSel >> k) & 1)
      in.src[k].modifiers |= Operand::High;
  // The last bit of the list, or bit 3 of a full one, belongs to the destination.
  if ((in.opSel >> textSources) & 1 || in.opSel & 8)
    in.dst.modifiers |= Operand::High;
}

// v_fma_mix prints the sign bits of f16 and f32 sources alike as -v and |v|; they act after the format is chosen.
void moveMixSigns(Instruction &in) {
  for (int k = 0; k < in.sources; k++) {
    in.negLo |= (in.src[k].modifiers & Operand::Negate ? 1 : 0) << k;
    in.negHi |= (in.src[k].modifiers & Operand::Absolute ? 1 : 0) << k;
    in.src[k].modifiers &= ~(Operand::Negate | Operand::Absolute);
  }
}

} // namespace

std::string handlerKey(std::string_view mnemonic) {
  std::string key(mnemonic);
  for (std::string_view suffix : {"_dpp", "_e64", "_e32"})
    if (key.ends_with(suffix))
      key.resize(key.size() - suffix.size());
  if (key.starts_with("v_dual_"))
    key.erase(2, 5);
  if (key.starts_with("ds_"))
    if (const size_t rtn = key.find("_rtn"); rtn != key.npos)
      key.erase(rtn, 4);
  return key;
}

Instruction bindText(std::string_view text, const HandlerTable &handlers, Program &storage) {
  Instruction in;
  const size_t space = std::min(text.find(' '), text.size());
  const std::string_view mnemonic = text.substr(0, space);
  const std::string key = handlerKey(mnemonic);
  in.kind = classify(mnemonic);
  const HandlerInfo *info = handlers.find(key.data(), key.size());
  if (!info)
    return in;
  if (text.ends_with(" clamp") || text.find(" clamp ") != text.npos)
    if (const std::string clamped = key + "_clamp"; const HandlerInfo *saturating = handlers.find(clamped.data(), clamped.size()))
      info = saturating;
  if (info->flags & (kNoOperands | kBranch) && !(info->flags & kCalls)) {
    in.run = info->run;
    return in;
  }

  SplitText parts = split(text.substr(std::min(space + 1, text.size())));
  for (std::string_view modifier : parts.modifiers)
    if (!applyModifier(modifier, in, storage))
      return in;

  bool hasDestination = !(info->flags & kNoDestination);
  const bool returns = in.globallyCoherent || mnemonic.find("_rtn") != mnemonic.npos;
  if (in.kind == InstructionClass::VmemAtomic || (in.kind == InstructionClass::Lds && mnemonic.find("_rtn") != mnemonic.npos))
    hasDestination = returns;
  const size_t types = std::char_traits<char>::length(info->types);
  size_t next = 0;
  if (hasDestination && next < parts.operands.size())
    in.dst = parts.operands[next++].operand;
  if (info->flags & kCarryOut && next < parts.operands.size())
    in.carryReg = parts.operands[next++].operand.reg;
  for (; next < parts.operands.size() && in.sources < 4; next++) {
    const size_t letter = size_t(in.sources) + 1;
    bindConstant(parts.operands[next], letter < types ? info->types[letter] : 'U', storage);
    in.src[in.sources++] = parts.operands[next].operand;
  }
  const unsigned textSources = in.sources;
  if (key.starts_with("v_fma_mix"))
    moveMixSigns(in);
  if (in.opSel && selectsHalves(key))
    applyHalfSelection(in, textSources);
  if (key == "v_cndmask_b32" && in.sources == 2) { // as half of a VOPD pair: the mask is VCC
    in.src[2].kind = OperandKind::Scalar;
    in.src[2].reg = kVcc;
    in.sources = 3;
  }
  if (info->flags & kAccumulates)
    in.src[in.sources++] = in.dst;
  in.run = info->run;
  return in;
}

InstructionClass classify(std::string_view name) {
  using enum InstructionClass;
  const auto has = [name](std::string_view part) { return name.find(part) != name.npos; };
  if (startsWithAny(name, {"ds_"}))
    return Lds;
  if (name.starts_with("scratch_"))
    return Scratch;
  if (name.starts_with("buffer_gl"))
    return Wait;
  if (startsWithAny(name, {"global_", "flat_"}))
    return has("atomic") ? VmemAtomic : has("load") ? VmemLoad : VmemStore;
  if (startsWithAny(name, {"s_load", "s_buffer_load"}))
    return Smem;
  if (startsWithAny(name, {"s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call"}))
    return Branch;
  if (name.starts_with("s_barrier"))
    return Barrier;
  if (startsWithAny(name,
                    {"s_wait", "s_nop", "s_delay_alu", "s_clause", "s_sleep", "s_setprio", "s_set_inst_prefetch", "s_inst_prefetch",
                     "s_icache", "s_dcache", "s_gl1", "s_code_end", "s_sendmsg", "s_round_mode", "s_denorm_mode", "s_version"}))
    return Wait;
  if (startsWithAny(name, {"s_endpgm", "s_trap", "s_sethalt"}))
    return Other;
  if (name.starts_with("s_"))
    return Salu;
  if (name.starts_with("v_wmma"))
    return Wmma;
  if (name.starts_with("v_dot"))
    return Dot;
  if (startsWithAny(name, {"v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_"}))
    return Transcendental;
  return name.starts_with("v_") ? Valu : Other;
}

} // namespace ds4::sim
