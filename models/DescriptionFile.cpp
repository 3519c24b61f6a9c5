#include "models/DescriptionFile.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <yaml-cpp/yaml.h>

#include "models/BuiltInYaml.h"
#include "models/DescriptionCheck.h"
#include "models/DescriptionFields.h"
#include "models/YamlFault.h"
#include "support/Error.h"
#include "support/File.h"

namespace ds4 {

namespace {

constexpr uint64_t kMaxYamlBytes = 1 << 20;

class YamlReader {
public:
  explicit YamlReader(std::string_view source) : source_(source) {}

  DescriptionFile read(const YAML::Node &root);

private:
  template <typename... Args>
  [[noreturn]] void fail(const YAML::Node &at, fmt::format_string<Args...> format, Args &&...args) const {
    userError("'{}' line {}: {}", source_, at.Mark().line + 1, fmt::format(format, std::forward<Args>(args)...));
  }

  std::string scalar(const YAML::Node &node, std::string_view field) const {
    if (!node.IsScalar())
      fail(node, "{} wants a single value", field);
    return node.Scalar();
  }

  template <typename T> T number(const YAML::Node &node, std::string_view field) const {
    const std::string text = scalar(node, field);
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
      fail(node, "{} is '{}', {} is wanted", field, text, std::is_integral_v<T> ? "a whole number" : "a number");
    return value;
  }

  std::vector<uint32_t> integers(const YAML::Node &node, std::string_view field) const {
    std::vector<uint32_t> values;
    for (const YAML::Node &item : node)
      values.push_back(number<uint32_t>(item, field));
    return values;
  }

  // A list, or {first: [...], then: [...]} with `then` repeated to the last block.
  std::vector<uint32_t> ratios(const YAML::Node &node, uint32_t blocks) const;
  // One number for all blocks, or a list.
  std::vector<float> clamps(const YAML::Node &node, std::string_view field, uint32_t blocks) const;
  void set(DescriptionFile &file, const std::string &field, const YAML::Node &value) const;

  std::string_view source_;
};

std::vector<uint32_t> YamlReader::ratios(const YAML::Node &node, uint32_t blocks) const {
  if (node.IsSequence())
    return integers(node, "compress_ratios");
  const YAML::Node first = node.IsMap() ? node["first"] : YAML::Node(), then = node.IsMap() ? node["then"] : YAML::Node();
  if (!node.IsMap() || node.size() != 2 || !first || !then || !first.IsSequence() || !then.IsSequence() || then.size() == 0)
    fail(node, "compress_ratios wants a list, or {{first: [...], then: [...]}}");
  std::vector<uint32_t> values = integers(first, "compress_ratios"), cycle = integers(then, "compress_ratios");
  while (values.size() < blocks)
    values.push_back(cycle[(values.size() - first.size()) % cycle.size()]);
  return values;
}

std::vector<float> YamlReader::clamps(const YAML::Node &node, std::string_view field, uint32_t blocks) const {
  if (!node.IsSequence())
    return std::vector<float>(blocks, number<float>(node, field));
  std::vector<float> values;
  for (const YAML::Node &item : node)
    values.push_back(number<float>(item, field));
  return values;
}

void YamlReader::set(DescriptionFile &file, const std::string &field, const YAML::Node &value) const {
  for (const auto &known : kIntegerFields)
    if (known.yaml == field)
      file.model.*known.member = number<uint32_t>(value, field);
  for (const auto &known : kFloatFields)
    if (known.yaml == field)
      file.model.*known.member = number<float>(value, field);
  for (const auto &known : kTokenFields)
    if (known.yaml == field)
      file.model.*known.member = number<uint32_t>(value, field);
  if (field == "name")
    file.model.name = scalar(value, field);
  if (field == "notes")
    file.notes = scalar(value, field);
  if (field == "may_lack") {
    if (!value.IsSequence())
      fail(value, "may_lack wants a list of GGUF keys");
    for (const YAML::Node &key : value)
      file.mayLack.push_back(scalar(key, field));
  }
}

DescriptionFile YamlReader::read(const YAML::Node &root) {
  if (!root.IsMap())
    fail(root, "a model description is a list of 'field: value' lines");
  std::set<std::string, std::less<>> wanted{"name", "notes", "may_lack", "compress_ratios", "swiglu_clamp", "swiglu_clamp_shared"};
  for (const auto &field : kIntegerFields)
    wanted.emplace(field.yaml);
  for (const auto &field : kFloatFields)
    wanted.emplace(field.yaml);
  for (const auto &field : kTokenFields)
    wanted.emplace(field.yaml);

  DescriptionFile file;
  std::set<std::string, std::less<>> seen;
  for (const auto &item : root) {
    const std::string field = scalar(item.first, "a field's name");
    if (!wanted.contains(field))
      fail(item.first, "unknown field '{}'", field);
    if (!seen.insert(field).second)
      fail(item.first, "the field '{}' occurs twice", field);
    set(file, field, item.second);
  }
  std::vector<std::string> missing;
  std::ranges::set_difference(wanted, seen, std::back_inserter(missing));
  if (!missing.empty())
    fail(root, "missing fields {}", fmt::join(missing, ", "));
  if (file.model.blocks > kMaxBlocks)
    fail(root["blocks"], "blocks is {}, at most {} are possible", file.model.blocks, kMaxBlocks);

  // These depend on the number of blocks.
  file.model.ratios = ratios(root["compress_ratios"], file.model.blocks);
  file.model.clamps = clamps(root["swiglu_clamp"], "swiglu_clamp", file.model.blocks);
  file.model.sharedClamps = clamps(root["swiglu_clamp_shared"], "swiglu_clamp_shared", file.model.blocks);
  const auto inYaml = [](std::string_view yaml, std::string_view) { return std::string(yaml); };
  if (const auto faults = faultsOf(file.model, inYaml); !faults.empty())
    fail(root, "{}", fmt::join(faults, "; "));
  return file;
}

} // namespace

DescriptionFile parseDescription(std::string_view text, std::string_view source) {
  try {
    return YamlReader(source).read(YAML::Load(std::string(text)));
  } catch (const YAML::Exception &error) {
    refuseYaml(source, error);
  }
}

ModelDescription ModelDescription::fromYaml(const std::string &path) {
  const File file(path);
  if (file.size() > kMaxYamlBytes)
    userError("'{}' has {} bytes, too many for a model description: name a file like models/ds4-flash.yaml", path, file.size());
  const std::vector<std::byte> bytes = file.readAll();
  return parseDescription({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, path).model;
}

std::span<const DescriptionFile> builtInDescriptions() {
  static const std::vector<DescriptionFile> all = [] {
    std::vector<DescriptionFile> parsed;
    for (const BuiltInYaml &file : builtInYaml())
      parsed.push_back(parseDescription(file.text, file.name));
    return parsed;
  }();
  return all;
}

} // namespace ds4
