/* The one place that knows every back end. */
#include "driver/backend.h"

#define BACKEND(name) extern const kgi_backend kgi_backend_##name;
#include "driver/backends.def"

const kgi_backend *const kgi_backends[] = {
#define BACKEND(name) &kgi_backend_##name,
#include "driver/backends.def"
};
const uint32_t kgi_backend_count = sizeof kgi_backends / sizeof *kgi_backends;
