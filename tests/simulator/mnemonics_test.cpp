// Runs every registered table of instructions, on the handlers of this machine and on the AVX2 ones.
#include <gtest/gtest.h>

#include "tests/simulator/MnemonicTable.h"

namespace ds4::sim::test {

class Mnemonics : public testing::TestWithParam<MnemonicTable> {};

TEST_P(Mnemonics, GiveTheDefinedResults) { runTable(GetParam(), false); }
TEST_P(Mnemonics, GiveTheDefinedResultsWithAvx2) { runTable(GetParam(), true); }

INSTANTIATE_TEST_SUITE_P(Tables, Mnemonics, testing::ValuesIn(MnemonicTable::all()),
                         [](const testing::TestParamInfo<MnemonicTable> &info) { return info.param.family; });

} // namespace ds4::sim::test
