#include "runtime/providers/simulator/Instruction.h"

#include "support/Error.h"

#include <string>
#include <string_view>
#include <unordered_map>

namespace ds4::sim {

struct HandlerTable::Entries {
  std::unordered_map<std::string_view, HandlerInfo> byName; // mnemonics are string literals of the families
};

HandlerTable::HandlerTable() : entries_(new Entries) {}
HandlerTable::~HandlerTable() { delete entries_; }

void HandlerTable::add(const char *mnemonic, HandlerInfo info) { entries_->byName[mnemonic] = info; }

const HandlerInfo *HandlerTable::find(const char *mnemonic, size_t length) const {
  const auto at = entries_->byName.find({mnemonic, length});
  return at == entries_->byName.end() ? nullptr : &at->second;
}

size_t HandlerTable::size() const { return entries_->byName.size(); }

std::vector<std::string_view> HandlerTable::mnemonics() const {
  std::vector<std::string_view> names;
  for (const auto &[name, info] : entries_->byName)
    names.push_back(name);
  return names;
}

Isa bestIsa() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4"))
    return Isa::Avx512;
  if (!__builtin_cpu_supports("x86-64-v3"))
    environmentError("simulator: this CPU lacks AVX2, FMA or F16C: the simulator needs an x86-64-v3 machine");
  return Isa::Avx2;
}

const HandlerTable &handlerTable(Isa isa) {
  if (isa == Isa::Avx512) {
    static const HandlerTable &table = []() -> const HandlerTable & {
      auto *built = new HandlerTable;
      avx512::registerAll(*built);
      return *built;
    }();
    return table;
  }
  static const HandlerTable &table = []() -> const HandlerTable & {
    auto *built = new HandlerTable;
    avx2::registerAll(*built);
    return *built;
  }();
  return table;
}

} // namespace ds4::sim
