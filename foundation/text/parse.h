/* foundation/text: programs as people write and read them: lexer, parser, printer, tree. */
/* The parser's state, shared by its files: parse.c (files, declarations), parse_names.c, parse_again.c, parse_body.c
 * (statements), parse_for.c, parse_if.c, parse_fn.c, parse_custom.c (stated derivatives), parse_other.c (texts besides the file's, the prelude), parse_use.c (functions of
 * other files), parse_call.c (programs and modules of others), parse_work.c (runs of modules). It reads each token once, lengths in declarations twice: they may name what comes
 * later. */
#ifndef KGI_PARSE_H
#define KGI_PARSE_H
#include "foundation/text/parse_expr.h"

typedef enum kgi_symbol_kind {
  KGI_SYM_NONE, KGI_SYM_VALUE, KGI_SYM_OBJECT, KGI_SYM_PARAM, KGI_SYM_SPEC, KGI_SYM_FN, KGI_SYM_LOCAL, KGI_SYM_INDEX,
} kgi_symbol_kind;

typedef struct kgi_symbol {
  uint8_t kind;
  uint8_t type;      /* of a LOCAL: a function's parameter or let */
  uint32_t index;    /* value, object, param, constant, function, place in a template, or item */
  uint32_t name;     /* entry of the names */
  uint32_t previous; /* what the name stood for outside of the program */
  uint32_t loop;     /* of a VALUE, as in kgi_node */
  kgi_pos pos;
} kgi_symbol;

/* One entry for each spelling, the language's words among them, so that a name is found at once. Entry 0 is unused. */
typedef struct kgi_name_entry {
  const char *text;
  uint32_t length;
  kgi_word word;
  kgi_str string;   /* in the module; {0}: not there yet */
  uint32_t symbol;  /* what it stands for now; 0: nothing */
  kgi_pos checkpoint; /* that the name was declared in, and is not known behind; 0: none */
  uint32_t program; /* 0: none has this name */
  uint32_t call;    /* what a module uses by this name, + 1; 0: nothing */
  uint8_t prelude;  /* its row there + 2; 1: it has none; 0: nobody has looked */
  kgi_pos called;   /* where, the last time, as the prelude's; 0: never */
  const char *called_in;          /* the file */
  const kgi_program *called_by;   /* and the program; NULL: outside of any */
  uint32_t target;  /* while a run's arguments are read: buffer index, or param index + TARGET_PARAM */
} kgi_name_entry;

typedef enum kgi_dim_slot {
  KGI_SLOT_LENGTH, /* and the further extents behind it */
  KGI_SLOT_OBJECT_LO = KGI_SLOT_LENGTH + KGI_MAX_RANK, KGI_SLOT_OBJECT_HI, KGI_SLOT_PARAM_LO, KGI_SLOT_PARAM_HI,
  KGI_SLOT_WORKGROUP, KGI_SLOT_GRID, /* + index: which of three */
} kgi_dim_slot;
typedef struct kgi_deferred { kgi_lexer at; uint8_t slot; uint32_t index; } kgi_deferred;

/* What was found out about the statement at a place in the text (parse_again.c): the type of a loop's index and where it takes it;
 * BOOL: a chain of else-ifs that does not nest. */
typedef struct kgi_decision { const char *at; kgi_pos pos; uint8_t type; } kgi_decision;
/* Where the parser stood behind the first word of a statement. */
typedef struct kgi_attempt {
  kgi_lexer lx;
  kgi_cursor at;
  uint32_t insts, blocks, objects, symbols, budget, errors;
  unsigned depth;
} kgi_attempt;

/* A loop between bare literals, whose index takes its type from its uses. */
typedef struct kgi_index {
  const char *at;   /* its place in the text */
  uint32_t name, with; /* `with`: the loop around whose index must be alike, or itself */
  uint8_t type;     /* NONE: nothing has said so yet, and it is i32 until then */
  kgi_pos pos;      /* of what said so */
} kgi_index;

enum { KGI_MAX_PATH = 1000 }; /* of a file that is used, with the NUL behind it */

/* A chain of else-ifs that is being read. */
typedef struct kgi_chain { const char *at; bool nests; struct kgi_chain *outer; } kgi_chain;

/* What a program names as its adjoint. */
typedef struct kgi_adjoint_name { uint32_t program; kgi_token name; } kgi_adjoint_name;

/* What a module uses: a module of its own, whose programs stand in this one. */
typedef struct kgi_call {
  kg_module *module;
  uint32_t name, base; /* `base`: as in kgi_appending */
  uint32_t runs;       /* how many there are so far */
  kgi_pos pos;
} kgi_call;

