/* A function that serves requests in a process of its own, which may fall, or not come back: that costs a request, and no more. */
#ifndef KGI_FUZZ_CHILD_H
#define KGI_FUZZ_CHILD_H
#include "fuzz/ask/message.h"

#include <sys/types.h>

/* Serves one request. What it puts into `reply` goes back. */
typedef void kgi_serve(void *user, const uint8_t *request, size_t size, kgi_message *reply);

typedef enum kgi_child_outcome {
  KGI_DONE, /* there is a reply */
  KGI_FELL, /* by a signal, or it left: `status` is waitpid's */
  KGI_LATE, /* it was ended */
  KGI_NONE, /* it could not be started, or not yet: nothing is known */
} kgi_child_outcome;

typedef struct kgi_child {
  kgi_serve *serve;
  void *user;
  const char *said; /* the file that its standard error goes to; NULL: it stays as it is */
  bool leads;       /* what it starts itself ends with it */
  pid_t pid;        /* 0: it does not run; a call starts it */
  int fd;
  int status;
  kgi_message reply;  /* the last one */
} kgi_child;

/* `c` says what it serves, and for whom. Asks and waits so many seconds. After KGI_FELL and KGI_LATE the next call starts another
 * process. */
kgi_child_outcome kgi_child_call(kgi_child *c, const uint8_t *request, size_t size, double seconds);
/* The same in two steps, for who has several. Whether it was sent; whether a reply is there: KGI_NONE, not yet. */
bool kgi_child_send(kgi_child *c, const uint8_t *request, size_t size);
kgi_child_outcome kgi_child_receive(kgi_child *c);
/* Ends its process. */
void kgi_child_stop(kgi_child *c);
void kgi_child_free(kgi_child *c);

/* How one that fell or was late ended, in words; and the last thing that it said: what a sanitizer sums up, or its last line. */
void kgi_child_ended(const kgi_child *c, kgi_child_outcome outcome, char *text, size_t size);
void kgi_child_words(const kgi_child *c, char *text, size_t size);

double kgi_now(void); /* seconds of a clock that only goes forward */
#endif
