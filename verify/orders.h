/* What an atomic finds goes by the order of invocations, and intervals say that it is anything. Where so many orders leave the same, order
 * decides nothing. */
#ifndef KGI_ORDERS_H
#define KGI_ORDERS_H
#include <kgrad/foundation.h>

#include <stdbool.h>

enum { KGI_ORDERS_TRIED = 16 };

/* Something is made of what an atomic found. */
bool kgi_may_go_by_order(const kg_module *module);
/* Whether both intervals may hold the same, as far as rounding tells; the first becomes wide enough for both. */
bool kgi_orders_agree(double *low, double *high, double one_low, double one_high);
#endif
