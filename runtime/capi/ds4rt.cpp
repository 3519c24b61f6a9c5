#include "runtime/capi/ds4rt.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <new>
#include <optional>

#include "models/Model.h"
#include "runtime/ModelTokenizer.h"
#include "runtime/ResponseDigest.h"
#include "runtime/Session.h"
#include "runtime/plan/PlanFile.h"
#include "support/Error.h"
#include "support/OfThread.h"
#include "support/Version.h"

// The members of an open session; nothing of the C++ below is visible from outside.
struct ds4rt_session {
  std::shared_ptr<const ds4::hip::Provider> provider;
  std::unique_ptr<ds4::Executor> executor;
  std::optional<ds4::Session> sequence;
  std::optional<ds4::Tokenizer> tokenizer;
  std::vector<int32_t> response;
  std::optional<int32_t> pending; // returned by ds4rt_next(), not yet fed
  std::atomic<bool> interrupted = false;
};

namespace {

using namespace ds4;

std::string &lastError() { return ofThread<std::string>(); }

ds4rt_status fail(ds4rt_status status, const std::string &message) {
  try {
    lastError() = message;
  } catch (...) { // no memory even for the words
    lastError().clear();
  }
  return status;
}

template <typename Body> ds4rt_status guarded(Body body) {
  try {
    return body();
  } catch (const Error &error) {
    return fail(static_cast<ds4rt_status>(error.code()), error.what());
  } catch (const std::bad_alloc &) {
    return fail(DS4RT_ENVIRONMENT, "out of memory: close other programs, or choose a smaller model or context");
  } catch (const std::exception &error) {
    return fail(DS4RT_INTERNAL, error.what());
  } catch (...) {
    return fail(DS4RT_INTERNAL, "an unknown exception");
  }
}

// The caller's options, zero where it was compiled before a field existed.
ds4rt_options completed(const ds4rt_options *given) {
  ds4rt_options options{};
  if (given) {
    if (given->size < offsetof(ds4rt_options, device) + sizeof given->device || given->size > 4096)
      userError("ds4rt_options.size is {}: set it to sizeof(ds4rt_options)", given->size);
    std::memcpy(&options, given, std::min(given->size, sizeof options));
  }
  return options;
}

ExecutorOptions executorOptions(const ds4rt_options &options) {
  ExecutorOptions out;
  out.kernels.cache.policy = parseCachePolicy(options.kernel_cache ? options.kernel_cache : "on");
  out.kernels.compiler.helper = options.rtc_helper ? options.rtc_helper : "";
  if (options.progress)
    out.progress = [progress = options.progress, user = options.user](std::string_view what, double share) {
      progress(user, std::string(what).c_str(), share);
    };
  return out;
}

std::unique_ptr<ds4rt_session> open(const std::string &planPath, const std::string &weightsPath, const ds4rt_options &options) {
  auto session = std::make_unique<ds4rt_session>();
  Plan plan = readPlanFile(planPath);
  const Model model = openModel(plan, planPath, weightsPath);
  FileWeights weights(model.file());
  weights.check(plan);
  if (model.file().find("tokenizer.ggml.tokens"))
    session->tokenizer.emplace(readTokenizer(model.file(), plan.vocabulary));
  SamplingOptions sampling;
  sampling.temperature = options.temperature;
  sampling.topP = options.top_p == 0 ? 1 : options.top_p;
  sampling.seed = options.seed;
  checkSamplingOptions(sampling);

  session->provider = hip::openProvider(options.device ? options.device : "auto");
  if (options.threads && session->provider->table.ds4simSetOption &&
      session->provider->table.ds4simSetOption("threads", std::to_string(options.threads).c_str()) != 0)
    userError("{} threads for the simulator: choose 1 to 256", options.threads);
  session->executor = std::make_unique<Executor>(session->provider, std::move(plan), weights, executorOptions(options));
  session->sequence.emplace(*session->executor, sampling);
  return session;
}

template <typename Pointer> void required(const Pointer *pointer, const char *what) {
  if (!pointer)
    userError("{} is NULL", what);
}

const Tokenizer &tokenizerOf(const ds4rt_session *session) {
  required(session, "session");
  if (!session->tokenizer)
    userError("the model carries no tokenizer: use token ids");
  return *session->tokenizer;
}

// One step's tokens at a time, so that an interrupt is seen.
void feed(ds4rt_session &session, std::span<const int32_t> ids) {
  session.provider->makeCurrent(); // HIP's current device belongs to the thread
  const size_t width = session.executor->plan().maxWidth;
  while (!ids.empty()) {
    if (session.interrupted.exchange(false))
      throw Error(kInterrupted, "interrupted");
    const auto part = ids.first(std::min(width, ids.size()));
    session.sequence->feed(part, static_cast<int>(width), /*more=*/part.size() < ids.size());
    ids = ids.subspan(part.size());
  }
}

void feedPending(ds4rt_session &session) {
  if (!session.pending)
    return;
  const int32_t id = *session.pending;
  feed(session, std::span(&id, 1));
  session.pending.reset();
}

} // namespace

