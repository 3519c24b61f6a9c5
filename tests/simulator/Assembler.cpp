#include "tests/simulator/Assembler.h"

#include <filesystem>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <lld/Common/Driver.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>

LLD_HAS_DRIVER(elf)

namespace ds4::sim::test {
namespace {

std::string replaceAll(std::string text, std::string_view from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string kernelSource(const AssemblyKernel &kernel, size_t index) {
  return fmt::format(R"(
.globl {0}
.p2align 8
.type {0},@function
{0}:
{1}
.L{0}_end:
.size {0}, .L{0}_end-{0}
.rodata
.p2align 6
.amdhsa_kernel {0}
  .amdhsa_group_segment_fixed_size {2}
  .amdhsa_private_segment_fixed_size {3}
  .amdhsa_kernarg_size 8
  .amdhsa_user_sgpr_count 2
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_wavefront_size32 1
  .amdhsa_enable_private_segment {4}
  .amdhsa_next_free_vgpr 64
  .amdhsa_next_free_sgpr 64
  .amdhsa_float_denorm_mode_32 3
  .amdhsa_float_denorm_mode_16_64 3
.end_amdhsa_kernel
.text
)",
                     kernel.name, replaceAll(kernel.body, "%=", std::to_string(index)), kernel.ldsBytes, kernel.scratchBytes,
                     kernel.scratchBytes ? 1 : 0);
}

std::string metadata(const std::vector<AssemblyKernel> &kernels, std::string_view cpu) {
  std::string text =
      fmt::format(".amdgpu_metadata\namdhsa.target: amdgcn-amd-amdhsa--{}\namdhsa.version: [1, 2]\namdhsa.kernels:\n", cpu);
  for (const AssemblyKernel &kernel : kernels)
    text +=
        fmt::format("  - .name: {0}\n    .symbol: {0}.kd\n    .kernarg_segment_size: 8\n    .kernarg_segment_align: 8\n"
                    "    .group_segment_fixed_size: {1}\n    .private_segment_fixed_size: {2}\n    .wavefront_size: 32\n"
                    "    .sgpr_count: 64\n    .vgpr_count: 64\n    .max_flat_workgroup_size: 1024\n    .args:\n"
                    "      - .address_space: global\n        .offset: 0\n        .size: 8\n        .value_kind: global_buffer\n",
                    kernel.name, kernel.ldsBytes, kernel.scratchBytes);
  return text + ".end_amdgpu_metadata\n";
}

llvm::SmallString<0> assembleObject(const std::string &source, const std::string &cpu) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmParser();
  const llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    throw std::runtime_error(error);

  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(source, "assembly"), llvm::SMLoc());
  std::string diagnostics;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic &diagnostic, void *text) {
        static_cast<std::string *>(text)->append(
            fmt::format("{}: {}\n", diagnostic.getLineContents().trim().str(), diagnostic.getMessage().str()));
      },
      &diagnostics);

  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple));
  std::unique_ptr<llvm::MCAsmInfo> asmInfo(target->createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(triple, cpu, ""));
  llvm::MCContext context(triple, asmInfo.get(), registers.get(), subtarget.get(), &sources, &options);
  std::unique_ptr<llvm::MCObjectFileInfo> objectFile(target->createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(objectFile.get());

  llvm::SmallString<0> object;
  llvm::raw_svector_ostream stream(object);
  std::unique_ptr<llvm::MCAsmBackend> backend(target->createMCAsmBackend(*subtarget, *registers, options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(stream);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(target->createMCCodeEmitter(*instructions, context));
  std::unique_ptr<llvm::MCStreamer> streamer(
      target->createMCObjectStreamer(triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, *streamer, *asmInfo));
  std::unique_ptr<llvm::MCTargetAsmParser> targetParser(target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*targetParser);
  if (parser->Run(/*NoInitialTextSection=*/false) || !diagnostics.empty())
    throw std::runtime_error("assembly failed: " + diagnostics);
  return object;
}

// lld takes files only.
struct TemporaryFile {
  llvm::SmallString<64> path;
  explicit TemporaryFile(llvm::StringRef suffix) {
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("ds4sim-test", suffix, path))
      throw std::runtime_error("no temporary file: " + error.message());
  }
  ~TemporaryFile() { llvm::sys::fs::remove(path); }
};

} // namespace

std::vector<std::byte> assemble(const std::vector<AssemblyKernel> &kernels, std::string_view cpu) {
  std::string source = ".amdhsa_code_object_version 6\n.text\n";
  for (size_t index = 0; index < kernels.size(); ++index)
    source += kernelSource(kernels[index], index);
  llvm::SmallString<0> object = assembleObject(source + metadata(kernels, cpu), std::string(cpu));

  TemporaryFile input("o"), output("hsaco");
  std::error_code error;
  llvm::raw_fd_ostream(input.path, error) << object;
  if (error)
    throw std::runtime_error("cannot write the object: " + error.message());
  std::string messages;
  llvm::raw_string_ostream messageStream(messages);
  lld::Result result = lld::lldMain({"ld.lld", "-shared", "--threads=1", input.path.c_str(), "-o", output.path.c_str()},
                                    messageStream, messageStream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    throw std::runtime_error("linking failed: " + messages);
  auto linked = llvm::MemoryBuffer::getFile(output.path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!linked)
    throw std::runtime_error("cannot read the code object: " + linked.getError().message());
  auto *begin = reinterpret_cast<const std::byte *>((*linked)->getBufferStart());
  return {begin, begin + (*linked)->getBufferSize()};
}

} // namespace ds4::sim::test
