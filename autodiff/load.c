/* `use gradient "net.kg" (of loss, wrt w) as back`: what a text that is read asks a loader for. */
#include <kgrad/autodiff.h>

#include <string.h>

enum { MOST_NAMES = 64, MOST_PATH = 1000 };
static const char prefix[] = "gradient(";

typedef struct request {
  char copy[MOST_PATH];
  const char *of[MOST_NAMES], *wrt[MOST_NAMES];
  size_t of_count, wrt_count;
  const char *file;
} request;

/* "gradient(of=loss,wrt=w) net.kg" in its parts. */
static bool read_request(const char *path, request *r) {
  size_t length = strlen(path);
  if (length >= MOST_PATH || strncmp(path, prefix, sizeof prefix - 1) != 0) return false;
  memcpy(r->copy, path, length + 1);
  char *at = r->copy + sizeof prefix - 1, *close = strchr(at, ')');
  if (!close || close[1] != ' ' || !close[2]) return false;
  r->file = close + 2;
  *close = 0;
  while (*at) {
    char *end = at + strcspn(at, ",");
    bool more = *end == ',', of = !strncmp(at, "of=", 3), wrt = !strncmp(at, "wrt=", 4);
    *end = 0;
    if ((!of && !wrt) || (of ? r->of_count : r->wrt_count) == MOST_NAMES) return false;
    if (of) r->of[r->of_count++] = at + 3;
    else r->wrt[r->wrt_count++] = at + 4;
    at = end + more;
  }
  return true;
}

/* A kernel whose gradient is used takes no other's: so no gradient comes to use itself. */
static bool load_plain(void *user, const char *path, const char **text, size_t *size) {
  const kg_loader *files = user;
  return strncmp(path, "gradient(", 9) != 0 && files->load(files->user, path, text, size);
}

kg_status kg_grad_load(const kg_allocator *alloc, const char *path, const kg_loader *files, const kg_sink *sink, char **out, size_t *size) {
  request r = {.of_count = 0};
  const char *text;
  size_t length;
  kg_module *kernel = NULL, *gradient = NULL;
  if (!read_request(path, &r) || !files->load(files->user, r.file, &text, &length)) return KG_INVALID;
  kg_loader plain = {load_plain, (void *)files};
  kg_status status = kg_module_parse_with(alloc, r.file, text, length, &plain, sink, &kernel);
  kg_grad_params params = {.of = r.of, .of_count = r.of_count, .wrt = r.wrt, .wrt_count = r.wrt_count, .alloc = alloc};
  if (!r.of_count) params.of = NULL;
  if (!r.wrt_count) params.wrt = NULL;
  if (status == KG_OK) status = kg_grad(kernel, &params, sink, &gradient);
  if (status == KG_OK) status = kg_module_print(alloc, gradient, sink, out, size);
  kg_module_free(gradient);
  kg_module_free(kernel);
  return status;
}
