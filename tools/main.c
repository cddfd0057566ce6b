#include "config.h"

#include <stdio.h>

int main(void) {
  puts("kgrad " PACKAGE_VERSION);
  return 0;
}
