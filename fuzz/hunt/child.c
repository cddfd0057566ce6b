#define _GNU_SOURCE
#include "fuzz/hunt/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { MOST_BYTES = 1 << 30 };

double kgi_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- what goes over a socket: a size, and so many bytes ---- */

static bool write_all(int fd, const void *bytes, size_t size) {
  const char *at = bytes;
  while (size) {
    ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n, size -= (size_t)n;
  }
  return true;
}

static bool read_all(int fd, void *bytes, size_t size) {
  char *at = bytes;
  while (size) {
    ssize_t n = recv(fd, at, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n, size -= (size_t)n;
  }
  return true;
}

static bool write_message(int fd, const uint8_t *bytes, size_t size) {
  uint64_t count = size;
  return write_all(fd, &count, sizeof count) && write_all(fd, bytes, size);
}

static bool read_message(int fd, kgi_message *to) {
  uint64_t count;
  if (!read_all(fd, &count, sizeof count) || count > MOST_BYTES) return false;
  if (count > to->cap) {
    uint8_t *grown = realloc(to->at, (size_t)count);
    if (!grown) return false;
    to->at = grown, to->cap = (size_t)count;
  }
  to->size = (size_t)count, to->failed = false;
  return read_all(fd, to->at, to->size);
}

/* ---- the process ---- */

/* It ends with who started it, leaves no core behind, and a signal of the terminal is not its own. */
static void settle(const kgi_child *c, pid_t parent, int fd) {
  struct rlimit none = {0, 0};
  signal(SIGINT, SIG_IGN), signal(SIGTERM, SIG_DFL);
  setrlimit(RLIMIT_CORE, &none);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (c->leads) setpgid(0, 0);
  if (getppid() != parent) _exit(0);
  for (int i = 3; i < 1024; i++)
    if (i != fd) close(i); /* a brother's socket, which its end must close */
  int said = c->said ? open(c->said, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600) : -1;
  if (said >= 0) dup2(said, STDERR_FILENO), close(said);
}

static void serve_all(const kgi_child *c, int fd) {
  kgi_message request = {0}, reply = {0};
  while (read_message(fd, &request)) {
    reply.size = 0, reply.failed = false;
    c->serve(c->user, request.at, request.size, &reply);
    if (reply.failed || !write_message(fd, reply.at, reply.size)) break;
  }
  _exit(0);
}

static bool start(kgi_child *c) {
  int pair[2];
  pid_t parent = getpid();
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) return false;
  fflush(NULL);
  c->pid = fork();
  if (c->pid == 0) {
    close(pair[0]);
    settle(c, parent, pair[1]);
    serve_all(c, pair[1]);
  }
  close(pair[1]);
  c->fd = pair[0];
  if (c->pid > 0) return true;
  close(pair[0]);
  c->pid = 0;
  return false;
}

void kgi_child_stop(kgi_child *c) {
  if (!c->pid) return;
  if (c->leads) kill(-c->pid, SIGKILL);
  kill(c->pid, SIGKILL);
  while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR) continue;
  close(c->fd);
  c->pid = 0;
}

void kgi_child_free(kgi_child *c) {
  kgi_child_stop(c);
  kgi_message_free(&c->reply);
}

/* It has closed its end: how it ended is known soon. One that only closed it is ended. */
static kgi_child_outcome bury(kgi_child *c) {
  for (double until = kgi_now() + 2; kgi_now() < until;) {
    pid_t got = waitpid(c->pid, &c->status, WNOHANG);
    if (got == c->pid || (got < 0 && errno == ECHILD)) {
      if (c->leads) kill(-c->pid, SIGKILL);
      close(c->fd);
      c->pid = 0;
      return KGI_FELL;
    }
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  }
  kgi_child_stop(c);
  return KGI_FELL;
}

bool kgi_child_send(kgi_child *c, const uint8_t *request, size_t size) {
  if (!c->pid && !start(c)) return false;
  if (write_message(c->fd, request, size)) return true;
  /* it fell between two requests */
  bury(c);
  return start(c) && write_message(c->fd, request, size);
}

kgi_child_outcome kgi_child_receive(kgi_child *c) {
  struct pollfd poller = {.fd = c->fd, .events = POLLIN};
  if (poll(&poller, 1, 0) <= 0) return KGI_NONE;
  return read_message(c->fd, &c->reply) ? KGI_DONE : bury(c);
}

kgi_child_outcome kgi_child_call(kgi_child *c, const uint8_t *request, size_t size, double seconds) {
  if (!kgi_child_send(c, request, size)) return KGI_NONE;
  for (double until = kgi_now() + seconds;;) {
    double left = until - kgi_now();
    struct pollfd poller = {.fd = c->fd, .events = POLLIN};
    if (left <= 0) break;
    int n = poll(&poller, 1, left < 1000 ? (int)(left * 1000) + 1 : 1000000);
    if (n > 0) return read_message(c->fd, &c->reply) ? KGI_DONE : bury(c);
  }
  kgi_child_stop(c);
  return KGI_LATE;
}

/* ---- what is known of one that ended ---- */

void kgi_child_ended(const kgi_child *c, kgi_child_outcome outcome, char *text, size_t size) {
  if (outcome == KGI_LATE) snprintf(text, size, "did not come back");
  else if (WIFSIGNALED(c->status)) snprintf(text, size, "was ended by signal %d (%s)", WTERMSIG(c->status), strsignal(WTERMSIG(c->status)));
  else snprintf(text, size, "left with exit status %d", WEXITSTATUS(c->status));
}

/* Addresses and numbers of processes differ from one fall to the next. */
static void drop_numbers(char *text) {
  char *to = text;
  for (const char *at = text; *at; at++) {
    if (at[0] == '0' && at[1] == 'x') at += 1 + strspn(at + 2, "0123456789abcdefABCDEF");
    else if (*at >= ' ') *to++ = *at;
  }
  *to = 0;
}

void kgi_child_words(const kgi_child *c, char *text, size_t size) {
  char line[1000];
  FILE *in = c->said ? fopen(c->said, "r") : NULL;
  bool summed = false;
  *text = 0;
  while (in && !summed && fgets(line, sizeof line, in)) {
    const char *sum = strstr(line, "SUMMARY: ");
    if (strspn(line, " \t\n") == strlen(line)) continue;
    summed = sum;
    snprintf(text, size, "%s", sum ? sum + 9 : line);
  }
  if (in) fclose(in);
  drop_numbers(text);
}
