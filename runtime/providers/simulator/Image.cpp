#include "runtime/providers/simulator/Image.h"

#include "support/Error.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <llvm/BinaryFormat/ELF.h>
#include <llvm/BinaryFormat/MsgPackDocument.h>
#include <llvm/Object/ELF.h>
#include <llvm/Support/AMDHSAKernelDescriptor.h>

namespace ds4::sim {

namespace {

namespace elf = llvm::ELF;
using ElfFile = llvm::object::ELFFile<llvm::object::ELF64LE>;

constexpr size_t kPage = 4096, kLargestImage = size_t(1) << 30;

template <class T> T expect(llvm::Expected<T> value) {
  if (!value)
    userError("code object: {}: rebuild it", llvm::toString(value.takeError()));
  return std::move(*value);
}

std::string cpuOf(uint32_t flags) {
  switch (flags & elf::EF_AMDGPU_MACH) {
  case elf::EF_AMDGPU_MACH_AMDGCN_GFX1151:
    return "gfx1151";
  case elf::EF_AMDGPU_MACH_AMDGCN_GFX1100:
    return "gfx1100";
  }
  userError("code object: machine {:#x} is neither gfx1151 nor gfx1100: compile it for gfx1151", flags & elf::EF_AMDGPU_MACH);
}

void loadSegments(const ElfFile &file, std::span<const std::byte> data, Image &image) {
  uint64_t top = 0;
  for (const auto &segment : expect(file.program_headers())) {
    if (segment.p_type != elf::PT_LOAD)
      continue;
    if (segment.p_offset > data.size() || segment.p_filesz > data.size() - segment.p_offset || segment.p_filesz > segment.p_memsz ||
        segment.p_vaddr > kLargestImage || segment.p_memsz > kLargestImage)
      userError("code object: a segment lies outside of the file: rebuild it");
    top = std::max<uint64_t>(top, segment.p_vaddr + segment.p_memsz);
  }
  image.size = (top + 2 * kPage - 1) / kPage * kPage;
  image.bytes.reset(static_cast<std::byte *>(std::aligned_alloc(kPage, image.size)));
  if (!image.bytes)
    environmentError("code object: no memory for an image of {} bytes", image.size);
  std::memset(image.base(), 0, image.size);
  for (const auto &segment : expect(file.program_headers()))
    if (segment.p_type == elf::PT_LOAD && segment.p_filesz)
      std::memcpy(image.base() + segment.p_vaddr, data.data() + segment.p_offset, segment.p_filesz);
}

void relocate(const ElfFile &file, Image &image) {
  const uint64_t base = reinterpret_cast<uint64_t>(image.base());
  for (const auto &section : expect(file.sections())) {
    if (section.sh_type != elf::SHT_RELA)
      continue;
    const auto *symbols = section.sh_link ? expect(file.getSection(section.sh_link)) : nullptr;
    for (const auto &rela : expect(file.relas(section))) {
      uint64_t value = base + rela.r_addend;
      if (const auto *symbol = symbols ? expect(file.getRelocationSymbol(rela, symbols)) : nullptr)
        value += symbol->st_value;
      const uint32_t type = rela.getType(false);
      if (type != elf::R_AMDGPU_RELATIVE64 && type != elf::R_AMDGPU_ABS64)
        userError("code object: relocation type {} is not one a loaded object may have: link it with lld", type);
      if (rela.r_offset > image.size - 8)
        userError("code object: a relocation lies outside of the image: rebuild it");
      std::memcpy(image.base() + rela.r_offset, &value, 8);
    }
  }
}

// Functions and objects by offset, kernel descriptors by name without their ".kd".
std::map<std::string, uint64_t> readSymbols(const ElfFile &file, Image &image) {
  std::map<std::string, uint64_t> descriptors;
  for (const auto &section : expect(file.sections())) {
    if (section.sh_type != elf::SHT_SYMTAB && section.sh_type != elf::SHT_DYNSYM)
      continue;
    const llvm::StringRef names = expect(file.getStringTableForSymtab(section));
    for (const auto &symbol : expect(file.symbols(&section))) {
      if (symbol.st_shndx == elf::SHN_UNDEF || symbol.st_value > image.size || symbol.st_size > image.size - symbol.st_value)
        continue;
      const std::string name = expect(symbol.getName(names)).str();
      const Function extent{symbol.st_value, symbol.st_value + symbol.st_size};
      if (symbol.getType() == elf::STT_FUNC && symbol.st_size)
        image.functions[extent.begin] = extent;
      else if (name.ends_with(".kd"))
        descriptors[name.substr(0, name.size() - 3)] = symbol.st_value;
      else if (symbol.getType() == elf::STT_OBJECT)
        image.objects[name] = extent;
    }
  }
  return descriptors;
}

llvm::StringRef metadataNote(const ElfFile &file) {
  for (const auto &segment : expect(file.program_headers())) {
    if (segment.p_type != elf::PT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    llvm::StringRef found;
    for (const auto &note : file.notes(segment, error))
      if (note.getType() == elf::NT_AMDGPU_METADATA && note.getName() == "AMDGPU")
        found = note.getDescAsStringRef(segment.p_align);
    if (error)
      userError("code object: {}: rebuild it", llvm::toString(std::move(error)));
    if (!found.empty())
      return found;
  }
  userError("code object: no AMDGPU metadata: compile it for amdgcn-amd-amdhsa");
}

uint32_t number(llvm::msgpack::MapDocNode &map, llvm::StringRef key, uint32_t otherwise = 0) {
  auto at = map.find(key);
  return at != map.end() && at->second.getKind() == llvm::msgpack::Type::UInt ? uint32_t(at->second.getUInt()) : otherwise;
}

std::string text(llvm::msgpack::MapDocNode &map, llvm::StringRef key) {
  auto at = map.find(key);
  return at != map.end() && at->second.isString() ? at->second.getString().str() : std::string();
}

void readArguments(llvm::msgpack::MapDocNode &map, Kernel &kernel) {
  auto list = map.find(".args");
  if (list == map.end() || !list->second.isArray())
    return;
  for (auto &node : list->second.getArray()) {
    if (!node.isMap())
      continue;
    KernelArgument argument{number(node.getMap(), ".offset"), number(node.getMap(), ".size"), text(node.getMap(), ".value_kind")};
    if (argument.offset > kernel.kernargBytes || argument.bytes > kernel.kernargBytes - argument.offset)
      userError("code object: an argument of {} lies outside of its argument segment: rebuild it", kernel.name);
    if (!argument.hidden())
      kernel.explicitBytes = std::max(kernel.explicitBytes, argument.offset + argument.bytes);
    kernel.arguments.push_back(std::move(argument));
  }
}

void readDescriptor(const Image &image, uint64_t at, Kernel &kernel) {
  llvm::amdhsa::kernel_descriptor_t descriptor;
  if (at > image.size - sizeof descriptor)
    userError("code object: the descriptor of {} lies outside of the image: rebuild it", kernel.name);
  std::memcpy(&descriptor, image.base() + at, sizeof descriptor);
  if (!(descriptor.kernel_code_properties & llvm::amdhsa::KERNEL_CODE_PROPERTY_ENABLE_WAVEFRONT_SIZE32))
    userError("code object: kernel {} is built for waves of 64: compile it with -mno-wavefrontsize64", kernel.name);
  kernel.entry = at + uint64_t(descriptor.kernel_code_entry_byte_offset);
  kernel.ldsBytes = descriptor.group_segment_fixed_size;
  kernel.scratchBytesPerLane = descriptor.private_segment_fixed_size;
  kernel.programResource2 = descriptor.compute_pgm_rsrc2;
  kernel.codeProperties = descriptor.kernel_code_properties;
  kernel.mode = (descriptor.compute_pgm_rsrc1 >> 12) & 0xff;
}

void readKernels(const ElfFile &file, const std::map<std::string, uint64_t> &descriptors, Image &image) {
  llvm::msgpack::Document document;
  if (!document.readFromBlob(metadataNote(file), false) || !document.getRoot().isMap())
    userError("code object: its metadata is not valid msgpack: rebuild it");
  auto kernels = document.getRoot().getMap().find("amdhsa.kernels");
  if (kernels == document.getRoot().getMap().end() || !kernels->second.isArray())
    return;
  constexpr uint32_t kCallStack = 16384; // for kernels whose stack the compiler could not bound
  for (auto &node : kernels->second.getArray()) {
    if (!node.isMap())
      continue;
    auto &map = node.getMap();
    Kernel kernel;
    kernel.name = text(map, ".name");
    auto descriptor = descriptors.find(kernel.name);
    if (descriptor == descriptors.end())
      userError("code object: kernel {} has no descriptor: rebuild it", kernel.name);
    kernel.kernargBytes = number(map, ".kernarg_segment_size");
    kernel.vgprs = number(map, ".vgpr_count");
    kernel.sgprs = number(map, ".sgpr_count");
    kernel.maxWorkgroup = number(map, ".max_flat_workgroup_size", 1024);
    readArguments(map, kernel);
    readDescriptor(image, descriptor->second, kernel);
    auto dynamicStack = map.find(".uses_dynamic_stack");
    if (dynamicStack != map.end() && dynamicStack->second.getKind() == llvm::msgpack::Type::Boolean &&
        dynamicStack->second.getBool())
      kernel.scratchBytesPerLane += kCallStack;
    image.kernels[kernel.name] = kernel;
  }
}

} // namespace

void Image::Free::operator()(std::byte *p) const { std::free(p); }

Image loadImage(std::span<const std::byte> data) {
  const llvm::StringRef bytes(reinterpret_cast<const char *>(data.data()), data.size());
  if (!bytes.starts_with("\177ELF"))
    userError("code object: not an ELF file");
  const ElfFile file = expect(ElfFile::create(bytes));
  if (file.getHeader().e_machine != elf::EM_AMDGPU || file.getHeader().e_ident[elf::EI_CLASS] != elf::ELFCLASS64)
    userError("code object: an ELF file for another machine, not for an AMD GPU");
  Image image;
  image.cpu = cpuOf(file.getHeader().e_flags);
  loadSegments(file, data, image);
  relocate(file, image);
  readKernels(file, readSymbols(file, image), image);
  return image;
}

} // namespace ds4::sim
