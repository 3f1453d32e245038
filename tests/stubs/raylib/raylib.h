/* SPDX-License-Identifier: Zlib
 *
 * As much of raylib as adapters/es_raylib.h and its example use: for compiling where it is not.
 * tests/test_raylib_calls.c has the functions that the adapter calls.
 */
#ifndef TEST_STUB_RAYLIB_H
#define TEST_STUB_RAYLIB_H

#include <stdbool.h>

typedef struct Vector2 {
    float x, y;
} Vector2;

typedef struct Color {
    unsigned char r, g, b, a;
} Color;

enum {
    FLAG_VSYNC_HINT = 0x40,
    FLAG_WINDOW_ALWAYS_RUN = 0x100,
    LOG_INFO = 3,
    LOG_ERROR = 5,
    KEY_SPACE = 32,
    MOUSE_BUTTON_LEFT = 0,
    MOUSE_BUTTON_BACK = 6
};

#ifdef __cplusplus
extern "C" {
#endif

/* the adapter's */
void SetTargetFPS(int fps);
void SetWindowState(unsigned int flags);
bool IsWindowState(unsigned int flag);
bool IsWindowHidden(void);
bool IsWindowMinimized(void);
int GetMonitorCount(void);
int GetCurrentMonitor(void);
int GetMonitorRefreshRate(int monitor);
void PollInputEvents(void);
bool IsKeyDown(int key);
bool IsKeyPressedRepeat(int key);
int GetKeyPressed(void);
bool IsMouseButtonDown(int button);
Vector2 GetMouseDelta(void);
Vector2 GetMouseWheelMoveV(void);
bool IsGamepadAvailable(int gamepad);
bool IsGamepadButtonDown(int gamepad, int button);
float GetGamepadAxisMovement(int gamepad, int axis);

/* the example's */
void SetConfigFlags(unsigned int flags);
void InitWindow(int width, int height, const char *title);
void CloseWindow(void);
bool IsWindowReady(void);
bool WindowShouldClose(void);
double GetTime(void);
void TraceLog(int level, const char *text, ...);
void BeginDrawing(void);
void EndDrawing(void);
void ClearBackground(Color color);
void DrawRectangleV(Vector2 position, Vector2 size, Color color);
void DrawText(const char *text, int x, int y, int size, Color color);

#ifdef __cplusplus
}
#endif

#endif