const char *ds4rt_version(void) { return ds4::kVersion; }
const char *ds4rt_last_error(void) { return lastError().c_str(); }

ds4rt_status ds4rt_open(const char *plan, const char *weights, const ds4rt_options *options, ds4rt_session **session) {
  return guarded([&] {
    required(session, "session");
    *session = nullptr;
    required(plan, "plan");
    required(weights, "weights");
    *session = open(plan, weights, completed(options)).release();
    return DS4RT_OK;
  });
}

void ds4rt_close(ds4rt_session *session) { delete session; }

const char *ds4rt_device(const ds4rt_session *session) { return session ? session->provider->choice.c_str() : ""; }
int64_t ds4rt_context(const ds4rt_session *session) { return session ? session->executor->plan().context : 0; }
int64_t ds4rt_position(const ds4rt_session *session) {
  return session ? session->sequence->position() + (session->pending ? 1 : 0) : 0;
}
int64_t ds4rt_vocabulary(const ds4rt_session *session) { return session ? session->executor->plan().vocabulary : 0; }

ds4rt_status ds4rt_tokenize(const ds4rt_session *session, const char *text, size_t bytes, int32_t *ids, size_t capacity,
                            size_t *count) {
  return guarded([&] {
    const Tokenizer &tokenizer = tokenizerOf(session);
    required(count, "count");
    if (bytes)
      required(text, "text");
    if (capacity)
      required(ids, "ids");
    const std::vector<int32_t> tokens =
        tokenizer.withBos(tokenizer.encode(std::string_view(bytes ? text : "", bytes), /*parseAddedTokens=*/true));
    *count = tokens.size();
    std::copy_n(tokens.begin(), std::min(capacity, tokens.size()), ids);
    return DS4RT_OK;
  });
}

ds4rt_status ds4rt_token_text(const ds4rt_session *session, int32_t id, char *text, size_t capacity, size_t *bytes) {
  return guarded([&] {
    const Tokenizer &tokenizer = tokenizerOf(session);
    required(bytes, "bytes");
    if (capacity)
      required(text, "text");
    const std::string_view token = tokenizer.decode(id);
    *bytes = token.size();
    std::copy_n(token.begin(), std::min(capacity, token.size()), text);
    return DS4RT_OK;
  });
}

ds4rt_status ds4rt_feed(ds4rt_session *session, const int32_t *ids, size_t count) {
  return guarded([&] {
    required(session, "session");
    if (count)
      required(ids, "ids");
    feedPending(*session);
    feed(*session, std::span(ids, count));
    return DS4RT_OK;
  });
}

ds4rt_status ds4rt_next(ds4rt_session *session, int32_t *id) {
  return guarded([&] {
    required(session, "session");
    required(id, "id");
    feedPending(*session);
    session->provider->makeCurrent();
    const int32_t token = session->sequence->nextToken();
    if (session->tokenizer && token == session->tokenizer->eos())
      return DS4RT_END;
    session->response.push_back(token);
    session->pending = token;
    *id = token;
    return DS4RT_OK;
  });
}

ds4rt_status ds4rt_reset(ds4rt_session *session) {
  return guarded([&] {
    required(session, "session");
    session->provider->makeCurrent();
    session->sequence->reset();
    session->response.clear();
    session->pending.reset();
    return DS4RT_OK;
  });
}

void ds4rt_interrupt(ds4rt_session *session) {
  if (session)
    session->interrupted = true;
}

ds4rt_status ds4rt_response_sha256(const ds4rt_session *session, char digest[65]) {
  return guarded([&] {
    required(session, "session");
    required(digest, "digest");
    std::strcpy(digest, responseDigest(session->response).c_str());
    return DS4RT_OK;
  });
}
