/* Shaders in a source language, through a compiler that is installed. */
#ifndef TOOLS_COMPILE_H
#define TOOLS_COMPILE_H
#include "tools/file.h"
#include "tools/options.h"

/* How a file that is no kernel of kgrad's becomes one. */
typedef struct tool_import {
  const char *entry; /* the entry point's name; NULL: there is one, or `main` */
  tool_list define, include, flags; /* for the compiler */
  const char *grid;          /* "64,1,1"; NULL: open */
  tool_list constants, assumptions, params; /* kg_facts; of commands that run kernels, `params` only where they are to be fixed */
} tool_import;

/* The row of commands that have values for params anyway: whether they are known before, as `kgrad grad` knows them. */
#define TOOL_SPECIALISE(options) \
  {.name = "specialise", .kind = TOOL_FLAG, .offset = offsetof(options, specialise), \
   .help = "what --param gives is known to the kernel, as to that of kgrad grad --param"}
/* The row of those that have none. */
#define TOOL_KNOWN_PARAM(options, field) \
  {.name = "param", .letter = 'p', .kind = TOOL_LIST, .offset = offsetof(options, field.params), .argument = "NAME=VALUE", \
   .help = "a param is known: its value is folded in, and it is declared no more"}

/* The rows of every command that reads kernels: a tool_import in its struct of options. */
#define TOOL_IMPORT(options, field) \
  {.name = "entry", .kind = TOOL_TEXT, .offset = offsetof(options, field.entry), .argument = "NAME", \
   .help = "of SPIR-V and shader sources: the entry point"}, \
  {.name = "define", .letter = 'D', .kind = TOOL_LIST, .offset = offsetof(options, field.define), .argument = "NAME[=VALUE]", \
   .help = "of shader sources: a macro, for the compiler"}, \
  {.name = "include", .letter = 'I', .kind = TOOL_LIST, .offset = offsetof(options, field.include), .argument = "DIR", \
   .help = "of shader sources: a folder where the compiler looks for files"}, \
  {.name = "flag", .kind = TOOL_LIST, .offset = offsetof(options, field.flags), .argument = "FLAG", \
   .help = "of shader sources: a flag of the compiler, as --flag=-O"}, \
  {.name = "grid", .kind = TOOL_TEXT, .offset = offsetof(options, field.grid), .argument = "X[,Y[,Z]]", \
   .help = "of SPIR-V and shader sources: how many workgroups run, which no binary says"}, \
  {.name = "const", .kind = TOOL_LIST, .offset = offsetof(options, field.constants), .argument = "NAME=VALUE", \
   .help = "a constant is known: one of the kernel, or of a shader, there also by its SpecId"}, \
  {.name = "assume", .kind = TOOL_LIST, .offset = offsetof(options, field.assumptions), .argument = "CONDITION", \
   .help = "holds of params and constants, as in \"n % 4 == 0\"; proofs rest on it, and the kernel asserts it"}

/* Whether the name is that of a source which a compiler takes: .comp, .glsl, .hlsl, .slang, .cl. */
bool tool_is_source(const char *path);
/* Its SPIR-V, of at most `limit` bytes. Free with free(out->data). False: a diagnostic was sent, behind what the compiler said. */
bool tool_compile(const char *path, const tool_import *import, size_t limit, const kg_sink *sink, tool_bytes *out);
#endif
