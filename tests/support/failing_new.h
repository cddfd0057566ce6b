/* C++'s memory, which fails on demand: for suites whose program holds a library in C++. */
#ifndef TESTS_FAILING_NEW_H
#define TESTS_FAILING_NEW_H

#ifdef __cplusplus
extern "C" {
#endif

/* So many requests are granted and the next one throws std::bad_alloc; a negative number: all are granted. */
extern long kgt_new_grants;

#ifdef __cplusplus
}
#endif

#endif
