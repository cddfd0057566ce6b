/* What was decided about a gradient, for people and as JSON. */
#ifndef TOOLS_EXPLAIN_H
#define TOOLS_EXPLAIN_H
#include "tools/json.h"

#include <kgrad/autodiff.h>

#include <stdio.h>

void tool_explain(FILE *out, const kg_grad_map *map);
/* As members of the object that is open: "runs", each with its values, shares and tapes. */
const char *tool_how_in_words(const char *how); /* of kg_grad_share: "added to by one invocation" */
void tool_explain_json(tool_json *json, const kg_grad_map *map);
#endif
