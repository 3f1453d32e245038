/* SPDX-License-Identifier: Zlib
 *
 * The one function of rlgl.h that adapters/es_raylib.h uses.
 */
#ifndef TEST_STUB_RLGL_H
#define TEST_STUB_RLGL_H

#ifdef __cplusplus
extern "C"
#endif
        void
        rlDrawRenderBatchActive(void);

#endif
