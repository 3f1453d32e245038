/* SPDX-License-Identifier: Zlib
 *
 * The functions of GLFW that es_glfw.h calls, for windows and monitors that a test makes. GLFW itself
 * has no driver without a display before 3.4.
 */
#ifndef FAKE_GLFW_H
#define FAKE_GLFW_H

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

struct GLFWwindow {
    GLFWkeyfun key;
    GLFWmousebuttonfun button;
    GLFWcursorposfun cursor;
    GLFWscrollfun scroll;
    GLFWwindowfocusfun focus;
    int x, y, width, height;
    int visible, iconified;
};

struct GLFWmonitor {
    GLFWvidmode mode;
    int x, y;
};

static struct GLFWmonitor fake_monitors[2];
static GLFWmonitor *fake_list[2] = {&fake_monitors[0], &fake_monitors[1]};
static int fake_monitor_count;
static void (*fake_poll)(void);

#define FAKE_SET(function, type, member)                                                           \
    type function(GLFWwindow *window, type callback)                                               \
    {                                                                                              \
        type before = window->member;                                                              \
        window->member = callback;                                                                 \
        return before;                                                                             \
    }
FAKE_SET(glfwSetKeyCallback, GLFWkeyfun, key)
FAKE_SET(glfwSetMouseButtonCallback, GLFWmousebuttonfun, button)
FAKE_SET(glfwSetCursorPosCallback, GLFWcursorposfun, cursor)
FAKE_SET(glfwSetScrollCallback, GLFWscrollfun, scroll)
FAKE_SET(glfwSetWindowFocusCallback, GLFWwindowfocusfun, focus)

void glfwPollEvents(void)
{
    fake_poll();
}

int glfwGetWindowAttrib(GLFWwindow *window, int attribute)
{
    return attribute == GLFW_VISIBLE ? window->visible : window->iconified;
}

GLFWmonitor *glfwGetWindowMonitor(GLFWwindow *window)
{
    (void)window;
    return NULL;
}

GLFWmonitor **glfwGetMonitors(int *count)
{
    *count = fake_monitor_count;
    return fake_monitor_count > 0 ? fake_list : NULL;
}

void glfwGetWindowPos(GLFWwindow *window, int *x, int *y)
{
    *x = window->x;
    *y = window->y;
}

void glfwGetWindowSize(GLFWwindow *window, int *width, int *height)
{
    *width = window->width;
    *height = window->height;
}

const GLFWvidmode *glfwGetVideoMode(GLFWmonitor *monitor)
{
    return &monitor->mode;
}

void glfwGetMonitorPos(GLFWmonitor *monitor, int *x, int *y)
{
    *x = monitor->x;
    *y = monitor->y;
}

const char *glfwGetVersionString(void)
{
    return "fake";
}

#if GLFW_VERSION_MAJOR * 100 + GLFW_VERSION_MINOR >= 304
int glfwGetPlatform(void)
{
    return GLFW_PLATFORM_NULL;
}
#endif

#endif
