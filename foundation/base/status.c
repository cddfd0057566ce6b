/* Which library this is, and what its functions return, in words. */
#include <kgrad/foundation.h>

uint32_t kg_version(void) { return KG_VERSION_NUMBER; }
const char *kg_version_string(void) { return KG_VERSION_STRING; }

const char *kg_status_name(kg_status status) {
  switch (status) {
  case KG_OK: return "KG_OK";
  case KG_INVALID: return "KG_INVALID";
  case KG_REFUSED: return "KG_REFUSED";
  case KG_NO_MEMORY: return "KG_NO_MEMORY";
  case KG_UNAVAILABLE: return "KG_UNAVAILABLE";
  case KG_FAILED: return "KG_FAILED";
  }
  return "";
}

const char *kg_status_message(kg_status status) {
  switch (status) {
  case KG_OK: return "it worked";
  case KG_INVALID: return "the input is wrong";
  case KG_REFUSED: return "the input is fine, but this cannot be done with it";
  case KG_NO_MEMORY: return "out of memory";
  case KG_UNAVAILABLE: return "this machine has no such device, loader or feature";
  case KG_FAILED: return "a program failed while it ran";
  }
  return "no status of kgrad";
}
