#include "codegen/clang/Compiler.h"

#include <mutex>

#include "clang/Basic/Version.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/VirtualFileSystem.h"

#include "codegen/clang/Linker.h"

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
void LLVMInitializeAMDGPUAsmPrinter();
}

namespace ds4 {
namespace {

void initialiseTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeAMDGPUAsmPrinter();
  });
}

// What the driver hands to its first stage for "-x hip --offload-device-only -nogpuinc -nogpulib", without
// -disable-free, which would leak every compile. Later arguments win, so the request's options come last.
std::vector<std::string> frontendArguments(const CompileRequest &request, const std::string &fileName) {
  std::vector<std::string> arguments{"-triple",
                                     "amdgcn-amd-amdhsa",
                                     "-aux-triple",
                                     "x86_64-pc-linux-gnu",
                                     "-aux-target-cpu",
                                     "x86-64",
                                     "-target-cpu",
                                     request.architecture,
                                     "-emit-obj",
                                     "-mrelocation-model",
                                     "pic",
                                     "-pic-level",
                                     "2",
                                     "-mframe-pointer=none",
                                     "-mconstructor-aliases",
                                     "-fcuda-is-device",
                                     "-fcuda-allow-variadic-functions",
                                     "-fvisibility=hidden",
                                     "-fapply-global-visibility-to-externs",
                                     "-fno-threadsafe-statics",
                                     "-vectorize-loops",
                                     "-vectorize-slp",
                                     "-O3",
                                     "-std=c++17",
                                     "-I",
                                     "."};
  arguments.insert(arguments.end(), request.options.begin(), request.options.end());
  arguments.insert(arguments.end(), {"-x", "hip", "-o", "-", fileName});
  return arguments;
}

llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem> inMemoryFiles(const CompileRequest &request, const std::string &fileName) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  files->setCurrentWorkingDirectory("/ds4");
  files->addFile(fileName, 0, llvm::MemoryBuffer::getMemBuffer(request.source, fileName));
  for (const auto &[name, text] : request.headers)
    files->addFile(name, 0, llvm::MemoryBuffer::getMemBuffer(text, name));
  return files;
}

bool compileToObject(const CompileRequest &request, llvm::SmallVectorImpl<char> &object, llvm::raw_ostream &log) {
  // A file name that reads as an option would be taken for one.
  const std::string fileName = request.name.empty() || request.name.front() == '-' ? "kernel.hip" : request.name;
  const std::vector<std::string> arguments = frontendArguments(request, fileName);
  std::vector<const char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());

  auto files = inMemoryFiles(request, fileName);
  clang::DiagnosticOptions diagnosticOptions;
  auto diagnostics = clang::CompilerInstance::createDiagnostics(*files, diagnosticOptions,
                                                                new clang::TextDiagnosticPrinter(log, diagnosticOptions), true);
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, argv, *diagnostics))
    return false;

  clang::CompilerInstance instance(std::move(invocation));
  instance.setVirtualFileSystem(files);
  instance.setDiagnostics(diagnostics);
  instance.setVerboseOutputStream(log);
  instance.createFileManager();
  instance.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(object));
  clang::EmitObjAction action;
  return instance.ExecuteAction(action);
}

} // namespace

CompileResult compileHip(const CompileRequest &request) {
  initialiseTarget();
  CompileResult result;
  llvm::raw_string_ostream log(result.log);
  llvm::SmallString<0> object;
  if (compileToObject(request, object, log))
    result.ok = linkCodeObject(std::as_bytes(std::span(object.data(), object.size())), result.codeObject, log);
  return result;
}

std::string compilerIdentity() { return clang::getClangFullVersion() + " with lld"; }

} // namespace ds4
