/* SPDX-License-Identifier: Zlib
 *
 * version: which Evenstep is this?
 *
 * The version is written here and nowhere else: CMake and the package files read these three lines.
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

/** The version of the library that is linked, which can differ from the header's.
 *
 * Returns: text such as "0.1.0".
 * Errors: none.
 * Ownership: static text; never free it.
 * Threads: any thread.
 */
ES_API const char *es_version(void);

#ifdef __cplusplus
}
#endif

#endif
