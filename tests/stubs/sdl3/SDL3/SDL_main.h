/* SPDX-License-Identifier: Zlib
 *
 * SDL 3's main callbacks: see SDL.h here.
 */
#ifndef TEST_STUB_SDL3_MAIN_H
#define TEST_STUB_SDL3_MAIN_H

#include <SDL3/SDL.h>

#ifdef __cplusplus
extern "C" {
#endif

SDL_AppResult SDL_AppInit(void **state, int argc, char **argv);
SDL_AppResult SDL_AppEvent(void *state, SDL_Event *event);
SDL_AppResult SDL_AppIterate(void *state);
void SDL_AppQuit(void *state, SDL_AppResult result);

#ifdef __cplusplus
}
#endif

#endif
