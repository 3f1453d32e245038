/* SPDX-License-Identifier: Zlib
 *
 * As much of Emscripten's html5.h as adapters/input_browser.h uses: for compiling where it is not.
 */
#ifndef TEST_STUB_EMSCRIPTEN_HTML5_H
#define TEST_STUB_EMSCRIPTEN_HTML5_H

#include <stdbool.h>

#define EMSCRIPTEN_EVENT_KEYDOWN   2
#define EMSCRIPTEN_EVENT_KEYUP     3
#define EMSCRIPTEN_EVENT_MOUSEDOWN 5
#define EMSCRIPTEN_EVENT_MOUSEUP   6
#define EMSCRIPTEN_EVENT_MOUSEMOVE 8

typedef struct EmscriptenKeyboardEvent {
    double timestamp;
    bool repeat;
    unsigned int keyCode;
} EmscriptenKeyboardEvent;

typedef struct EmscriptenMouseEvent {
    double timestamp;
    unsigned short button;
    int movementX;
    int movementY;
} EmscriptenMouseEvent;

#endif
