/* Functions of floats that the file needs. */
#include "c/emit.h"

/* TODO from the table's own arithmetic */
void kgi_c_functions(kgi_c_emit *e) {
  for (unsigned op = 0; op < KGI_OP_COUNT; op++) {
    if (!e->function[op]) continue;
    unsigned arity = kgi_op_rows[op].arity;
    kgi_c_put(&e->functions, "KG_FN kg_f32v kg_%s_f32(kg_f32v a%s) {\n  kg_f32v y;\n  for (int l = 0; l < KG_LANES; l++) y[l] = __builtin_%sf(a[l]%s);\n  return y;\n}\n\n",
              kgi_op_rows[op].name, arity > 1 ? ", kg_f32v b" : "", op == KGI_OP_rem ? "fmod" : kgi_op_rows[op].name, arity > 1 ? ", b[l]" : "");
  }
}
