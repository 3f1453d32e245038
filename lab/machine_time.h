/* SPDX-License-Identifier: Zlib
 *
 * machine_time: how time passes on a machine: clock, faults, preemption, the second thread.
 */
#ifndef LAB_MACHINE_TIME_H
#define LAB_MACHINE_TIME_H

#include "lab/machine.h"

/* The instant at a share of the measured part of the run. */
int64_t lab_machine_at(const lab_machine *machine, double share);

/* Schedules the first fault of the clock and the first preemption. */
void lab_time_start(lab_machine *machine);

/* The clock's reading at an instant that is not in the future of the last fault. */
int64_t lab_reading_at(const lab_machine *machine, int64_t true_ns);

/* The current thread's time: the second thread is ahead by the work of its step so far. */
int64_t lab_thread_ns(const lab_machine *machine);

/* The clock's reading then. */
int64_t lab_reading_now(const lab_machine *machine);

/* Lets time pass for both threads. */
void lab_advance(lab_machine *machine, int64_t span_ns);

/* The true time at which the clock reaches a reading, if nothing goes wrong; 0 stays 0. */
int64_t lab_true_at(const lab_machine *machine, int64_t clock_ns);

#endif
