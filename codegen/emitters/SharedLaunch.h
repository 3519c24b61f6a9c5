// Several ops in one launch, known as horizontal fusion.
//
// Roots, ops that need nothing of the launch, work side by side: each has a range of the grid. A tail, an op that needs
// results of the launch, has no workgroups of its own: the workgroup that arrives last of all that it depends on does its
// work, token by token (kernels/hand_over.h). Device code, and so every result, is the same as with a launch an op.
#pragma once

#include <vector>

#include "codegen/KernelSpec.h"
#include "codegen/emitters/Source.h"

namespace ds4 {

struct SharedPart {
  KernelSource source;        // movable; all parts have workgroups of one size
  std::vector<int> arguments; // one for each of source.parameters: which argument of the shared kernel it is
  int chain = 0;              // parts that depend on each other, directly or not, have the same number
  bool isTail = false;
};

// Roots come first, in the order of their workgroups; work that is wanted early, because a tail waits for it, belongs in
// front. Tails follow in the order in which they are to run. The kernel has `arguments` pointers, then the scratch if
// there is a tail. Grid: x as the roots want, y = tokens. A root whose workgroups follow the step is the only one.
//
// A chain is cut into pieces where each of its ops makes the same part of a row of what the same part of its operands
// says (KernelSource::piece): then each piece has a last workgroup of its own, and tails run side by side, too.
KernelSpec emitSharedLaunch(const std::vector<SharedPart> &parts, int arguments);

} // namespace ds4
