// GGUF: the container, every value in it, the model's description, its weights and its tokenizer.
#include "models/Model.h"
#include "runtime/ModelTokenizer.h"
#include "tests/fuzz/Fuzz.h"

using namespace ds4;

namespace {

void readValue(const gguf::Reader &file, const gguf::Entry &entry) {
  const bool array = entry.type == gguf::ValueType::Array;
  const gguf::ValueType type = array ? entry.elementType : entry.type;
  if (type == gguf::ValueType::String)
    array ? static_cast<void>(file.readStringArray(entry.key)) : static_cast<void>(file.readString(entry.key));
  else
    array ? static_cast<void>(file.readFloatArray(entry.key)) : static_cast<void>(file.readFloat(entry.key));
  file.readRaw(entry);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr size_t kData = size_t(1) << 20; // the tensors' data: a hole
  static fuzz::InputFile input;
  const std::string path = input.fill(data, size, kData);
  fuzz::read(ExitCode::User, [&] {
    const gguf::Reader file = gguf::Reader::open(path);
    for (const gguf::TensorInfo &tensor : file.tensors())
      fuzz::require(tensor.bytes <= size + kData && tensor.offset <= size + kData - tensor.bytes, "a tensor outside the file");
    for (const gguf::Entry &entry : file.entries())
      fuzz::read(ExitCode::User, [&] { readValue(file, entry); });
    fuzz::read(ExitCode::User, [&] { readTokenizer(file, /*vocabulary=*/0).encode("a text of <｜User｜> some words"); });
  });
  return fuzz::read(ExitCode::User, [&] { Model::open(path); });
}
