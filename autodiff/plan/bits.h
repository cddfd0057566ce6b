/* Floats that pass through integers as their bits: what bits.c and its parts share. */
#ifndef KGI_AD_BITS_H
#define KGI_AD_BITS_H
#include "foundation/ir/builder.h"

/* What an integer has of a float's bits. */
typedef enum kgi_bits_kind {
  KGI_BITS_NONE,     /* nothing that is known */
  KGI_BITS_ORIGIN,   /* they are those of a float: a bitcast */
  KGI_BITS_NUMBER,   /* they are the whole number of a float, a conversion: a step of it is one of the bits */
  KGI_BITS_LOADED,   /* likewise: a load of memory that is to hold floats */
  KGI_BITS_MOVED,    /* likewise: another lane's */
  KGI_BITS_CHOSEN,   /* likewise: a select */
  KGI_BITS_STEPS,    /* where the operand's bits step by one, these do, up or down */
  KGI_BITS_CONSTANT, /* the sign and the exponent alone, which are constant but for jumps */
} kgi_bits_kind;

typedef struct kgi_bits_value {
  uint8_t kind;
  uint8_t operand;  /* of steps and of a constant: which one carries the bits */
  bool down;        /* of steps: against the float's */
  bool rough;       /* of steps: it differs from the float's bits in more than the sign */
  bool number;      /* of a number, and of steps from one */
  bool fed;         /* a float is where they come from (bits_memory.c) */
} kgi_bits_value;

typedef struct kgi_bits {
  kgi_program *p;
  kgi_bits_value *value; /* by instruction */
  uint8_t *whole;        /* by instruction: kgi_whole */
  bool *floats;          /* by object: it is to hold floats */
  uint32_t *added;       /* by instruction, of an exchange that ends a loop which adds a float: that; 0: it is none */
} kgi_bits;

/* bits_steps.c: what the operation makes of bits in its operands, of which `carries` has been said. */
bool kgi_bits_carries(const kgi_bits *s, uint32_t value);
/* It may as well be a float: a number, or the bits of a float but for the sign. */
bool kgi_bits_fit(const kgi_bits *s, uint32_t value);
kgi_bits_value kgi_bits_of(const kgi_bits *s, uint32_t inst);
/* The float type of that width; KG_NONE: none has it. */
kg_type kgi_bits_float(kg_type integer);
unsigned kgi_bits_point(kg_type integer);  /* of its mantissa */

/* bits_memory.c: fills the other tables. False: no memory. */
bool kgi_bits_find(kgi_bits *s, kgi_arena *arena);
#endif
