/*
 * All of kgrad. Each header below stands for one folder of the source and says
 * what that folder is for.
 */
#ifndef KGRAD_KGRAD_H
#define KGRAD_KGRAD_H

#include <kgrad/foundation.h>
#include <kgrad/ops.h>
#include <kgrad/builder.h>
#include <kgrad/reference.h>
#include <kgrad/autodiff.h>
#include <kgrad/spirv.h>
#include <kgrad/c.h>
#include <kgrad/primitives.h>
#include <kgrad/driver.h>
#include <kgrad/verify.h>

#endif
