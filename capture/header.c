/* SPDX-License-Identifier: Zlib
 *
 * The header: the format and the meaning of columns.
 */
#include "capture/reader.h"

#include <string.h>

void lab_header_set(lab_capture *c, size_t column, lab_quantity q, int exponent, lab_slice name)
{
    if (is_listed(c, q)) {
        return; /* the first of two counts */
    }
    c->columns |= UINT64_C(1) << q;
    c->meaning[column] = (unsigned char)q;
    c->exponent[q] = exponent;
    lab_copy(c->column[q], sizeof c->column[q], name);
    bool needed = q == LAB_Q_PROCESS || q == LAB_Q_FRAME || q == LAB_Q_FRAME_NEXT
                  || q == LAB_Q_CPU_AT || (q == LAB_Q_PRESENT_AT && c->family >= LAB_FAMILY_FRAPS);
    if (needed && column + 1 > c->fields_needed) {
        c->fields_needed = column + 1;
    }
}

/* A column that the user names takes the place of the format's frame times. */
static bool use_wanted(lab_capture *c, const lab_slice *names, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (names[i].size != strlen(c->wanted_column)
                || memcmp(names[i].text, c->wanted_column, names[i].size) != 0) {
            continue;
        }
        const lab_column *known = lab_column_of(names[i], c->family);
        bool is_stamp = c->family == LAB_FAMILY_FRAPS && known != NULL;
        if (known == NULL
                || (known->quantity != LAB_Q_FRAME && known->quantity != LAB_Q_FRAME_NEXT
                        && !is_stamp)) {
            c->family = LAB_FAMILY_OTHER;
            c->info.format = "CSV";
            lab_header_set(c, i, LAB_Q_FRAME, 0, names[i]);
        }
        return true;
    }
    return false;
}

/* Whether a line is the header; then its columns have a meaning. */
static bool take_header(lab_capture *c, const lab_slice *names, size_t count)
{
    const lab_format *format = lab_format_of(names, count);
    c->info.format = format != NULL ? format->title : "CSV";
    c->family = format != NULL ? format->family : LAB_FAMILY_OTHER;
    if (c->wanted_column[0] != '\0' ? !use_wanted(c, names, count) : format == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        const lab_column *known = lab_column_of(names[i], c->family);
        if (known != NULL && c->meaning[i] == LAB_Q_NONE) {
            lab_header_set(c, i, known->quantity, known->exponent, names[i]);
        }
    }
    c->header_fields = c->usual = count;
    return true;
}

static es_result split_header(
        lab_capture *c, lab_slice line, size_t number, bool *found, lab_capture_error *error)
{
    static const lab_slice none = {"", 0};
    lab_slice names[COLUMNS_MAX];
    size_t count = 0;
    bool more = true;
    *found = false;
    while (more) {
        if (count == COLUMNS_MAX) {
            return lab_capture_refuse(c, error, number, "more than %d columns", COLUMNS_MAX);
        }
        names[count] = none;
        bool open = line.size > 1 && line.text[0] == '"'
                    && memchr(line.text + 1, '"', line.size - 1) == NULL;
        if (open || !lab_field(&line, &names[count], &more)) {
            return lab_capture_refuse(c, error, number,
                    open ? "a quote is not closed" : "text after a closing quote");
        }
        count += 1;
    }
    *found = take_header(c, names, count);
    return ES_OK;
}

/* The first line that says something decides whether a file is plain numbers. */
static bool take_plain(lab_capture *c, lab_slice line)
{
    lab_decimal number;
    c->is_plain = lab_decimal_of(line, &number) && c->wanted_column[0] == '\0';
    if (c->is_plain) {
        c->info.format = "plain numbers";
        c->family = LAB_FAMILY_OTHER;
        lab_header_set(c, 0, LAB_Q_FRAME, 0, (lab_slice){"frame time", 10});
    }
    return c->is_plain;
}

static bool take_hud(lab_capture *c, lab_slice line)
{
    lab_slice rest;
    if (c->wanted_column[0] != '\0' || !lab_after(line, LAB_HUD_MARK, &rest)) {
        return false;
    }
    c->info.format = "Metal HUD";
    c->family = LAB_FAMILY_METAL;
    lab_header_set(c, 0, LAB_Q_FRAME, 0, (lab_slice){"present interval", 16});
    lab_header_set(c, 1, LAB_Q_GPU_BUSY, 0, (lab_slice){"GPU time", 8});
    return true;
}

/* Each window of an app has rows of its own, below a line with its name. */
static void take_android(lab_capture *c)
{
    if (c->family == LAB_FAMILY_ANDROID) {
        c->columns |= UINT64_C(1) << LAB_Q_PROCESS;
        lab_copy(c->column[LAB_Q_PROCESS], sizeof c->column[0], (lab_slice){"Window", 6});
    }
}

/* The lines before the header. */
typedef struct preamble {
    size_t last, said, odd_line; /* lines; said: how many that are no comments */
    const char *odd;             /* what is wrong with the first that is none */
    lab_capture_error damaged;
    bool comments;
} preamble;

static es_result refuse_header(const lab_capture *c, const preamble *p, lab_capture_error *error)
{
    if (p->damaged.line > 0) {
        return lab_refuse_as(error, &p->damaged);
    }
    if (p->last == 0 || (p->said == 0 && !p->comments)) {
        return lab_capture_refuse(c, error, 0, "no frame times in it");
    }
    if (c->wanted_column[0] != '\0') {
        return lab_capture_refuse(
                c, error, p->last, "no header up to here has a column '%.40s'", c->wanted_column);
    }
    return p->odd != NULL ? lab_capture_refuse(c, error, p->odd_line, "%s", p->odd)
                          : lab_capture_refuse(c, error, p->last,
                                  "no number, and no header up to here has MsBetweenPresents or "
                                  "FrameTime (--column NAME takes another one)");
}

/* Reads up to the header, or to the first row of plain numbers. */
es_result lab_header_read(lab_capture *c, lab_capture_error *error)
{
    preamble p = {.last = 0};
    bool found = false;
    while (!found && c->in.line <= PREAMBLE_MAX) {
        lab_slice line;
        bool ended;
        size_t number = c->in.line;
        lab_found state = lab_input_record(&c->in, false, &line, &ended);
        if (state == LAB_FOUND_END) {
            break;
        }
        if (state != LAB_FOUND) {
            return lab_refuse_found(c, state, c->in.line, error);
        }
        line = lab_trimmed(line);
        p.comments = p.comments || lab_begins_with(line, "//");
        p.last = number;
        if (line.size == 0 || line.text[0] == '#' || lab_begins_with(line, "//")) {
            continue;
        }
        p.said += 1;
        if ((p.said == 1 && take_plain(c, line)) || take_hud(c, line)) {
            return lab_rows_rewind(c, error);
        }
        if (p.said == 1) {
            p.odd = lab_odd_of(line);
            p.odd_line = number;
        }
        lab_capture_error problem = {"", 0};
        if (split_header(c, line, number, &found, &problem) != ES_OK && p.damaged.line == 0) {
            p.damaged = problem;
        }
        c->info.header_line = found ? number : 0;
    }
    if (!found) {
        return refuse_header(c, &p, error);
    }
    take_android(c);
    bool capframex = p.comments && c->family == LAB_FAMILY_PRESENT_MON;
    c->info.format = capframex ? "CapFrameX" : c->info.format;
    return c->family == LAB_FAMILY_ANDROID ? lab_rows_rewind(c, error) : ES_OK;
}
