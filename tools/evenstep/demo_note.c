/* SPDX-License-Identifier: Zlib
 *
 * A note's bytes, lowest first: u32 kind, u32 0, i64 frame, i64 value; of a picture that was told:
 * i64 frame, i64 shown_ns, i64 reported_ns, i64 refresh_ns, u64 sequence, u8 grade, u8 discarded, u8
 * varies, five 0s.
 */
#include "demo_recorder.h"

static void put(unsigned char *at, uint64_t value)
{
    for (int i = 0; i < 8; ++i) {
        at[i] = (unsigned char)(value >> 8 * i);
    }
}

static uint64_t get(const unsigned char *at)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i) {
        value |= (uint64_t)at[i] << 8 * i;
    }
    return value;
}

void demo_note_write(const demo_note *note, unsigned char *bytes)
{
    const es_present_sample *sample = &note->sample;
    put(bytes, (uint64_t)note->kind);
    put(bytes + 8, (uint64_t)note->frame);
    put(bytes + 16, (uint64_t)note->value);
    put(bytes + 24, (uint64_t)sample->frame);
    put(bytes + 32, (uint64_t)sample->shown_ns);
    put(bytes + 40, (uint64_t)sample->reported_ns);
    put(bytes + 48, (uint64_t)sample->refresh_ns);
    put(bytes + 56, sample->sequence);
    put(bytes + 64, (uint64_t)sample->grade | (uint64_t)sample->discarded << 8
                            | (uint64_t)sample->varies << 16);
}

bool demo_note_read(demo_note *note, const unsigned char *bytes, size_t size)
{
    if (size != DEMO_NOTE_SIZE) {
        return false;
    }
    es_present_sample *sample = &note->sample;
    uint64_t kind = get(bytes), flags = get(bytes + 64);
    note->kind = (demo_note_kind)kind;
    note->frame = (int64_t)get(bytes + 8);
    note->value = (int64_t)get(bytes + 16);
    sample->frame = (int64_t)get(bytes + 24);
    sample->shown_ns = (int64_t)get(bytes + 32);
    sample->reported_ns = (int64_t)get(bytes + 40);
    sample->refresh_ns = (int64_t)get(bytes + 48);
    sample->sequence = get(bytes + 56);
    sample->grade = (es_present_grade)(flags & 0xFF);
    sample->discarded = (flags >> 8 & 0xFF) != 0;
    sample->varies = (flags >> 16 & 0xFF) != 0;
    return kind >= DEMO_NOTE_KEY && kind <= DEMO_NOTE_THREADS
           && (flags & 0xFF) <= ES_PRESENT_HARDWARE;
}
