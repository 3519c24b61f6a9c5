#include "runtime/hip/FailedJob.h"

#include <cctype>
#include <filesystem>

#include "support/Error.h"
#include "support/File.h"

namespace ds4::hip {

namespace {

// A symbol as a file's name: it comes from a plan, which anyone may have written.
std::string stem(const std::string &folder, const std::string &kernel) {
  constexpr size_t kLongest = 200;
  std::string name = kernel.substr(0, kLongest);
  for (char &letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter)))
      letter = '_';
  return folder + "/" + name;
}

void makeFolder(const std::string &folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    environmentError("cannot make the folder '{}': {}", folder, error.message());
}

// For a POSIX shell.
std::string shellWord(std::string_view text) {
  std::string out = "'";
  for (char letter : text)
    out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return out + "'";
}

} // namespace

std::string writeJobLog(const std::string &folder, const std::string &kernel, const std::string &log) {
  try {
    makeFolder(folder);
    const std::string path = stem(folder, kernel) + ".log";
    writeFileAtomically(path, log);
    return path;
  } catch (const Error &) {
    return ""; // the failure itself is what matters
  }
}

void dumpJob(const std::string &folder, const RtcRequest &request, const std::string &helper) {
  makeFolder(folder);
  const std::string path = stem(folder, request.name);
  writeFileAtomically(path + ".hip", request.source);
  writeFileAtomically(path + ".request", encode(request));
  writeFileAtomically(path + ".sh", fmt::format("{} --text <{}\n", shellWord(helper),
                                                shellWord(std::filesystem::absolute(path + ".request").string())));
}

} // namespace ds4::hip
