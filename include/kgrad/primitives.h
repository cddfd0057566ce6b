/* kgrad/primitives.h: kernels that come with the library. A primitive is a template of text, and a row in a table that says what it
 * computes. The result is a module like any other: it prints, runs, and is differentiated by kg_grad. */
#ifndef KGRAD_PRIMITIVES_H
#define KGRAD_PRIMITIVES_H

#include <kgrad/foundation.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A parameter of a primitive. Sizes become params of the program with that default, so that one program
 * serves all sizes; what decides its structure (`fixed`: the workgroup, a tile, a transpose) is part of it. */
typedef struct kg_primitive_param {
  const char *name;
  const char *help; /* what it means; in a refusal it is the fix */
  bool whole;       /* takes integers alone */
  bool power_of_two;
  bool fixed;
  double fallback; /* where none is given */
  double least, most;
} kg_primitive_param;

typedef struct kg_primitive_info {
  const char *name;
  const char *family;   /* what it belongs to: "rows", "linear", "kfac" ... */
  const char *summary;  /* one line */
  const char *computes; /* the formula over the program's buffers, with their shapes */
  const char *source;   /* where it comes from */
  uint32_t param_count;
  const kg_primitive_param *params;
} kg_primitive_info;

/* A parameter that the caller states. */
typedef struct kg_primitive_arg {
  const char *name;
  double value;
} kg_primitive_arg;

KG_API uint32_t kg_primitive_count(void);
/* A row of the table, NULL past its end; it lives as long as the library. */
KG_API const kg_primitive_info *kg_primitive_at(uint32_t index);
/* The row of that name, or NULL. */
KG_API const kg_primitive_info *kg_primitive_find(const char *name);
/* The name that is nearest to a misspelt one, or NULL where none is near. */
KG_API const char *kg_primitive_nearest(const char *name);

/* Builds a primitive: a program, or a module of several. Parameters that `args` leaves out take their defaults. KG_INVALID: there is no such
 * primitive or parameter, one is given twice, or its value is out of range; the diagnostic says what is in it. */
KG_API kg_status kg_primitive_build(const kg_allocator *alloc, const char *name, const kg_primitive_arg *args, size_t count,
                                    const kg_sink *sink, kg_module **out);

/* Its text, with comments, as a person would write it; free with kg_bytes_free(alloc, *out, *size + 1). */
KG_API kg_status kg_primitive_text(const kg_allocator *alloc, const char *name, const kg_primitive_arg *args, size_t count,
                                   const kg_sink *sink, char **out, size_t *size);
/* The same, for a kg_loader: `path` is what `use primitive matmul(workgroup = 8) as dense` asks for,
 * "primitive matmul(workgroup=8)". KG_INVALID, and nothing is said: it does not begin with "primitive ", so that it is a file's. */
KG_API kg_status kg_primitive_load(const kg_allocator *alloc, const char *path, const kg_sink *sink, char **out, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
