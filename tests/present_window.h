/* SPDX-License-Identifier: Zlib
 *
 * A window with one image, for present_wayland.c and present_targets.c.
 */
#ifndef PRESENT_WINDOW_H
#define PRESENT_WINDOW_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>

#include "xdg-shell-client-protocol.h"

enum { WIDTH = 320, HEIGHT = 200, SIZE = WIDTH * HEIGHT * 4 };

static struct wl_display *display;
static struct wl_compositor *compositor;
static struct wl_shm *shm;
static struct xdg_wm_base *shell;
static struct wl_surface *surface;

static void take_global(void *data, struct wl_registry *registry, uint32_t name,
        const char *interface, uint32_t version)
{
    (void)data;
    (void)version;
    if (strcmp(interface, wl_compositor_interface.name) == 0) {
        compositor = wl_registry_bind(registry, name, &wl_compositor_interface, 1);
    } else if (strcmp(interface, wl_shm_interface.name) == 0) {
        shm = wl_registry_bind(registry, name, &wl_shm_interface, 1);
    } else if (strcmp(interface, xdg_wm_base_interface.name) == 0) {
        shell = wl_registry_bind(registry, name, &xdg_wm_base_interface, 1);
    }
}

static void take_global_remove(void *data, struct wl_registry *registry, uint32_t name)
{
    (void)data;
    (void)registry;
    (void)name;
}

static void take_configure(void *data, struct xdg_surface *configured, uint32_t serial)
{
    (void)data;
    xdg_surface_ack_configure(configured, serial);
}

static const struct wl_registry_listener registry_listener = {take_global, take_global_remove};
static const struct xdg_surface_listener surface_listener = {take_configure};

/* All frames have the same image: its memory is never written. */
static struct wl_buffer *make_buffer(void)
{
    int file = memfd_create("present_wayland", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, SIZE) != 0) {
        return NULL;
    }
    struct wl_shm_pool *pool = wl_shm_create_pool(shm, file, SIZE);
    struct wl_buffer *buffer =
            wl_shm_pool_create_buffer(pool, 0, WIDTH, HEIGHT, WIDTH * 4, WL_SHM_FORMAT_XRGB8888);
    wl_shm_pool_destroy(pool);
    close(file);
    return buffer;
}

/* Waits without a time-out. */
static struct wl_buffer *open_window(const char *name)
{
    display = wl_display_connect(name);
    if (display == NULL) {
        return NULL;
    }
    wl_registry_add_listener(wl_display_get_registry(display), &registry_listener, NULL);
    if (wl_display_roundtrip(display) < 0 || compositor == NULL || shm == NULL || shell == NULL) {
        return NULL;
    }
    surface = wl_compositor_create_surface(compositor);
    struct xdg_surface *window = xdg_wm_base_get_xdg_surface(shell, surface);
    xdg_surface_add_listener(window, &surface_listener, NULL);
    xdg_surface_get_toplevel(window);
    wl_surface_commit(surface);
    return wl_display_roundtrip(display) < 0 ? NULL : make_buffer();
}

#endif
