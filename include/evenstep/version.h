/* SPDX-License-Identifier: Zlib
 *
 * version: the version is written here and nowhere else; CMake and the package files read it.
 */
#ifndef EVENSTEP_VERSION_H
#define EVENSTEP_VERSION_H

#include "evenstep/base.h"

#define ES_VERSION_MAJOR 0
#define ES_VERSION_MINOR 1
#define ES_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is linked, such as "0.1.0"; it can differ from the header's. */
ES_API const char *es_version(void);

#ifdef __cplusplus
}
#endif

#endif
