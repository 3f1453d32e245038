/* SPDX-License-Identifier: Zlib
 *
 * As much of sokol_glue.h as examples/18_sokol_window.c uses.
 */
#ifndef SOKOL_GLUE_INCLUDED
#define SOKOL_GLUE_INCLUDED

#ifdef __cplusplus
extern "C" {
#endif

sg_environment sglue_environment(void);
sg_swapchain sglue_swapchain(void);

#ifdef __cplusplus
}
#endif

#endif
