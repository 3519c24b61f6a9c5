// Runs every registered table of instructions, on the handlers of this machine and on the AVX2 ones, and sees to it that
// each handler has a row.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/providers/simulator/Instruction.h"
#include "runtime/providers/simulator/Machine.h"
#include "tests/simulator/Assembler.h"
#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {

void PrintTo(const MnemonicTable &table, std::ostream *out) { *out << table.family; }

class Mnemonics : public testing::TestWithParam<MnemonicTable> {};

TEST_P(Mnemonics, GiveTheDefinedResults) { runTable(GetParam(), false); }
TEST_P(Mnemonics, GiveTheDefinedResultsWithAvx2) { runTable(GetParam(), true); }

INSTANTIATE_TEST_SUITE_P(Tables, Mnemonics, testing::ValuesIn(MnemonicTable::all()),
                         [](const testing::TestParamInfo<MnemonicTable> &info) { return info.param.family; });

// These end the wave with a fault.
const char *const kTraps[] = {"s_trap 2", "s_sethalt 1"};

TEST(TrapInstructions, RaiseAFault) {
  for (const char *text : kTraps) {
    Launch launch;
    launch.object = CodeObject::load(assemble({{"trap", std::string(text) + "\n s_endpgm\n"}}));
    launch.kernel = launch.object->find("trap");
    const uint64_t argument = 0;
    launch.arguments = std::as_bytes(std::span(&argument, 1));
    Memory memory;
    try {
      run(launch, memory, {});
      ADD_FAILURE() << text << " ended normally";
    } catch (const Fault &fault) {
      EXPECT_EQ(fault.kind, FaultKind::Trap) << text;
      EXPECT_EQ(fault.instruction, text);
    }
  }
}

TEST(HandlerTables, HaveARowForEachMnemonic) {
  std::set<std::string> covered;
  for (const char *text : kTraps)
    covered.merge(handlersOf(text));
  for (const MnemonicTable &table : MnemonicTable::all())
    for (const Row &row : table.rows())
      covered.merge(handlersOf(row.text));
  std::vector<std::string> missing;
  for (std::string_view mnemonic : handlerTable(Isa::Avx2).mnemonics())
    if (!covered.contains(std::string(mnemonic)))
      missing.emplace_back(mnemonic);
  std::sort(missing.begin(), missing.end());
  EXPECT_THAT(missing, testing::IsEmpty());
}

} // namespace ds4::sim::test
