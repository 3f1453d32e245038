/* SPDX-License-Identifier: Zlib
 *
 * input_evdev: Linux's input devices (/dev/input/event*) as es_input_events. One header, to copy;
 * needs linux/input.h and evenstep/evenstep.h.
 *
 *     es_input_config config = es_input_evdev_config(es_input_evdev_use_monotonic(fd));
 *     es_input *input = es_input_create(&config);
 *     ...
 *     read(fd, &from, sizeof from);
 *     if (es_input_from_evdev(input, &from, device, now_ns, &event)) {
 *         es_input_push(input, &event);
 *     }
 *
 * What evdev can tell: when the kernel's driver reported the event, in microseconds. By default on
 * CLOCK_REALTIME, which people and time servers set; EVIOCSCLOCKID makes it CLOCK_MONOTONIC, the
 * clock of es_clock_system on Linux: then stamps are the loop's own. (libinput's
 * are that, too; its gestures may come with stamps that go back. The ring sorts devices, and keeps
 * each one's order.)
 *
 * SYN_DROPPED, the kernel's word that its buffer was full, is an ES_INPUT_RESET of the device. Skip
 * what follows, up to and with the next SYN_REPORT: it is the rest of a report. Then ask the device
 * what is held (EVIOCGKEY), and push that.
 */
#ifndef EVENSTEP_ADAPTERS_INPUT_EVDEV_H
#define EVENSTEP_ADAPTERS_INPUT_EVDEV_H

#include "evenstep/evenstep.h"
#include "evenstep/input.h"

#include <string.h>

#include <linux/input.h>
#include <sys/ioctl.h>

/* Codes of buttons are the kernel's, KEY_* and BTN_*, below 768. Codes of axes: REL_*, and ABS_*
 * from this on. */
enum { ES_INPUT_EVDEV_BUTTONS = KEY_CNT, ES_INPUT_EVDEV_ABS = REL_CNT, ES_INPUT_EVDEV_AXES = 80 };

/* Requests stamps of CLOCK_MONOTONIC, until the descriptor is closed. False: the kernel refuses
 * (before 3.4, or it is no such device); stamps stay CLOCK_REALTIME. */
static inline bool es_input_evdev_use_monotonic(int fd)
{
    int clock = 1; /* the kernel's CLOCK_MONOTONIC, whose name strict C hides in <time.h> */
    return ioctl(fd, EVIOCSCLOCKID, &clock) == 0;
}

/* For es_input_create. monotonic: as es_input_evdev_use_monotonic returned, and the loop's clock is
 * es_clock_system's. */
static inline es_input_config es_input_evdev_config(bool monotonic)
{
    es_input_config config;
    memset(&config, 0, sizeof config);
    config.buttons = ES_INPUT_EVDEV_BUTTONS;
    config.axes = ES_INPUT_EVDEV_AXES;
    config.stamps.unit_ns = ES_NS_PER_US;
    config.stamps.other = !monotonic;
    return config;
}

static inline uint64_t es_input_evdev_stamp(const struct input_event *from)
{
    return ES_CAST_(uint64_t, from->input_event_sec) * 1000000U
           + ES_CAST_(uint64_t, from->input_event_usec);
}

/* One of evdev's events. device: the program's number for it. now_ns: the loop's clock now. False:
 * it is none that es_input knows, a report's end, or a repeat; event is not filled. */
static inline bool es_input_from_evdev(es_input *input, const struct input_event *from,
        uint16_t device, int64_t now_ns, es_input_event *event)
{
    es_input_event made;
    memset(&made, 0, sizeof made);
    made.device = device;
    made.code = from->code;
    made.value = from->value;
    if (from->type == EV_KEY && from->value <= 1 && from->code < ES_INPUT_EVDEV_BUTTONS) {
        made.kind = from->value == 1 ? ES_INPUT_PRESS : ES_INPUT_RELEASE;
    } else if (from->type == EV_REL && from->code < REL_CNT) {
        made.kind = ES_INPUT_MOVE;
    } else if (from->type == EV_ABS && from->code < ABS_CNT) {
        made.kind = ES_INPUT_PLACE;
        made.code = ES_CAST_(uint16_t, ES_INPUT_EVDEV_ABS + from->code);
    } else if (from->type == EV_SYN && from->code == SYN_DROPPED) {
        made.kind = ES_INPUT_RESET;
    } else {
        return false;
    }
    made.stamp_ns = es_input_stamp(input, es_input_evdev_stamp(from), now_ns);
    *event = made;
    return true;
}

#endif
