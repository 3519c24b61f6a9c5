// A workgroup with its waves, LDS and scratch: everything that must survive while it is set aside.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "runtime/providers/simulator/LaunchContext.h"
#include "runtime/providers/simulator/LdsShadow.h"
#include "runtime/providers/simulator/Validity.h"

namespace ds4::sim {

class ResidentGroup {
public:
  enum class Outcome { Finished, Preempted };

  // Lays out workgroup `index` of the launch; storage of an earlier workgroup is reused.
  void start(const LaunchContext &context, Worker &worker, uint32_t index);

  // Runs all waves up to their next barrier or end, pass after pass. Preempted: a wave used up `quantum` instructions.
  Outcome run(LaunchContext &context, int64_t quantum, std::mt19937_64 &random);

  // One burst of one wave; the scheduler then looks at its state. Counts against the launch's instruction limit.
  void burst(LaunchContext &context, Wave &wave, int64_t instructions);

  // Whether each running wave comes back to the very state it is in, within a few thousand instructions: unless memory
  // changes it will spin for ever. Runs the waves.
  bool spins(LaunchContext &context);

  // Reports a wave that spins for ever.
  [[noreturn]] void raiseDeadlock() const;

  // Lets the waves at the barrier go once no live wave is still on its way.
  bool releaseBarrier();

  Wave &wave(uint32_t index) const { return *reinterpret_cast<Wave *>(waves_.get() + index * waveBytes_); }
  uint32_t waves() const { return waveCount_; }
  uint32_t live() const { return live_; }
  Workgroup &group() { return group_; }
  size_t bytes() const { return waveCapacity_ + lds_.capacity() + scratch_.capacity(); }
  uint64_t longestWave() const;
  int64_t nextQuantum = 0;

private:
  void startWave(const LaunchContext &context, Worker &worker, uint32_t index);
  uint32_t setScalarInputs(const LaunchContext &context, Wave &wave) const; // how many SGPRs were set

  struct Free {
    void operator()(std::byte *p) const;
  };
  std::unique_ptr<std::byte[], Free> waves_;
  size_t waveBytes_ = 0, waveCapacity_ = 0;
  uint32_t waveCount_ = 0, live_ = 0;
  std::vector<std::byte> lds_, scratch_;
  std::vector<uint32_t> order_;
  std::vector<std::byte> earlier_; // a wave's state, for spins()
  LdsShadow shadow_;
  std::vector<Validity> validity_;
  Workgroup group_;
};

} // namespace ds4::sim
