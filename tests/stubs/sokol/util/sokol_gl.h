/* SPDX-License-Identifier: Zlib
 *
 * As much of sokol_gl.h as examples/18_sokol_window.c uses.
 */
#ifndef SOKOL_GL_INCLUDED
#define SOKOL_GL_INCLUDED

typedef struct sgl_desc_t {
    int max_vertices;
} sgl_desc_t;

#ifdef __cplusplus
extern "C" {
#endif

void sgl_setup(const sgl_desc_t *desc);
void sgl_shutdown(void);
void sgl_begin_quads(void);
void sgl_end(void);
void sgl_c3f(float r, float g, float b);
void sgl_v2f(float x, float y);
void sgl_draw(void);

#ifdef __cplusplus
}
#endif

#endif
