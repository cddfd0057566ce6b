/* Options from a table: one row is the parsing and the line in the help. */
#ifndef TOOLS_OPTIONS_H
#define TOOLS_OPTIONS_H
#include <kgrad/foundation.h>

#include <stdio.h>

typedef enum tool_kind {
  TOOL_FLAG,  /* bool: given or not */
  TOOL_TEXT,  /* const char *: NULL where not given */
  TOOL_COUNT, /* tool_count: a whole number, with K, M or G (of 1024) behind it where it is a size */
  TOOL_LIST,  /* tool_list: may be given more than once */
  TOOL_NAMES, /* the same, and each may be several, with commas between */
} tool_kind;

typedef struct tool_count {
  bool given;
  uint64_t value;
} tool_count;

typedef struct tool_list {
  const char **items; /* point into argv */
  size_t count;
} tool_list;

typedef struct tool_option {
  const char *name; /* without the dashes; a row without one ends a table */
  char letter;      /* 0: none */
  tool_kind kind;
  size_t offset; /* of its value in the command's struct of options */
  const char *argument; /* "FILE"; NULL for flags */
  const char *help;
  const char *choices; /* "kg|kgb": nothing else is taken; NULL: anything */
} tool_option;

/* The row of commands that run kernels on the reference: a tool_count step_limit, as kg_reference_params has it. */
#define TOOL_STEP_LIMIT(options) \
  {.name = "step-limit", .kind = TOOL_COUNT, .offset = offsetof(options, step_limit), .argument = "N", \
   .help = "instructions after which the reference stops (no limit, but a while ends after 2^22 trips)"}

/* The row of commands that compute on devices, or write for them: a const char * that tool_math_of reads. */
#define TOOL_MATH(options) \
  {.name = "math", .kind = TOOL_TEXT, .offset = offsetof(options, math), .choices = "exact|default|fast", \
   .help = "exact (the default): as written; default: a * b + c in one, the device's exp, log; fast: its sin, asin, atan too"}
kg_math tool_math_of(const char *name); /* NULL: exact */

/* The rows of commands that judge gradients: tool_counts seed, entries and directions, as kg_verify_params has them. */
#define TOOL_JUDGED(options) \
  {.name = "seed", .kind = TOOL_COUNT, .offset = offsetof(options, seed), .argument = "N", \
   .help = "of the random data, cotangents and choices (1)"}, \
  {.name = "entries", .kind = TOOL_COUNT, .offset = offsetof(options, entries), .argument = "N", \
   .help = "of each gradient that are checked one by one (256, fewer of large kernels)"}, \
  {.name = "directions", .kind = TOOL_COUNT, .offset = offsetof(options, directions), .argument = "N", \
   .help = "random ones, along which the whole gradient is checked (4)"}

/* The row of commands that take gradients: a tool_count tape_limit, as kg_grad_params has it. */
#define TOOL_TAPE_LIMIT(options) \
  {.name = "tape-limit", .kind = TOOL_COUNT, .offset = offsetof(options, tape_limit), .argument = "BYTES", \
   .help = "what all tapes may take, at the params' defaults, as in 256M; else they take what they need"}
/* 0 is no limit that anybody means: false, with a diagnostic. */
bool tool_check_tape_limit(tool_count limit, const kg_sink *sink);

/* Likewise a tool_count trips. */
#define TOOL_TRIPS(options) \
  {.name = "trips", .kind = TOOL_COUNT, .offset = offsetof(options, trips), .argument = "N", \
   .help = "of each loop that nothing bounds, as a buffer's bounds do not: what tapes have room for (256); more fail by an assert"}
enum { TOOL_MOST_TRIPS = 1 << 30 };
bool tool_check_trips(tool_count trips, const kg_sink *sink);

/* Parses argv[1..argc) by the rows into `values`, whose fields are zero to begin with. Options and files may be mixed;
 * "--" ends the options. On success *first is where the files begin in argv, which is permuted. False: a diagnostic was
 * sent. tool_options_free either way. */
bool tool_options_parse(const tool_option *rows, const char *command, int argc, char **argv, void *values, int *first,
                        const kg_sink *sink);
void tool_options_free(const tool_option *rows, void *values);
void tool_options_help(const tool_option *rows, FILE *out);

/* Splits "x=y.npy": *value is what follows the sign, the result the length of what precedes it; 0: a diagnostic was sent. */
size_t tool_split_pair(const char *item, const char *option, const char **value, const kg_sink *sink);
#endif
