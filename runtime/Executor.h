// Executes a plan: owns the device memory of weights, state and arena, binds every launch once, runs steps.
//
// One Executor is one sequence on one device. It is used from one thread at a time; that thread has the device current.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/kernels/step.h"
#include "runtime/DeviceSlabs.h"
#include "runtime/KernelLoader.h"
#include "runtime/WeightLoader.h"
#include "runtime/Weights.h"
#include "runtime/hip/DeviceObjects.h"
#include "runtime/hip/Provider.h"
#include "runtime/plan/Plan.h"
#include "runtime/trace/Recorder.h"

namespace ds4 {

struct ExecutorOptions {
  KernelLoadOptions kernels;
  std::function<void(std::string_view what, double share)> progress; // called while loading, share from 0 to 1
  const std::atomic<bool> *stop = nullptr;                           // loading ends soon after it becomes true
  bool prefill = true;                                               // load the plan's prefill function, where memory allows
};

struct StepInput {
  int64_t pos = 0;                 // position of the first token
  std::span<const int32_t> tokens; // 1 to plan.maxWidth
  bool head = true;                // run the output head ("logits", "next"); prompt tokens before the last need none
  float temperature = 0;           // above 0: "sampled" is computed too
  float topP = 1;
  std::span<const float> random; // one uniform number in [0, 1) a token, when temperature > 0
};

class Executor {
public:
  // Loads weights and kernels. `weights` is used during construction alone. Throws ds4::Error: Environment when memory,
  // device or compiler fail, User when plan and device do not fit. Memory is checked before anything is allocated or read.
  Executor(std::shared_ptr<const hip::Provider> provider, Plan plan, WeightSource &weights, ExecutorOptions options = {});

  // The draft function of `target`'s plan, on the same sequence: the states are the target's, and so are weights that bear the name
  // of one of its. It must outlive this. Throws the same.
  Executor(Executor &target, WeightSource &weights, ExecutorOptions options = {});
  Executor(const Executor &) = delete;
  Executor &operator=(const Executor &) = delete;

  const Plan &plan() const { return plan_; }
  // Reads chunks of a prompt on the same sequence, by step() without outputs; null: the plan has no prefill function, or it was not
  // loaded.
  Executor *prefill() const { return prefill_.get(); }
  const hip::Provider &provider() const { return *provider_; }

  // Forgets the sequence, and the inputs: all state becomes zero. After step() threw, nothing else may be called before.
  void reset();

  // Appends the tokens to the state and computes the outputs. Tokens must continue the sequence: the caller keeps pos.
  // Throws ds4::Error (User) for a width, token or position that the plan has no room for.
  void step(const StepInput &input);

  // Values of the last step, q tokens of `tokenStride` elements each. Throw ds4::Error (User) for a name the plan does not return.
  std::vector<float> output(std::string_view name) const;
  std::vector<int32_t> outputIds(std::string_view name) const;
  // Inputs of a plan that has any, before step(): tokens * tokenStride elements.
  void setInput(std::string_view name, std::span<const float> values);

  // Rows of a state, converted from and to its element type.
  std::vector<float> readState(std::string_view name, int64_t firstRow, int64_t rows) const;
  void writeState(std::string_view name, int64_t firstRow, std::span<const float> values);

  // The first bytes of state `index` of the plan, as they are. The caller stays within PlanState::bytes().
  void downloadState(size_t index, std::span<std::byte> out) const;
  void uploadState(size_t index, std::span<const std::byte> bytes);

  // Called before every launch of a step with its index in the plan, and after the last with the number of launches: to
  // record events in the stream. Null: not called.
  using LaunchHook = std::function<void(size_t launch, hip::StreamHandle stream)>;
  void setLaunchHook(LaunchHook hook) { hook_ = std::move(hook); }

  // Tells `recorder` of every step and copy from now on; null: nobody. It must outlive the executor or be taken away before.
  void setRecorder(trace::Recorder *recorder) { recorder_ = recorder; }
  // Slots, over all steps since loading, whose expert id in the model's routing tables is no expert's: their experts gave zeros.
  uint32_t unknownExperts() const;

  int64_t launchesOfLastStep() const { return launches_; }
  const KernelLoadReport &kernelReport() const { return kernelReport_; } // of prompts in chunks, too
  const WeightLoadReport &weightReport() const { return weightReport_; }

private:
  // A function of `target`'s plan, on the same sequence and with its weights, but for those in `own`.
  Executor(Executor &target, const Plan &function, std::span<const PlanWeight> own, WeightSource &weights, ExecutorOptions options);

  struct BoundLaunch {
    std::vector<hip::FunctionHandle> functions; // of its variants
    std::vector<uint64_t> arguments;            // device addresses
    bool head = false, sampling = false;
  };

  void allocateStep();
  void loadWeights(std::span<const PlanWeight> weights, WeightSource &source);
  void loadKernels();
  void bindLaunches();
  void checkInput(const StepInput &input) const;
  void writeStepBlock(const StepInput &input);
  size_t stateIndex(std::string_view name) const;
  const PlanValue &output(std::string_view name, std::string_view element) const;
  enum class Direction { ToDevice, ToHost };
  // Runs a copy that blocks, and records it.
  template <typename Copy> void transfer(Direction direction, uint64_t bytes, const Copy &copy) const {
    if (recorder_)
      recorder_->copy(direction == Direction::ToDevice, bytes, copy);
    else
      copy();
  }
  template <typename T> std::vector<T> download(const PlanValue &value) const;

  std::shared_ptr<const hip::Provider> provider_;
  Plan plan_;
  ExecutorOptions options_;
  hip::Stream stream_;
  hip::DeviceBuffer stepBlock_, arena_;
  DeviceSlabs states_, weights_; // none of what is the target's
  Executor *target_ = nullptr;   // whose draft or prefill function this is
  std::unique_ptr<Executor> prefill_;
  std::vector<uint64_t> stateAddresses_, weightAddresses_; // by index in the plan
  std::vector<hip::Module> modules_;
  std::vector<hip::FunctionHandle> functions_;
  std::vector<BoundLaunch> bound_;
  LaunchHook hook_;
  trace::Recorder *recorder_ = nullptr;
  int64_t lastWidth_ = 0, launches_ = 0;
  KernelLoadReport kernelReport_;
  WeightLoadReport weightReport_;
};

} // namespace ds4