typedef struct kgi_parser {
  kg_module *m;
  kgi_diags *diags;
  kgi_arena scratch;
  kgi_builder b;
  kgi_lexer lx;
  kgi_expr_reader reader;
  kgi_name_entry *name; uint32_t name_count, name_cap;
  kgi_set names;
  kgi_symbol *symbol; uint32_t symbol_count, symbol_cap; /* a stack; entry 0 unused */
  uint32_t visible_from; /* symbols before it are seen only where they are functions */
  kgi_template *template_; uint32_t template_count, template_cap;
  kgi_deferred *deferred; uint32_t deferred_count, deferred_cap;
  bool skipping;         /* over a length that is read later */
  uint32_t function;     /* the name of the one being read; 0: none */
  kg_type real;          /* what `real` stands for there */
  uint32_t functions_from; /* symbols before it are not seen at all: they are of another file */
  uint32_t *prelude;     /* by row, the template of each function that was called, + 1; NULL: none was */
  unsigned repeats;      /* how deep */
  kgi_adjoint_name *adjoint; uint32_t adjoint_count, adjoint_cap; /* found once all programs are read */
  bool lone;             /* the text is one program */
  const kg_loader *loader; /* of the files that are used; NULL: there are none */
  struct kgi_used *used; uint32_t used_count, used_cap;
  unsigned use_depth;
  kgi_call *call; uint32_t call_count, call_cap;
  uint32_t temps;        /* of their runs */
  const struct kgi_parser *caller; /* of the module that uses this text */
  size_t *used_size;     /* of all texts that modules use, below the first */
  size_t text_size;      /* of all files */
  kgi_decision *decision; uint32_t decision_count, decision_cap; /* entry 0 unused */
  kgi_set decisions;
  const char *again;     /* the statement that is to be read again; NULL: none */
  const kg_sink *sink;   /* silenced meanwhile */
  kgi_chain *chain;      /* the innermost */
  kgi_index *index; uint32_t index_count, index_cap; /* a stack; entry 0 unused */
} kgi_parser;

bool kgi_parser_failed(kgi_parser *p);
bool kgi_at_keyword(const kgi_parser *p, kgi_keyword word);
bool kgi_take_keyword(kgi_parser *p, kgi_keyword word);
bool kgi_take_word(kgi_parser *p, const char *word); /* a word that is not reserved */
bool kgi_need_open(kgi_parser *p, kgi_pos *opener);
bool kgi_at_close(kgi_parser *p, kgi_pos opener);    /* goes past "}"; the end of the text is an error at the opener */

/* parse_again.c */
const kgi_decision *kgi_decided(const kgi_parser *p, const char *at); /* NULL: nothing */
void kgi_decide(kgi_parser *p, kgi_decision decision);                /* fails until the statement at `at` begins again */
kgi_attempt kgi_attempt_begin(const kgi_parser *p);
bool kgi_attempt_again(kgi_parser *p, const kgi_attempt *a); /* the statement is to be read again, and can be */

/* parse_names.c */
void kgi_classify(void *parser, kgi_token *token);
void kgi_add_words(kgi_parser *p); /* the language's own, first */
/* A new name: its entry, 0 on failure. Past it. */
uint32_t kgi_new_name(kgi_parser *p, kgi_pos *pos);
/* All strings of the module go through its names, so that one that is new here is new there. */
kgi_str kgi_name_string(kgi_parser *p, uint32_t name);
uint32_t kgi_name_entry_of(kgi_parser *p, const char *text, size_t length);
void kgi_declare(kgi_parser *p, uint32_t name, kgi_symbol_kind kind, uint32_t index, kgi_pos pos);
kgi_symbol kgi_lookup(const kgi_parser *p, uint32_t name); /* NONE where nothing visible has the name */
void kgi_unknown_name(kgi_parser *p, const kgi_token *token);
/* The current token, or `word` for it, is of another language, which is said: fails. False: it is not. */
bool kgi_foreign_token(kgi_parser *p, bool begins);
bool kgi_foreign(kgi_parser *p, const char *word, kgi_pos pos);
void kgi_close_scope(kgi_parser *p, uint32_t mark); /* mark: symbol_count at its start */
kg_type kgi_read_type(kgi_parser *p);
/* Hooks of the expression reader. */
uint32_t kgi_resolve_name(void *parser);
uint32_t kgi_resolve_atomic(void *parser);
uint32_t kgi_resolve_len(void *parser);
/* An element of memory in an expression or statement: the object, and its index as a node or KGI_NO_NODE. */
bool kgi_read_place(kgi_parser *p, uint32_t *object, uint32_t *index, kgi_pos *pos);
uint32_t kgi_read_atomic(kgi_parser *p);

