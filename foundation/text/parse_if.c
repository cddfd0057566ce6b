/* `if` and its chain of else-ifs. A chain nests: each arm stands in the `else` of the one before. Where blocks would nest too deep
 * for that, the chain around them becomes a list instead, in which a var says whether an arm is still to come:
 *
 *   var pending = true
 *   if a { pending = false  A }
 *   if pending { if b { pending = false  B } }
 *   if pending { C }                              of    if a { A } else if b { B } else { C } */
#include "foundation/text/parse.h"

/* ---- nested ---- */

static void nested_arm(kgi_parser *p, kgi_pos pos, kgi_chain *chain) {
  kgi_need_room(p);
  kgi_val condition = kgi_parse_expression(p, KG_BOOL);
  p->b.pos = pos;
  kgi_if_begin(&p->b, condition);
  if (kgi_parser_failed(p)) return;
  kgi_parse_block(p);
  kgi_pos at = p->lx.token.pos;
  if (!kgi_parser_failed(p) && kgi_take_keyword(p, KGI_KW_else)) {
    chain->nests = true;
    p->b.pos = at;
    kgi_else(&p->b);
    at = p->lx.token.pos;
    if (!kgi_take_keyword(p, KGI_KW_if)) kgi_parse_block(p);
    else if (!kgi_parser_failed(p)) nested_arm(p, at, chain); /* as deep as blocks may nest */
  }
  kgi_end(&p->b);
}

/* ---- as a list ---- */

static void pending_begin(kgi_parser *p, kgi_obj pending) {
  kgi_val still = kgi_load(&p->b, pending, (kgi_val){0});
  kgi_if_begin(&p->b, still);
}

static void listed_arm(kgi_parser *p, kgi_pos pos, kgi_obj pending, bool first) {
  p->b.pos = pos;
  if (!first) pending_begin(p, pending);
  kgi_val condition = kgi_parse_expression(p, KG_BOOL);
  p->b.pos = pos;
  kgi_if_begin(&p->b, condition);
  if (kgi_parser_failed(p)) return;
  kgi_val no = kgi_bool(&p->b, false);
  kgi_store(&p->b, pending, (kgi_val){0}, no);
  kgi_parse_block(p);
  kgi_end(&p->b);
  if (!first) kgi_end(&p->b);
}

static void list(kgi_parser *p, kgi_pos pos) {
  p->b.pos = pos;
  kgi_obj pending = kgi_var(&p->b, "pending", KG_BOOL, (kgi_dim){0});
  kgi_val yes = kgi_bool(&p->b, true);
  kgi_store(&p->b, pending, (kgi_val){0}, yes);
  for (bool first = true;; first = false) {
    listed_arm(p, pos, pending, first);
    if (kgi_parser_failed(p) || !kgi_take_keyword(p, KGI_KW_else)) return;
    pos = p->lx.token.pos;
    if (kgi_take_keyword(p, KGI_KW_if)) continue;
    p->b.pos = pos;
    pending_begin(p, pending);
    kgi_parse_block(p);
    kgi_end(&p->b);
    return;
  }
}

/* ---- both ---- */

static void chain_of(kgi_parser *p, kgi_pos pos) {
  kgi_chain chain = {.at = p->lx.token.text, .outer = p->chain};
  p->chain = &chain;
  if (kgi_decided(p, chain.at)) list(p, pos);
  else nested_arm(p, pos, &chain);
  p->chain = chain.outer;
}

void kgi_parse_if(kgi_parser *p, kgi_pos pos) {
  kgi_attempt a = kgi_attempt_begin(p);
  do chain_of(p, pos);
  while (kgi_attempt_again(p, &a));
}

void kgi_need_room(kgi_parser *p) {
  const char *longest = NULL;
  if (kgi_parser_failed(p) || kgi_depth_of(p->b.p, p->b.at.block) < KGI_MAX_DEPTH) return;
  for (const kgi_chain *c = p->chain; c; c = c->outer)
    if (c->nests) longest = c->at; /* the outermost */
  if (longest) kgi_decide(p, (kgi_decision){.at = longest, .type = KG_BOOL});
}
