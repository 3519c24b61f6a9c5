/* libds4rt: runs plans that ds4c compiled. Plain C, stable: functions are only ever added, symbols carry the version
 * DS4RT_0, and structs grow at their end behind a `size`.
 *
 * A session holds a plan, its weights on a device, and one sequence of tokens. Functions return a status; when it is not
 * DS4RT_OK, ds4rt_last_error() tells in one line what, where and how to mend it. No C++ exception leaves the library.
 *
 * Threads: different sessions may be used from different threads at once. One session is used from one thread at a time;
 * only ds4rt_interrupt() may be called for it meanwhile, from any thread or from a signal handler. */
#ifndef DS4RT_H
#define DS4RT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DS4RT_API __attribute__((visibility("default")))
#else
#define DS4RT_API
#endif

typedef struct ds4rt_session ds4rt_session;

typedef enum ds4rt_status {
  DS4RT_OK = 0,
  DS4RT_END = 1,          /* the sequence ended: the model said so */
  DS4RT_USER = 2,         /* a mistake in files or arguments */
  DS4RT_ENVIRONMENT = 3,  /* no device, no memory, no compiler */
  DS4RT_INTERNAL = 70,    /* a bug of ds4c */
  DS4RT_INTERRUPTED = 130 /* ds4rt_interrupt() */
} ds4rt_status;

/* Every field but `size` may be zero. Texts are copied. */
typedef struct ds4rt_options {
  size_t size;              /* sizeof(ds4rt_options) */
  const char *device;       /* "auto" (when NULL), "hip", "hip:N", "sim", "cuda" */
  const char *kernel_cache; /* "on" (when NULL), "off", "readonly", "redo" */
  const char *rtc_helper;   /* path of ds4-rtc; NULL: beside the program, or ../bin from this library */
  unsigned threads;         /* host threads of the simulator */
  /* Called while loading, from the loading thread or a helper of it, never twice at once: "kernels" or "weights", 0 to 1. */
  void (*progress)(void *user, const char *what, double share);
  void *user;
  float temperature; /* 0: the most likely token */
  float top_p;       /* 0 means 1 */
  uint64_t seed;     /* of the random numbers; the same seed gives the same tokens */
} ds4rt_options;

/* "0.1.0". */
DS4RT_API const char *ds4rt_version(void);

/* What went wrong in the latest call of this thread that did not return DS4RT_OK; "" before any. Valid until the next. */
DS4RT_API const char *ds4rt_last_error(void);

/* Loads a plan (.ds4plan) and the GGUF file that it was compiled from. `options` may be NULL. On success *session is to be
 * given to ds4rt_close(); else it is NULL. */
DS4RT_API ds4rt_status ds4rt_open(const char *plan, const char *weights, const ds4rt_options *options, ds4rt_session **session);
/* Frees everything; NULL is allowed. */
DS4RT_API void ds4rt_close(ds4rt_session *session);

/* One line on the device that was chosen and why. Valid as long as the session. */
DS4RT_API const char *ds4rt_device(const ds4rt_session *session);
/* Positions that the plan has room for, tokens fed so far, and the number of token ids. */
DS4RT_API int64_t ds4rt_context(const ds4rt_session *session);
DS4RT_API int64_t ds4rt_position(const ds4rt_session *session);
DS4RT_API int64_t ds4rt_vocabulary(const ds4rt_session *session);

/* Token ids of a text (UTF-8, `bytes` long), with the model's begin-of-sentence token first. *count becomes their number;
 * up to `capacity` of them are stored in `ids`, which may be NULL when it is 0. */
DS4RT_API ds4rt_status ds4rt_tokenize(const ds4rt_session *session, const char *text, size_t bytes, int32_t *ids, size_t capacity,
                                      size_t *count);
/* The bytes of a token; a character may be spread over several tokens. *bytes becomes their number, up to `capacity` are
 * stored in `text`, without a closing zero. */
DS4RT_API ds4rt_status ds4rt_token_text(const ds4rt_session *session, int32_t id, char *text, size_t capacity, size_t *bytes);

/* Appends tokens to the sequence. */
DS4RT_API ds4rt_status ds4rt_feed(ds4rt_session *session, const int32_t *ids, size_t count);
/* The token that follows, which becomes part of the sequence. DS4RT_END at the model's end-of-sentence token. */
DS4RT_API ds4rt_status ds4rt_next(ds4rt_session *session, int32_t *id);
/* Forgets the sequence. */
DS4RT_API ds4rt_status ds4rt_reset(ds4rt_session *session);

/* Makes a ds4rt_feed() or ds4rt_next() that runs, or the next one, return DS4RT_INTERRUPTED between two steps. */
DS4RT_API void ds4rt_interrupt(ds4rt_session *session);

/* SHA-256 of the tokens that ds4rt_next() returned since the session was opened or reset, each as four bytes, lowest first:
 * 64 hex digits and a zero. `ds4-run --json` prints the same as "sha256". */
DS4RT_API ds4rt_status ds4rt_response_sha256(const ds4rt_session *session, char digest[65]);

#ifdef __cplusplus
}
#endif

#endif
