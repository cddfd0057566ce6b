/* autodiff: kg_grad, from what the caller asks for, by way of the plan of every run, to a module of runs. */
#ifndef KGI_GRAD_H
#define KGI_GRAD_H
#include "autodiff/plan/schedule.h"

/* The result in `g->out`. */
kg_status kgi_ad_assemble(kgi_ad_module *g);
#endif
