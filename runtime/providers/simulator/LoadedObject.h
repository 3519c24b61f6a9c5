// CodeObject as the simulator sees it: the image and the programs decoded so far.
#pragma once

#include <mutex>

#include "runtime/providers/simulator/Image.h"
#include "runtime/providers/simulator/Program.h"

namespace ds4::sim {

class LoadedObject : public CodeObject {
public:
  explicit LoadedObject(Image image) : image_(std::move(image)) {}
  const KernelInfo *find(std::string_view name) const override;
  std::vector<const KernelInfo *> kernels() const override;
  std::span<std::byte> global(std::string_view name) override;

  // Throws ds4::Error when the kernel belongs to another object.
  const Kernel &kernel(const KernelInfo &info) const;
  // Decoded at the first call, kept from then on.
  const Program &program(const Kernel &kernel, Isa isa);
  const Image &image() const { return image_; }

private:
  Image image_;
  std::mutex mutex_;
  std::unique_ptr<Disassembler> disassembler_;
  std::map<std::pair<const Kernel *, Isa>, std::unique_ptr<Program>> programs_;
};

} // namespace ds4::sim
