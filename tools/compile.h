/* Shaders in a source language, through a compiler that is installed. */
#ifndef TOOLS_COMPILE_H
#define TOOLS_COMPILE_H
#include "tools/file.h"
#include "tools/options.h"

/* How a file that is no kernel of kgrad's becomes one. */
typedef struct tool_import {
  const char *entry; /* the entry point's name; NULL: there is one, or `main` */
  tool_list define, include; /* for the compiler */
} tool_import;

/* The rows of every command that reads kernels: a tool_import in its struct of options. */
#define TOOL_IMPORT(options, field) \
  {.name = "entry", .kind = TOOL_TEXT, .offset = offsetof(options, field.entry), .argument = "NAME", \
   .help = "of SPIR-V and shader sources: the entry point"}, \
  {.name = "define", .letter = 'D', .kind = TOOL_LIST, .offset = offsetof(options, field.define), .argument = "NAME[=VALUE]", \
   .help = "of shader sources: a macro, for the compiler"}, \
  {.name = "include", .letter = 'I', .kind = TOOL_LIST, .offset = offsetof(options, field.include), .argument = "DIR", \
   .help = "of shader sources: a folder where the compiler looks for files"}

/* Whether the name is that of a source which a compiler takes: .comp, .glsl, .hlsl, .slang, .cl. */
bool tool_is_source(const char *path);
/* Its SPIR-V, of at most `limit` bytes. Free with free(out->data). False: a diagnostic was sent, behind what the compiler said. */
bool tool_compile(const char *path, const tool_import *import, size_t limit, const kg_sink *sink, tool_bytes *out);
#endif
