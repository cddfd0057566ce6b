/* Views of one binding share a block of bytes: what the reference keeps for it, and how views lie in it. */
#ifndef KGI_REFERENCE_VIEWS_H
#define KGI_REFERENCE_VIEWS_H
#include "foundation/ir/views.h"
#include "reference/bound.h"
#include "reference/watch.h"

/* Of each block. What is kept beside the bytes (tangents, intervals) lies per type, an entry for every element that has room from
 * the block's first byte on: a view reaches its part by an offset and a step, as it does its bytes. */
typedef struct kgi_view_block {
  uint32_t first; /* view of the module */
  size_t bytes;
  uint32_t grain; /* bytes that are watched as one: offsets, strides and sizes of all views are multiples */
  unsigned char *base;
  kgi_watch *watch; /* NULL: not watched */
  kgi_memory beside[KGI_TYPE_COUNT]; /* base NULL: no view is of that type */
} kgi_view_block;

typedef struct kgi_views {
  const kg_reference_params *params;
  const kgi_layout *layout;
  kgi_arena *arena;
  kgi_diags *diags;
  kgi_watcher *watcher;
  kg_reference_report *report;
  kgi_memory *buffers; /* of the module's scope */
  bool bits;           /* integers carry tangents as marks */
  kgi_blocks blocks;
  kgi_view_block *block; /* by the first view's index */
} kgi_views;

/* Makes the blocks, fills them with what the host gives, in order of declaration, and sets the buffers that are views. KG_REFUSED:
 * tangents or bounds are asked for, and views of different types overlap in memory that is stored to, or that directions move. */
kg_status kgi_views_enter(kgi_views *views);
/* Gives the host the contents of views that may have been written, and their tangents. */
void kgi_views_leave(const kgi_views *views);
#endif
