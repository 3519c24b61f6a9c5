#include "codegen/KernelResources.h"

#include <algorithm>
#include <string_view>

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELF.h"

#include "support/Error.h"

namespace ds4 {
namespace {

using Elf = llvm::object::ELF64LE;
using ElfFile = llvm::object::ELFFile<Elf>;

[[noreturn]] void badCodeObject(std::string_view why) { userError("code object: {}; compile it anew for gfx1151", why); }

// The bytes of the AMDGPU metadata note. They lie in `file`'s buffer.
llvm::StringRef metadataNote(const ElfFile &file) {
  auto sections = file.sections();
  if (!sections)
    badCodeObject(llvm::toString(sections.takeError()));
  llvm::StringRef metadata;
  for (const Elf::Shdr &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_NOTE)
      continue;
    llvm::Error error = llvm::Error::success();
    for (const auto &note : file.notes(section, error))
      if (note.getName() == "AMDGPU" && note.getType() == llvm::ELF::NT_AMDGPU_METADATA)
        metadata = note.getDescAsStringRef(section.sh_addralign);
    if (error)
      badCodeObject(llvm::toString(std::move(error)));
  }
  if (metadata.empty())
    badCodeObject("no AMDGPU metadata note");
  return metadata;
}

// Reads scalar fields of one kernel's map. An absent field reads as zero; one of another kind is an error.
class KernelFields {
public:
  explicit KernelFields(llvm::msgpack::MapDocNode map) : map_(map) {}

  int integer(llvm::StringRef key) {
    auto node = map_.find(key);
    if (node == map_.end())
      return 0;
    if (node->second.getKind() == llvm::msgpack::Type::UInt)
      return static_cast<int>(node->second.getUInt());
    if (node->second.getKind() == llvm::msgpack::Type::Int)
      return static_cast<int>(node->second.getInt());
    badCodeObject(fmt::format("metadata field {} is no integer", key.str()));
  }
  bool flag(llvm::StringRef key) {
    auto node = map_.find(key);
    return node != map_.end() && node->second.getKind() == llvm::msgpack::Type::Boolean && node->second.getBool();
  }
  std::string text(llvm::StringRef key) {
    auto node = map_.find(key);
    if (node == map_.end() || node->second.getKind() != llvm::msgpack::Type::String)
      badCodeObject(fmt::format("metadata field {} is missing", key.str()));
    return node->second.getString().str();
  }

private:
  llvm::msgpack::MapDocNode map_;
};

KernelResources readKernel(KernelFields fields) {
  KernelResources resources;
  resources.name = fields.text(".name");
  resources.vgprs = fields.integer(".vgpr_count");
  resources.sgprs = fields.integer(".sgpr_count");
  resources.vgprSpills = fields.integer(".vgpr_spill_count");
  resources.sgprSpills = fields.integer(".sgpr_spill_count");
  resources.scratchBytes = fields.integer(".private_segment_fixed_size");
  resources.ldsBytes = fields.integer(".group_segment_fixed_size");
  resources.kernargBytes = fields.integer(".kernarg_segment_size");
  resources.maxWorkgroup = fields.integer(".max_flat_workgroup_size");
  resources.waveSize = fields.integer(".wavefront_size");
  resources.dynamicStack = fields.flag(".uses_dynamic_stack");
  return resources;
}

} // namespace

int KernelResources::wavesPerSimd() const {
  constexpr int kRegisterFile = 1536, kGranule = 24, kMaxWaves = 16;
  const int allocated = (std::max(vgprs, 1) + kGranule - 1) / kGranule * kGranule;
  return std::min(kMaxWaves, kRegisterFile / allocated);
}

std::vector<KernelResources> readKernelResources(std::span<const std::byte> codeObject) {
  const llvm::StringRef bytes(reinterpret_cast<const char *>(codeObject.data()), codeObject.size());
  auto file = ElfFile::create(bytes);
  if (!file)
    badCodeObject(llvm::toString(file.takeError()));
  if (!bytes.starts_with(llvm::ELF::ElfMagic) || file->getHeader().e_machine != llvm::ELF::EM_AMDGPU)
    badCodeObject("not an AMDGPU ELF file");

  llvm::msgpack::Document document;
  if (!document.readFromBlob(metadataNote(*file), /*Multi=*/false) || !document.getRoot().isMap())
    badCodeObject("the AMDGPU metadata note is damaged");
  llvm::msgpack::MapDocNode root = document.getRoot().getMap();
  const auto kernels = root.find("amdhsa.kernels");
  if (kernels == root.end() || !kernels->second.isArray())
    badCodeObject("the AMDGPU metadata lists no kernels");

  std::vector<KernelResources> resources;
  for (llvm::msgpack::DocNode &kernel : kernels->second.getArray()) {
    if (!kernel.isMap())
      badCodeObject("the AMDGPU metadata note is damaged");
    resources.push_back(readKernel(KernelFields(kernel.getMap())));
  }
  return resources;
}

void checkResources(const KernelResources &resources, const ResourceBudget &budget) {
  const auto demand = [&](int value, int limit, std::string_view what) {
    if (value > limit)
      internalError("kernel {}: {} {}, its budget is {}", resources.name, value, what, limit);
  };
  demand(resources.vgprSpills, 0, "VGPR spills");
  demand(resources.sgprSpills, 0, "SGPR spills");
  demand(resources.scratchBytes, 0, "bytes of scratch a lane");
  if (resources.dynamicStack)
    internalError("kernel {}: a dynamic stack (recursion or an indirect call), its budget is none", resources.name);
  demand(resources.vgprs, budget.vgprs, "VGPRs");
  demand(resources.ldsBytes, budget.ldsBytes, "bytes of LDS");
}

} // namespace ds4
