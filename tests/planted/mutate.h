/* Defects planted in modules, one at a time: what a wrong rule, a wrong order or a slip of the hand in reverse mode would make. */
#ifndef TESTS_MUTATE_H
#define TESTS_MUTATE_H
#include "foundation/ir/program.h"

typedef enum kgt_defect {
  KGT_NO_DEFECT,
#define DEFECT(name, text) KGT_DEFECT_##name,
#include "tests/planted/defects.def"
  KGT_DEFECT_COUNT
} kgt_defect;
extern const char *const kgt_defect_text[];

enum { KGT_VARIANTS = 8 };

/* Where: an instruction of a program, or an item of the module's order (program 0); and which of the ways to spoil it. Of program 0
 * ways from 1 to 4 are modes, of the module's object with that number. */
typedef struct kgt_mutation { uint32_t program, inst, variant; } kgt_mutation;

/* What the mutation would plant; KGT_NO_DEFECT: there is no such way. */
kgt_defect kgt_mutation_kind(const kg_module *m, kgt_mutation x);
/* The ways from KGT_STATED on spoil what a function states of its derivative in reverse mode: in a kernel, not in its gradient. */
enum { KGT_STATED = KGT_VARIANTS, KGT_STATED_WAYS = 4 };
kgt_defect kgt_stated_kind(const kg_module *m, kgt_mutation x);
/* Plants it. False: the result is not valid, or memory ran out; the module is then of no use. */
bool kgt_mutate(kg_module *m, kgt_mutation x);
#endif
