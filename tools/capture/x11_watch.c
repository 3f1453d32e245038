/* SPDX-License-Identifier: Zlib
 *
 * Source of the events: presentproto.txt of xorgproto, "PresentSelectInput": of any window, by any client.
 */
#include "x11_watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xcb/present.h>
#include <xcb/xcb.h>

enum { NAME_SIZE = 128, DEPTH_MAX = 8 };

struct x11_watch {
    xcb_connection_t *connection;
    xcb_window_t root;
    xcb_window_t window; /* the only one; 0: all new ones */
    uint8_t present;     /* the extension's major opcode */
    FILE *rows;
    char name[NAME_SIZE];
    uint64_t count;
    xcb_window_t *selected; /* a window that is selected twice reports twice */
    size_t selected_count;
};

static bool note_selected(x11_watch *w, xcb_window_t window)
{
    for (size_t i = 0; i < w->selected_count; ++i) {
        if (w->selected[i] == window) {
            return false;
        }
    }
    xcb_window_t *more = realloc(w->selected, (w->selected_count + 1) * sizeof *more);
    if (more == NULL) {
        return false;
    }
    w->selected = more;
    w->selected[w->selected_count++] = window;
    return true;
}

/* The completions of a window, and the windows that are made in it. */
static void select_window(x11_watch *w, xcb_window_t window)
{
    if (!note_selected(w, window)) {
        return;
    }
    const uint32_t mask = XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY | XCB_EVENT_MASK_STRUCTURE_NOTIFY;
    xcb_change_window_attributes(w->connection, window, XCB_CW_EVENT_MASK, &mask);
    xcb_present_select_input(w->connection, xcb_generate_id(w->connection), window,
            XCB_PRESENT_EVENT_MASK_COMPLETE_NOTIFY);
}

x11_watch *x11_watch_open(FILE *rows, const char *name, const char **why)
{
    x11_watch *w = calloc(1, sizeof *w);
    *why = "out of memory";
    if (w == NULL) {
        return NULL;
    }
    w->rows = rows;
    snprintf(w->name, sizeof w->name, "%s", name);
    w->name[strcspn(w->name, ",\"\r\n")] = '\0';
    w->connection = xcb_connect(NULL, NULL);
    *why = "no X server answers";
    if (xcb_connection_has_error(w->connection) == 0) {
        const xcb_query_extension_reply_t *there =
                xcb_get_extension_data(w->connection, &xcb_present_id);
        *why = "the X server has no Present extension";
        if (there != NULL && there->present) {
            w->present = there->major_opcode;
            w->root = xcb_setup_roots_iterator(xcb_get_setup(w->connection)).data->root;
            *why = NULL;
            fputs("Application,ProcessID,SwapChainAddress,shown_ns,msc\n", rows);
            return w;
        }
    }
    x11_watch_close(w);
    return NULL;
}

void x11_watch_close(x11_watch *w)
{
    if (w != NULL) {
        xcb_disconnect(w->connection);
        free(w->selected);
        free(w);
    }
}

int x11_watch_file(const x11_watch *w)
{
    return xcb_get_file_descriptor(w->connection);
}

uint64_t x11_watch_rows(const x11_watch *w)
{
    return w->count;
}

/* Returns when the server knows: the program may start then. */
static bool sync_server(x11_watch *w)
{
    xcb_get_input_focus_reply_t *reply =
            xcb_get_input_focus_reply(w->connection, xcb_get_input_focus(w->connection), NULL);
    bool done = reply != NULL;
    free(reply);
    return done;
}

bool x11_watch_new_windows(x11_watch *w)
{
    const uint32_t mask = XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY;
    xcb_change_window_attributes(w->connection, w->root, XCB_CW_EVENT_MASK, &mask);
    return sync_server(w);
}

