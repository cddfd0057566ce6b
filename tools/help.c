/* What the command says of itself. */
#include "tools/command.h"

#include <ctype.h>
#include <string.h>

typedef struct topic {
  const char *name, *summary, *text;
} topic;

static const topic topics[] = {
    {"exit", "what the exit status says",
     "  0  fine\n"
     "  1  the answer is no: a check failed, a gradient is refused, a program failed\n"
     "     while it ran\n"
     "  2  bad usage or bad input, or a machine that cannot\n\n"
     "Of several output files all appear, or none. A command that fails, or that a\n"
     "signal ends, leaves no output file behind, and leaves those that were there as\n"
     "they were. With kgrad verify, 1 is an answer, and the picture is written.\n"},
    {"json", "what --json prints",
     "With --json a command prints one object on standard output:\n\n"
     "  {\"command\": \"run\", \"status\": 0, \"diagnostics\": [...], \"result\": {...}}\n\n"
     "`status` is the exit status. A diagnostic has `id` (stable), `severity`, `file`,\n"
     "`line` and `column` where it has a position, `message`, and `fix` where there is\n"
     "one. Numbers that JSON lacks are the strings \"inf\", \"-inf\" and \"nan\". A byte of\n"
     "a name or a message that is not UTF-8 becomes U+FFFD.\n"},
    {"shaders", "the shaders that go in",
     "A compute shader in SPIR-V is taken wherever a kernel is. So is its source: a file\n"
     "named .comp or .glsl goes through glslangValidator or glslc, .hlsl through dxc,\n"
     "glslangValidator or glslc, .slang through slangc, and .cl through clspv, whichever\n"
     "is installed. How many workgroups run is a param for each axis that the shader\n"
     "tells apart: groups_x, groups_y, groups_z.\n\n"
     "  kgrad grad shader.comp --of y --wrt x -o shader_grad.spv\n"
     "  kgrad verify shader.comp --of y --wrt x --param groups_x=1\n"
     "  kgrad grad shader.hlsl --entry blur -D RADIUS=3 -I include\n\n"
     "A gradient that has to be right for every grid and every param adds atomically where\n"
     "one that knows them need not. --explain says what would help.\n\n"
     "  kgrad grad shader.comp --of y --wrt x --grid 64 --param n=4096 --const TILE=16\n"
     "  kgrad grad shader.comp --of y --wrt x --assume \"cols <= stride\" --explain\n"
     "  kgrad verify shader.comp --grid 64 --param n=4096 --specialise\n"},
    {"arrays", "the arrays that go in and out",
     "Arrays are NumPy's .npy files, versions 1 to 3, in C order: bool, integers and\n"
     "floats of 8 to 64 bits, either byte order. bf16 is NumPy's '<V2', as ml_dtypes\n"
     "writes it. An array's type must be the buffer's. A buffer of several dimensions,\n"
     "f32[rows, cols], takes arrays of that shape; any other takes every shape with the\n"
     "right number of elements, in row-major order. An array of f64 is rounded for a\n"
     "buffer of f32, with a note, if every value keeps f32's precision: none overflows,\n"
     "and none loses bits among the subnormals. Written arrays have the buffer's shape;\n"
     "where the buffer has one dimension and an array was read into it, that array's.\n\n"
     "A .npz file holds several, each under the name of its buffer, as numpy.savez and\n"
     "savez_compressed write it: kgrad reads both, and writes without compression. What\n"
     "one array takes in memory is at most a gigabyte, or 64 times what it takes in the\n"
     "file.\n\n"
     "  --in x=x.npy    a file: what holds a slash, ends with .npy, or is - (standard input)\n"
     "  --in x=all.npz  the array named x of a file that holds several\n"
     "  --in all.npz    every array of the file, each for the buffer of its name\n"
     "  --in x=ones     every element is 1; zeros and random likewise\n"
     "  --in x=1,-2.5   the values, as many as there are\n"
     "  --in x=data     a file again, if there is one; ./ones is one too\n"
     "  --out y=y.npy   a file\n"
     "  --out all.npz   all outputs in one file; --out y=all.npz writes one of them\n"
     "  --out y=-       every value as text, so precisely that it reads back the same\n"},
};

void tool_help_overview(FILE *out) {
  fputs("kgrad differentiates GPU kernels, and runs and proves what it made.\n\n"
        "usage: kgrad COMMAND ...\n\ncommands:\n",
        out);
  for (const tool_command *const *c = tool_commands; *c; c++) fprintf(out, "  %-10s%s\n", (*c)->name, (*c)->summary);
  fprintf(out, "  %-10s%s\n\ntopics:\n", "help", "what a command or a topic below is about");
  for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
    fprintf(out, "  %-10s%s\n", topics[i].name, topics[i].summary);
  fputs("\nkgrad COMMAND --help shows a command's options and examples; kgrad --version the\nversion.\n", out);
}

void tool_help_command(const tool_command *command, FILE *out) {
  fprintf(out, "usage: kgrad %s%s%s\n\n", command->name, *command->usage ? " " : "", command->usage);
  fprintf(out, "%c%s.\n", toupper((unsigned char)command->summary[0]), command->summary + 1);
  if (command->detail) fprintf(out, "\n%s", command->detail);
  fputs("\noptions:\n", out);
  tool_options_help(command->options, out);
  if (command->examples) fprintf(out, "\nexamples:\n%s", command->examples);
}

bool tool_help_topic(const char *name, FILE *out) {
  for (const tool_command *const *c = tool_commands; *c; c++)
    if (strcmp((*c)->name, name) == 0) return tool_help_command(*c, out), true;
  for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
    if (strcmp(topics[i].name, name) == 0) return fputs(topics[i].text, out), true;
  return false;
}
