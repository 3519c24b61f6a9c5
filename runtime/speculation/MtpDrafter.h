// Drafts with the plan's next-token block (MTP, spec section 10.1): one step of its draft function a draft.
//
// Row p of the block needs what the model made of token p, which the model's steps keep in a ring for the last positions, and token
// p + 1. So the rows of what was confirmed since the last draft are caught up on first, in steps of several; behind another way of
// the context all rows that the block's window sees are. A second draft and later ones begin with the block's own result in the
// place of the model's, which the block was not trained for: they hold less often.
#pragma once

#include <vector>

#include "runtime/Executor.h"
#include "runtime/speculation/Drafter.h"

namespace ds4 {

class MtpDrafter : public Drafter {
public:
  // `target` must outlive the drafter; its plan has a next-token block, whose own weights are loaded now. Throws as Executor's
  // constructor.
  MtpDrafter(Executor &target, WeightSource &weights, ExecutorOptions options = {});

  // `context` is what the target processed, and the confirmed token behind that: at least two tokens, else nothing is drafted. At
  // most the plan's greatest width of drafts, and as many as the context has room for.
  Draft draft(std::span<const int32_t> context, int count) override;

  const Executor &executor() const { return executor_; }

private:
  void catchUp(std::span<const int32_t> context);
  // Puts the block's last result where the model's streams of position `pos` are looked for.
  void standIn(int64_t pos);

  Executor executor_;         // of the draft function
  const PlanState &streams_;  // the ring of streams, in its plan
  std::vector<int32_t> seen_; // the context that the block's ring has the rows of
};

} // namespace ds4
