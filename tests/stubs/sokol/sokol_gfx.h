/* SPDX-License-Identifier: Zlib
 *
 * As much of sokol_gfx.h as examples/18_sokol_window.c uses.
 */
#ifndef SOKOL_GFX_INCLUDED
#define SOKOL_GFX_INCLUDED

typedef enum sg_load_action { SG_LOADACTION_CLEAR = 1 } sg_load_action;

typedef struct sg_environment {
    int sample_count;
} sg_environment;

typedef struct sg_swapchain {
    int width;
} sg_swapchain;

typedef struct sg_desc {
    sg_environment environment;
} sg_desc;

typedef struct sg_pass {
    struct {
        struct {
            sg_load_action load_action;
        } colors[8];
    } action;
    sg_swapchain swapchain;
} sg_pass;

#ifdef __cplusplus
extern "C" {
#endif

void sg_setup(const sg_desc *desc);
void sg_shutdown(void);
void sg_begin_pass(const sg_pass *pass);
void sg_end_pass(void);
void sg_commit(void);

#ifdef __cplusplus
}
#endif

#endif
