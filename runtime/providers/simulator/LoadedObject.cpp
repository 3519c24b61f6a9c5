#include "runtime/providers/simulator/LoadedObject.h"

#include "support/Error.h"

namespace ds4::sim {

std::shared_ptr<CodeObject> CodeObject::load(std::span<const std::byte> elf) {
  return std::make_shared<LoadedObject>(loadImage(elf));
}

const KernelInfo *LoadedObject::find(std::string_view name) const {
  const auto at = image_.kernels.find(name);
  return at == image_.kernels.end() ? nullptr : &at->second;
}

std::vector<const KernelInfo *> LoadedObject::kernels() const {
  std::vector<const KernelInfo *> all;
  for (const auto &[name, kernel] : image_.kernels)
    all.push_back(&kernel);
  return all;
}

std::span<std::byte> LoadedObject::global(std::string_view name) {
  const auto at = image_.objects.find(name);
  if (at == image_.objects.end())
    return {};
  return {image_.base() + at->second.begin, size_t(at->second.end - at->second.begin)};
}

const Kernel &LoadedObject::kernel(const KernelInfo &info) const {
  const auto at = image_.kernels.find(info.name);
  if (at == image_.kernels.end() || &at->second != &info)
    userError("kernel {} does not belong to the code object it is launched from", info.name);
  return at->second;
}

const Program &LoadedObject::program(const Kernel &kernel, Isa isa) {
  std::lock_guard lock(mutex_);
  std::unique_ptr<Program> &program = programs_[{&kernel, isa}];
  if (!program) {
    if (!disassembler_)
      disassembler_ = std::make_unique<Disassembler>(image_.cpu);
    program = std::make_unique<Program>(image_, kernel, *disassembler_, handlerTable(isa));
  }
  return *program;
}

} // namespace ds4::sim
