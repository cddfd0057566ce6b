/* What would have to be known for a shadow to be added to plainly, found by planning the gradient again with values tried. */
#ifndef TOOLS_HINTS_H
#define TOOLS_HINTS_H
#include "tools/json.h"

#include <kgrad/autodiff.h>

#include <stdio.h>

enum { TOOL_HINT_FACTS = 12, TOOL_HINTS = 16 };
typedef struct tool_hint {
  size_t run;
  char object[80];
  char how[16];                        /* how contributions would meet; "": no value that was tried changes it */
  char fact[TOOL_HINT_FACTS][64];      /* "n=64": together enough, and none of them without the others */
  unsigned facts;
} tool_hint;
typedef struct tool_hints { tool_hint at[TOOL_HINTS]; unsigned count; } tool_hints;

/* The map of the gradient of another module, silently; false: there is none. */
typedef bool tool_planner(void *user, const kg_module *module, kg_grad_map **map);

/* Of each shadow that is added to atomically, as many as there is room for. Params of integers are tried, at their defaults where they
 * have some. */
void tool_hints_find(const kg_module *module, const kg_grad_map *map, tool_planner *plan, void *user, tool_hints *out);
void tool_hints_write(FILE *out, const kg_module *module, const kg_grad_map *map, const tool_hints *hints);
void tool_hints_json(tool_json *json, const tool_hints *hints);
#endif
