/* The main of a fuzz target where there is no fuzzer: runs it over each file that is named. With -DKG_LIBFUZZER there is none. */
#ifndef FUZZ_REPLAY_H
#define FUZZ_REPLAY_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that does not hold: the fuzzer sees a crash, the replay a failed test. */
#define FUZZ_REQUIRE(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      abort(); \
    } \
  } while (0)

#ifndef KG_LIBFUZZER
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    FILE *f = fopen(argv[i], "rb");
    long size = -1;
    if (f && !fseek(f, 0, SEEK_END)) size = ftell(f);
    uint8_t *data = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (!data || fseek(f, 0, SEEK_SET) || fread(data, 1, (size_t)size, f) != (size_t)size) {
      fprintf(stderr, "cannot read %s\n", argv[i]);
      return 1;
    }
    fclose(f);
    fprintf(stderr, "%s\n", argv[i]);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
  }
  return 0;
}
#endif
#endif
