// C++ over ds4rt.h: a session that closes itself, and exceptions. Header only, C++17.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ds4rt.h"

namespace ds4rt {

class Error : public std::runtime_error {
public:
  explicit Error(ds4rt_status status) : std::runtime_error(ds4rt_last_error()), status_(status) {}
  ds4rt_status status() const { return status_; }

private:
  ds4rt_status status_;
};

inline void check(ds4rt_status status) {
  if (status != DS4RT_OK)
    throw Error(status);
}

// Move-only; used from one thread at a time. Functions throw Error.
class Session {
public:
  Session(const std::string &plan, const std::string &weights, ds4rt_options options = {}) {
    options.size = sizeof options;
    ds4rt_session *session = nullptr;
    check(ds4rt_open(plan.c_str(), weights.c_str(), &options, &session));
    session_.reset(session);
  }

  std::string device() const { return ds4rt_device(session_.get()); }
  int64_t context() const { return ds4rt_context(session_.get()); }
  int64_t position() const { return ds4rt_position(session_.get()); }
  int64_t vocabulary() const { return ds4rt_vocabulary(session_.get()); }

  std::vector<int32_t> tokenize(std::string_view text) const {
    size_t count = 0;
    check(ds4rt_tokenize(session_.get(), text.data(), text.size(), nullptr, 0, &count));
    std::vector<int32_t> ids(count);
    check(ds4rt_tokenize(session_.get(), text.data(), text.size(), ids.data(), ids.size(), &count));
    return ids;
  }
  std::string text(int32_t id) const {
    size_t bytes = 0;
    check(ds4rt_token_text(session_.get(), id, nullptr, 0, &bytes));
    std::string text(bytes, '\0');
    check(ds4rt_token_text(session_.get(), id, text.data(), text.size(), &bytes));
    return text;
  }

  void feed(const std::vector<int32_t> &ids) { check(ds4rt_feed(session_.get(), ids.data(), ids.size())); }
  // Nothing at the end of the sequence.
  std::optional<int32_t> next() {
    int32_t id = 0;
    const ds4rt_status status = ds4rt_next(session_.get(), &id);
    if (status == DS4RT_END)
      return std::nullopt;
    check(status);
    return id;
  }
  void reset() { check(ds4rt_reset(session_.get())); }
  void interrupt() { ds4rt_interrupt(session_.get()); }
  std::string responseSha256() const {
    char digest[65];
    check(ds4rt_response_sha256(session_.get(), digest));
    return digest;
  }

private:
  struct Close {
    void operator()(ds4rt_session *session) const { ds4rt_close(session); }
  };
  std::unique_ptr<ds4rt_session, Close> session_;
};

} // namespace ds4rt
