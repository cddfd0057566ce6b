/* Diagnostics: rows of diags.def, sent to the caller's sink. */
#ifndef KGI_DIAG_H
#define KGI_DIAG_H
#include <kgrad/foundation.h>

typedef enum kgi_diag_id {
#define DIAG(name, id, severity, message, fix) KGI_DIAG_##name,
#include "foundation/base/diags.def"
  KGI_DIAG_COUNT
} kgi_diag_id;

/* A position: the line in the upper 20 bits, the column in the lower 12, both saturating; 0: none. */
typedef uint32_t kgi_pos;
static inline kgi_pos kgi_pos_make(uint32_t line, uint32_t column) {
  return (line > 0xFFFFF ? 0xFFFFF : line) << 12 | (column > 0xFFF ? 0xFFF : column);
}
static inline uint32_t kgi_pos_line(kgi_pos pos) { return pos >> 12; }
static inline uint32_t kgi_pos_column(kgi_pos pos) { return pos & 0xFFF; }

/* The sink, with what it needs to know beside it. */
typedef struct kgi_diags {
  const kg_sink *sink; /* may be NULL */
  const char *file;    /* may be NULL */
  uint32_t errors;
} kgi_diags;

/* `args` fill {0}, {1}, ... of the row's message and fix; it ends with NULL. Use the macro. Never allocates; long messages are
 * cut with an ellipsis. Unprintable bytes in arguments are shown as \xNN. */
void kgi_diag_emit(kgi_diags *diags, kgi_diag_id id, kgi_pos pos, const char *const *args);
#define KGI_DIAG(diags, name, pos, ...) \
  kgi_diag_emit(diags, KGI_DIAG_##name, pos, (const char *const[]){__VA_ARGS__, NULL})

const char *kgi_diag_name(kgi_diag_id id); /* the stable id */

/* KG_INVALID, and said, where what `call` is given is no enumerator of `type`. */
kg_status kgi_check_choice(bool is_one, const char *call, const char *type, int64_t value, kgi_diags *diags);

/* Says so to the sink, which may be NULL; returns KG_NO_MEMORY. */
kg_status kgi_no_memory(const kg_sink *sink);

/* Numbers as arguments: KGI_NUM(x) lives as long as the enclosing block. */
typedef struct kgi_num { char text[24]; } kgi_num;
const char *kgi_num_signed(kgi_num *num, int64_t value);
const char *kgi_num_unsigned(kgi_num *num, uint64_t value);
#define KGI_NUM_OF(num, value) \
  _Generic((value), unsigned long: kgi_num_unsigned, unsigned long long: kgi_num_unsigned, default: kgi_num_signed)(num, value)
#define KGI_NUM(value) KGI_NUM_OF(&(kgi_num){{0}}, value)
#endif
