// A sequence that ds4-run reads into and writes from, with what both took.
#pragma once

#include <memory>

#include "runtime/tokenizer/StreamDecoder.h"
#include "tools/ds4-run/Run.h"

namespace ds4 {

class Generator {
public:
  // Called with each token as it is made.
  using OnToken = std::function<void(int32_t token)>;

  // Begins with `image`, or empty; speculates with `drafter`, or not. All references must outlive the generator.
  Generator(const RunArguments &arguments, Executor &executor, const Tokenizer *tokenizer, const SessionImage *image,
            std::unique_ptr<Drafter> drafter);

  // Makes the sequence these tokens, keeping the beginning that it has already; write() goes on from there. Returns how many
  // were kept. Throws ds4::Error (User) when there are none.
  int64_t read(std::span<const int32_t> sequence);
  // Up to --count tokens, up to the end of text unless --ignore-eos, and no more than the context has room for.
  std::vector<int32_t> write(const OnToken &onToken);

  std::span<const int32_t> tokens() const { return session_.tokens(); }
  // All that write() made.
  std::span<const int32_t> response() const { return response_; }
  // On stderr, when the context cut the last write() short.
  void warnOfEnd() const;
  // Stores the sequence in --session, if that was given.
  void store(const std::string &note = {});
  // With --profile, what was measured, on stderr.
  void showProfile() const;

private:
  const RunArguments &arguments_;
  Executor &executor_;
  Session session_;
  std::optional<int32_t> end_;
  std::unique_ptr<Speculation> speculation_; // null: off
  std::optional<int32_t> pending_;           // the last token of write(), which nothing needed to process
  std::vector<int32_t> response_;
  bool cut_ = false; // the context had no room for --count tokens
  Meter reading_, writing_;
};

// Prints at once, for a person who reads along.
void printNow(std::FILE *file, std::string_view text);

} // namespace ds4
