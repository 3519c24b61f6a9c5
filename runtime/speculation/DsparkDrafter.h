// Drafts with the plan's DSpark drafter (spec section 10.2): one step of its draft function a draft.
//
// The target's step keeps the rings that it reads, for every token it processes, so nothing has to be caught up after a prompt, a
// rejected draft or a way back. A draft writes rows of its own behind the sequence's end, where the target's next step will.
#pragma once

#include "runtime/Executor.h"
#include "runtime/speculation/Drafter.h"

namespace ds4 {

class DsparkDrafter : public Drafter {
public:
  // `target` must outlive the drafter; its plan has a drafter, whose own weights are loaded now. Throws as Executor's constructor.
  DsparkDrafter(Executor &target, WeightSource &weights, ExecutorOptions options = {});

  // `context` is what the target processed, and the confirmed token behind that. At most the plan's block of drafts; none where the
  // context has no room for a block.
  Draft draft(std::span<const int32_t> context, int count) override;

  const Executor &executor() const { return executor_; }

private:
  Executor executor_; // of the draft function
  int32_t noiseToken_;
};

} // namespace ds4
