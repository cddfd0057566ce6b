/* kgrad/version.h: which kgrad this is. While the first number is 0, functions change without notice; libtool's numbers in Makefile.am
 * say which programs a library can run. configure.ac states the version, and tests/public/test_version.c holds this to it. */
#ifndef KGRAD_VERSION_H
#define KGRAD_VERSION_H

#define KG_VERSION_MAJOR 0
#define KG_VERSION_MINOR 1
#define KG_VERSION_PATCH 0
#define KG_VERSION_STRING "0.1.0"
/* To compare: 0.1.0 is 100, 1.2.3 is 10203. kg_version has that of the library that runs. */
#define KG_VERSION_NUMBER (KG_VERSION_MAJOR * 10000 + KG_VERSION_MINOR * 100 + KG_VERSION_PATCH)

#endif
