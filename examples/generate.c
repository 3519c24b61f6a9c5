/* Continues a text. Usage: generate_c PLAN WEIGHTS DEVICE COUNT TEXT */
#include <ds4rt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed(ds4rt_status status) {
  fprintf(stderr, "generate_c: error: %s\n", ds4rt_last_error());
  return (int)status;
}

static ds4rt_status generate(ds4rt_session *session, const char *text, int count) {
  size_t tokens = 0;
  ds4rt_status status = ds4rt_tokenize(session, text, strlen(text), NULL, 0, &tokens);
  if (status != DS4RT_OK)
    return status;
  int32_t *ids = malloc(tokens * sizeof *ids);
  if (!ids)
    return DS4RT_ENVIRONMENT;
  status = ds4rt_tokenize(session, text, strlen(text), ids, tokens, &tokens);
  if (status == DS4RT_OK)
    status = ds4rt_feed(session, ids, tokens);
  free(ids);
  for (int i = 0; i < count && status == DS4RT_OK; ++i) {
    int32_t id = 0;
    char piece[256];
    size_t bytes = 0;
    status = ds4rt_next(session, &id);
    if (status == DS4RT_OK)
      status = ds4rt_token_text(session, id, piece, sizeof piece, &bytes);
    if (status == DS4RT_OK)
      fwrite(piece, 1, bytes < sizeof piece ? bytes : sizeof piece, stdout);
  }
  return status == DS4RT_END ? DS4RT_OK : status;
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: generate_c PLAN WEIGHTS DEVICE COUNT TEXT\n");
    return DS4RT_USER;
  }
  ds4rt_options options = {.size = sizeof options, .device = argv[3], .temperature = 0};
  ds4rt_session *session = NULL;
  ds4rt_status status = ds4rt_open(argv[1], argv[2], &options, &session);
  if (status != DS4RT_OK)
    return failed(status);
  status = generate(session, argv[5], atoi(argv[4]));
  char digest[65];
  if (status == DS4RT_OK)
    status = ds4rt_response_sha256(session, digest);
  if (status == DS4RT_OK)
    printf("\nsha256 %s\n", digest);
  int code = status == DS4RT_OK ? 0 : failed(status);
  ds4rt_close(session);
  return code;
}
