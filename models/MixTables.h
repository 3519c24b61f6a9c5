// Where the codebooks of a model's MIX tensors stand, and which tensor each table entry belongs to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/formats/MixCodebooks.h"

namespace ds4 {

namespace gguf {
class Reader;
}

// A table's metadata key, and the end of the name of the file beside the model that may hold it instead.
struct MixTableName {
  std::string_view key, fileSuffix;
};

inline constexpr MixTableName kMixTables[] = {
    {"deepseek4.p4mix.sidecar", ".p4mix.bin"},
    {"deepseek4.gumix.sidecar", ".gumix.bin"},
    {"deepseek4.dmix.sidecar", ".dmix.bin"},
};

struct MixPlace {
  uint32_t layer;
  MixTensor tensor;
};

// The place in the tables of a tensor with this canonical name; nothing when no table can hold it.
std::optional<MixPlace> mixPlaceOf(std::string_view canonicalName);

// The bytes of one table, from the metadata or from the file beside the model; empty when the model has neither. Throws
// ds4::Error (User) when the value is no array of bytes or larger than 64 MiB.
std::vector<std::byte> readMixTable(const gguf::Reader &file, const MixTableName &table);

// All tables of a model. Throws ds4::Error (User) when one is damaged.
MixCodebooks readMixCodebooks(const gguf::Reader &file);

// The entry of a MIX tensor with this canonical name. Throws ds4::Error (User), naming the file and the tensor, when no table
// has one, or one of another format or number of slices.
const MixEntry &requireMixEntry(const MixCodebooks &codebooks, const gguf::Reader &file, std::string_view canonicalName,
                                const Format &format);

} // namespace ds4