/* parse.c */
void kgi_fresh_nodes(kgi_parser *p);
kgi_dim kgi_read_dim(kgi_parser *p);                   /* now */
unsigned kgi_read_dims(kgi_parser *p, kgi_dim out[3]); /* one to three */
unsigned kgi_read_extents(kgi_parser *p, kgi_dim out[KGI_MAX_RANK]); /* of an array, now */
bool kgi_read_literal(kgi_parser *p, kg_type *type, uint64_t *bits); /* *type NONE: its own, u32 for integers */
bool kgi_is_program(kgi_parser *p, uint32_t name, kgi_pos pos); /* one has the name, or it failed already: it fails */
typedef struct kgi_text {
  const char *name, *text;
  size_t size;
  const kg_loader *loader;
  const struct kgi_parser *caller; /* of a module that uses the text, NULL: nobody does */
} kgi_text;
kg_status kgi_parse_text(const kg_allocator *alloc, const kgi_text *text, const kg_sink *sink, kg_module **out);
bool kgi_take_text(kgi_parser *p, size_t size, kgi_pos pos); /* one more text: false where they are too large together */

/* parse_body.c */
void kgi_parse_statements(kgi_parser *p, kgi_pos opener); /* up to and past "}" */
kgi_val kgi_parse_expression(kgi_parser *p, kg_type want);
void kgi_parse_block(kgi_parser *p);
bool kgi_parse_build(kgi_parser *p); /* the nodes that were read */
/* parse_for.c */
void kgi_parse_for(kgi_parser *p, kgi_pos pos);
void kgi_index_meets(void *parser, uint32_t loop, kg_type type, kgi_pos pos); /* hooks of the nodes */
uint32_t kgi_index_joins(void *parser, uint32_t loop, uint32_t other, kgi_pos pos);
/* parse_if.c */
void kgi_parse_if(kgi_parser *p, kgi_pos pos);
void kgi_need_room(kgi_parser *p); /* for a block here: where there is none, a chain around it is not to nest */
/* parse_fn.c */
void kgi_parse_fn(kgi_parser *p);
uint32_t kgi_read_function(kgi_parser *p, uint32_t name); /* past its name: its first template */
void kgi_declare_local(kgi_parser *p, uint32_t name, uint32_t index, kg_type type, kgi_pos pos);
/* One expression into the template: its place there. *type NONE: its own, which it then is. */
uint32_t kgi_read_formula(kgi_parser *p, kgi_template *t, kg_type *type);
void kgi_read_formula_lets(kgi_parser *p, kgi_template *t); /* and `return` */
/* parse_custom.c */
void kgi_read_custom(kgi_parser *p, kgi_template *t); /* the derivatives that stand behind a function, if any */
/* parse_other.c */
/* Another text is read in the midst of this one; it sees no names of this one. */
typedef struct kgi_aside {
  kgi_lexer lx;
  kgi_nodes nodes;
  kgi_pos pos;
  const char *file;
  uint32_t visible_from, functions_from, function;
  kg_type real;
  unsigned depth;
} kgi_aside;
kgi_aside kgi_begin_other(kgi_parser *p, const char *file, const char *text, size_t size);
void kgi_end_other(kgi_parser *p, const kgi_aside *aside);
/* A function of the prelude that the current token calls: true and its template, or a reading that failed. */
bool kgi_prelude_call(kgi_parser *p, uint32_t *fn);
/* parse_use.c */
void kgi_parse_uses(kgi_parser *p);
bool kgi_read_path(kgi_parser *p, char out[KGI_MAX_PATH]); /* the string that is the current token, from the folder of its file */
bool kgi_load_text(kgi_parser *p, const char *path, kgi_pos pos, const char **text, size_t *size);
/* parse_call.c */
void kgi_parse_module_use(kgi_parser *p); /* inside of a module, past `use` */
/* The items that a run of such a name stands for, the first of a list; past its arguments and grid. */
uint32_t kgi_parse_call(kgi_parser *p, uint32_t call, kgi_pos pos);
void kgi_free_calls(kgi_parser *p);
/* parse_work.c */
/* An argument of a run that names nothing in the program's scope, or what has been bound already. */
void kgi_bad_argument(kgi_parser *p, const kgi_token *t, const char *program, const kg_module *m, const kgi_scope *scope, bool twice);
uint32_t kgi_read_buffer(kgi_parser *p, kgi_slice *slice); /* a buffer of the module, or a slice of it */
bool kgi_read_grid(kgi_parser *p, kgi_dim dims[3], bool *invocations); /* false: none is stated */
void kgi_parse_work(kgi_parser *p, uint32_t parent, kgi_pos opener);
#endif
