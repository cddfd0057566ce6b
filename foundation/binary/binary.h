/* foundation/binary: programs as files: the binary form and its digest. */
/* The binary form: doc/binary.md. */
#ifndef KGI_BINARY_H
#define KGI_BINARY_H
#include "foundation/ir/builder.h"

enum { KGI_BINARY_VERSION = 1 };

/* Kinds of dims, items and entries as they stand in a file. */
enum { KGI_BIN_SCALAR = 1, KGI_BIN_LENGTH = 2, KGI_BIN_RANGE = 4, KGI_BIN_VIEW = 8,
       KGI_BIN_EXTENTS = 16, KGI_BIN_ROWS = 32, KGI_BIN_DRAW = 64 };                                                          /* flags of objects */
enum { KGI_BIN_LEN_OF_DIM = KGI_op }; /* a leaf, beside the kinds of leaves: KGI_op is none */
enum { KGI_BIN_INVOCATIONS = 1, KGI_BIN_ADJOINT = 2 };                                   /* flags of a program */
enum { KGI_BIN_DEFAULT = 1, KGI_BIN_PARAM_RANGE = 2, KGI_BIN_PUSHED = 4, KGI_BIN_PARAM_VIEW = 8 }; /* flags of params */
enum { KGI_BIN_NUMBERED = 64 };                                                         /* added to a constant's type */
enum { KGI_BIN_END = 0, KGI_BIN_RUN = 1, KGI_BIN_REPEAT = 2, KGI_BIN_RUN_OF_SLICES = 3 }; /* items */

/* The name that stands where a file has none: a letter and a number; number 0: the letter alone; letter 0: nothing. */
typedef struct kgi_made_up { char text[16]; } kgi_made_up;
const char *kgi_make_up(kgi_made_up *out, char letter, uint32_t number);

/* Whether an instruction of this kind has a name in a file, and the letter of the made-up one. */
bool kgi_has_name(const kgi_inst *inst, char *letter);
#endif
