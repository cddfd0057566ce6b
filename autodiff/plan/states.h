/* Copies of vars, for what is run again or overwritten: what strips.c, checkpoints.c and copies.c share. */
#ifndef KGI_AD_STATES_H
#define KGI_AD_STATES_H
#include "autodiff/plan/facts.h"

/* By the constants' defaults, which say what is worth it, and not what is right. */
int64_t kgi_ad_usual_length(const kgi_program *p, uint32_t object);
/* At the cursor, element by element; the store. */
uint32_t kgi_ad_copy_state(kgi_builder *b, kgi_obj to, kgi_obj from);
/* In the block, what touches the one touches the other. */
void kgi_ad_redirect(kgi_program *p, kgi_blk block, uint32_t from, uint32_t to);
/* What nothing was stored to as yet is copied with the rest, and only what holds something may be: it is zero where it is declared. */
void kgi_ad_give_contents(kgi_builder *b, const kgi_ad_facts *f, uint32_t object);
#endif
