/* SPDX-License-Identifier: Zlib
 *
 * wayland_timing: the interfaces of commit-timing-v1 and fifo-v1, version 1, for libwayland. Private to
 * wayland_presentation.c and to the tests' compositor.
 *
 * Distributions have wayland-protocols without these two. Source: the published definitions, names,
 * order and signatures of the requests and the numbers of the errors;
 * https://wayland.app/protocols/commit-timing-v1 and https://wayland.app/protocols/fifo-v1. Neither has
 * an event.
 */
#ifndef EVENSTEP_ADAPTERS_WAYLAND_TIMING_H
#define EVENSTEP_ADAPTERS_WAYLAND_TIMING_H

#include <stddef.h>
#include <wayland-util.h>

#ifdef __cplusplus
extern "C" {
#endif
extern const struct wl_interface wl_surface_interface; /* of libwayland */
#ifdef __cplusplus
}
#endif

/* The requests' numbers: their places in the tables below. */
enum { ES_TIMING_MANAGER_DESTROY, ES_TIMING_MANAGER_GET }; /* of both managers */
enum { ES_TIMER_SET, ES_TIMER_DESTROY };
enum { ES_FIFO_SET, ES_FIFO_WAIT, ES_FIFO_DESTROY };

/* Errors, which end the connection. */
enum { ES_TIMING_MANAGER_EXISTS = 0 }; /* of both managers: the surface has such an object */
enum { ES_TIMER_INVALID = 0, ES_TIMER_TIMESTAMP_EXISTS = 1, ES_TIMER_SURFACE_DESTROYED = 2 };
enum { ES_FIFO_SURFACE_DESTROYED = 0 };

static const struct wl_interface *es_timing_no_types[] = {NULL, NULL, NULL};

/* set_timestamp: seconds, high and low half; nanoseconds. Of the clock of wp_presentation. */
static const struct wl_message es_timer_requests[] = {
        {"set_timestamp", "uuu", es_timing_no_types}, {"destroy", "", es_timing_no_types}};
static const struct wl_interface es_timer_interface = {
        "wp_commit_timer_v1", 1, 2, es_timer_requests, 0, NULL};

static const struct wl_interface *es_timer_get_types[] = {
        &es_timer_interface, &wl_surface_interface};
static const struct wl_message es_timer_manager_requests[] = {
        {"destroy", "", es_timing_no_types}, {"get_timer", "no", es_timer_get_types}};
static const struct wl_interface es_timer_manager_interface = {
        "wp_commit_timing_manager_v1", 1, 2, es_timer_manager_requests, 0, NULL};

static const struct wl_message es_fifo_requests[] = {{"set_barrier", "", es_timing_no_types},
        {"wait_barrier", "", es_timing_no_types}, {"destroy", "", es_timing_no_types}};
static const struct wl_interface es_fifo_interface = {
        "wp_fifo_v1", 1, 3, es_fifo_requests, 0, NULL};

static const struct wl_interface *es_fifo_get_types[] = {&es_fifo_interface, &wl_surface_interface};
static const struct wl_message es_fifo_manager_requests[] = {
        {"destroy", "", es_timing_no_types}, {"get_fifo", "no", es_fifo_get_types}};
static const struct wl_interface es_fifo_manager_interface = {
        "wp_fifo_manager_v1", 1, 2, es_fifo_manager_requests, 0, NULL};

#endif
