#include <algorithm>
#include <array>
#include <iterator>

#include "models/gguf/Shards.h"
#include "support/File.h"
#include "support/Outputs.h"
#include "tools/ds4-run/Run.h"

namespace ds4 {

void checkOutputs(const RunArguments &arguments, const Model &model, const DrafterModel *drafter) {
  std::vector<std::string> inputs{arguments.plan, arguments.idsFile, arguments.messages};
  std::ranges::copy(gguf::pathsOf(model.file()), std::back_inserter(inputs));
  if (drafter)
    std::ranges::copy(gguf::pathsOf(drafter->file()), std::back_inserter(inputs));
  const std::array outputs{NamedOutput{"--session", arguments.sessionFile}, NamedOutput{"--profile", arguments.profile.trace},
                           NamedOutput{"--profile-json", arguments.profile.records}};
  for (const NamedOutput &output : outputs)
    refuseToReplace(inputs, output.path);
  refuseOneFileForTwo(outputs);
}

} // namespace ds4
