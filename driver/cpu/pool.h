/* Threads that share the workgroups of one dispatch after the other. */
#ifndef KGI_DRIVER_CPU_POOL_H
#define KGI_DRIVER_CPU_POOL_H
#include "foundation/base/arena.h"

/* A kernel keeps rows of lanes on the stack; unused pages cost nothing. */
#define KGI_POOL_STACK (UINT64_C(64) << 20)

typedef struct kgi_pool kgi_pool;

/* So many threads in all, the one that calls included. They are started when there is work for them. NULL: no memory. */
kgi_pool *kgi_pool_new(const kg_allocator *alloc, uint32_t threads);
void kgi_pool_free(kgi_pool *pool);

/* Calls job(user) on a stack that has `stack` bytes left, or KGI_POOL_STACK where that is less: here, or on a thread of the pool's.
 * False: there is no such thread to be had. */
bool kgi_pool_call(kgi_pool *pool, uint64_t stack, void (*job)(void *user), void *user);

/* Only inside of a job: calls work(user, first, end) for parts that make up [0, count), on whichever threads it pays to wake, and
 * returns when all are done. `cost`: nanoseconds that one of them takes, as seen before; 0: nothing was seen yet. */
typedef void kgi_pool_work(void *user, uint32_t first, uint32_t end);
void kgi_pool_share(kgi_pool *pool, kgi_pool_work *work, void *user, uint32_t count, double *cost);
#endif