/* The windows in a window: all are selected; or the one with the title is looked for, and returned. */
static xcb_window_t look_inside(x11_watch *w, xcb_window_t window, const char *title, int depth)
{
    xcb_query_tree_reply_t *tree =
            xcb_query_tree_reply(w->connection, xcb_query_tree(w->connection, window), NULL);
    xcb_window_t found = 0;
    for (int i = 0; tree != NULL && found == 0 && i < xcb_query_tree_children_length(tree); ++i) {
        xcb_window_t child = xcb_query_tree_children(tree)[i];
        if (title == NULL) {
            select_window(w, child);
        } else {
            xcb_get_property_reply_t *name = xcb_get_property_reply(w->connection,
                    xcb_get_property(w->connection, 0, child, XCB_ATOM_WM_NAME,
                            XCB_GET_PROPERTY_TYPE_ANY, 0, NAME_SIZE / 4),
                    NULL);
            char text[NAME_SIZE + 1] = "";
            if (name != NULL) {
                memcpy(text, xcb_get_property_value(name), (size_t)xcb_get_property_value_length(name));
            }
            free(name);
            found = strstr(text, title) != NULL ? child : 0;
        }
        if (found == 0 && depth < DEPTH_MAX) {
            found = look_inside(w, child, title, depth + 1);
        }
    }
    free(tree);
    return found;
}

bool x11_watch_window(x11_watch *w, const char *title)
{
    char *end;
    unsigned long number = strtoul(title, &end, 0);
    w->window = *end == '\0' && number <= UINT32_MAX ? (xcb_window_t)number
                                                     : look_inside(w, w->root, title, 0);
    xcb_get_geometry_reply_t *there = xcb_get_geometry_reply(
            w->connection, xcb_get_geometry(w->connection, w->window), NULL);
    free(there);
    if (there == NULL) {
        return false;
    }
    select_window(w, w->window);
    (void)look_inside(w, w->window, NULL, 0);
    return sync_server(w);
}

/* A row. A picture that was skipped, as a newer one came before the refresh, has no screen time. */
static void take_completion(x11_watch *w, const xcb_present_complete_notify_event_t *event)
{
    if (event->kind != XCB_PRESENT_COMPLETE_KIND_PIXMAP) {
        return;
    }
    fprintf(w->rows, "%s,0,0x%" PRIx32 ",", w->name, event->window);
    if (event->mode != XCB_PRESENT_COMPLETE_MODE_SKIP) {
        fprintf(w->rows, "%" PRIu64, event->ust * 1000U); /* from us */
    }
    fprintf(w->rows, ",%" PRIu64 "\n", event->msc);
    w->count += 1;
}

static bool take(x11_watch *w, const xcb_generic_event_t *event)
{
    const xcb_ge_generic_event_t *generic = (const xcb_ge_generic_event_t *)event;
    switch (event->response_type & 0x7f) {
    case XCB_GE_GENERIC:
        if (generic->extension == w->present
                && generic->event_type == XCB_PRESENT_COMPLETE_NOTIFY) {
            take_completion(w, (const xcb_present_complete_notify_event_t *)event);
        }
        return true;
    case XCB_CREATE_NOTIFY: {
        xcb_window_t made = ((const xcb_create_notify_event_t *)event)->window;
        select_window(w, made);
        (void)look_inside(w, made, NULL, 0); /* made before this client heard of their parent */
        return true;
    }
    case XCB_DESTROY_NOTIFY: {
        xcb_window_t gone = ((const xcb_destroy_notify_event_t *)event)->window;
        for (size_t i = 0; i < w->selected_count; ++i) { /* its number may come again */
            w->selected[i] = w->selected[i] == gone ? 0 : w->selected[i];
        }
        return w->window == 0 || gone != w->window;
    }
    default:
        return true;
    }
}

bool x11_watch_take(x11_watch *w)
{
    xcb_generic_event_t *event;
    bool there = true;
    while (there && (event = xcb_poll_for_event(w->connection)) != NULL) {
        there = take(w, event);
        free(event);
    }
    xcb_flush(w->connection);
    return there && xcb_connection_has_error(w->connection) == 0;
}
