/* What a whole module must obey, beyond what the builder checks as instructions are made: scopes of values and vars, access
 * modes, control flow, lengths, bindings of runs. It also runs on what the binary reader made from hostile bytes, so it trusts
 * no index, enum, link or owner; only that the tables are as long as their counts say. Linear time. */
#ifndef KGI_VALIDATE_H
#define KGI_VALIDATE_H
#include "foundation/ir/builder.h"

/* KG_OK; KG_INVALID, with a diagnostic for each fault; or KG_NO_MEMORY. */
kg_status kgi_validate(const kg_module *module, kgi_diags *diags);

/* One program of it alone: for passes, which edit one at a time. */
kg_status kgi_validate_program(const kg_module *module, const kgi_program *program, kgi_diags *diags);

enum {
  KGI_MAX_DIM_SIZE = 4096,         /* nodes of one length, written out */
  KGI_MAX_DIM_DEPTH = 100,         /* operations within operations in one length */
  KGI_MAX_WORKGROUP = 65536,       /* invocations */
  KGI_MAX_SUBGROUP = 128,          /* lanes: the most that Vulkan knows */
  KGI_MAX_LOCAL_BYTES = 1 << 24,   /* of all shared, and of all vars */
  KGI_MAX_STATED = 1000,           /* buffers, or params, of a program that names its adjoint, and of that one */
  KGI_MAX_FAULTS = 100,            /* diagnostics of one run */
};

/* Inside: what the two halves share. */
typedef struct kgi_checker {
  const kg_module *m;
  kgi_diags *diags;
  kgi_arena scratch;
  uint32_t faults;
  uint32_t *named; /* for each string: the scope that last declared it */
  uint32_t scopes; /* how many scopes have been checked */
} kgi_checker;

/* What a length expression refers to, and how large it is. */
typedef struct kgi_dim_fact {
  uint32_t size, depth, largest_len, params, floats, indices, lens;
  uint8_t fault; /* kgi_dim_fault: what it meets whatever the params are */
} kgi_dim_fact;

/* A diagnostic, unless there have been enough. */
#define KGI_FAULT(c, row, pos, ...) \
  do { \
    if ((c)->faults++ < KGI_MAX_FAULTS) KGI_DIAG((c)->diags, row, pos, __VA_ARGS__); \
  } while (0)

/* Checks the tables of a scope; the facts of its lengths, from the scratch arena, or NULL when the tables are malformed. */
kgi_dim_fact *kgi_check_scope(kgi_checker *c, const kgi_scope *scope, bool in_module, kgi_pos pos);
/* A length, grid or range bound: in range of the table, integer, not sure to fail, and (`constant`) without params, lengths or
 * indices. */
bool kgi_check_dim(kgi_checker *c, const kgi_scope *scope, const kgi_dim_fact *facts, kgi_dim dim, bool constant, const char *what,
                   kgi_pos pos);
/* The same of what counts something: a literal is not negative. */
bool kgi_check_size(kgi_checker *c, const kgi_scope *scope, const kgi_dim_fact *facts, kgi_dim dim, const char *what, kgi_pos pos);
/* The range of a buffer or param: its bounds, and that values can lie in it. */
void kgi_check_range(kgi_checker *c, const kgi_scope *scope, const kgi_dim_fact *facts, kg_type type, const kgi_dim bounds[2],
                     kgi_str name, kgi_pos pos);
/* Of a grid or a workgroup: y needs x, and z needs y. */
bool kgi_check_axes(kgi_checker *c, const kgi_dim *dims, kgi_pos pos); /* three */
/* What programs name as their adjoints. The programs must be sound. */
void kgi_check_adjoints(kgi_checker *c);
/* The module's order of work: its runs, their bindings, repeats. The scopes must be sound. */
void kgi_check_order(kgi_checker *c, const kgi_dim_fact *facts);
#endif
