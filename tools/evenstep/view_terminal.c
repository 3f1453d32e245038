/* SPDX-License-Identifier: Zlib
 *
 * The terminal: each character cell shows two pixels, as an upper half block in one colour on
 * another. Only cells that changed are written, in one write per frame. The overlay is real text in
 * the bottom rows, because cairo's would be unreadable at this size.
 *
 * The terminal is left as it was found on every way out: close, exit, a fatal signal, Ctrl-Z. The
 * signals that merely ask to stop are the demo's business (demo.c).
 */
#define _DEFAULT_SOURCE 1 /* SIGWINCH, TIOCGWINSZ */
#include "demo_view.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum {
    CELL_BYTES_MAX = 64,    /* a move, two colours and a character; also what frames it */
    COLOUR_MASK = 0xfcfcfc, /* finer shades cost bytes and are not seen */
    TEXT_PAPER = 0x0a0e18,
    TEXT_INK = 0xe9edf6,
    TEXT_DIM = 0x94a1be,
    TEXT_ACCENT = 0xf5b84b,
    KEY_PAPER = 0x28334e,
    BAR_INK = 0x7fd18b,
    PLUS_INK = 0x5fd3e8,
    MINUS_INK = 0x9d8df1,
    FIGURE_WIDTH = 40,
    KEY_WIDTH = 26,
    LABEL_WIDTH = 17,  /* of a figure: values stand below each other */
    POINTER_STEP = 24, /* world units per arrow key */
    MOUSE_MOVED = 32,
    MOUSE_WHEEL = 64
};

/* One character on the screen. */
typedef struct cell {
    char glyph[4]; /* UTF-8; "": not known */
    uint32_t ink, paper;
} cell;

typedef struct terminal {
    int columns, rows;
    int text_rows; /* of these, taken by text at the bottom */
    cell *wanted;  /* what this frame should look like, row by row */
    cell *shown;   /* what the terminal shows */
    char *out;     /* bytes of this frame */
    size_t out_count;
    cell pen; /* the colours that the terminal would write in */
    bool pen_known;
    unsigned char pending[64]; /* input whose escape sequence is not complete */
    size_t pending_count;
} terminal;

/* --- taking and giving back the terminal ------------------------------------------------------ */

#define ENTER "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?1003h\x1b[?1006h\x1b[0m\x1b[2J"
#define LEAVE "\x1b[?2026l\x1b[?1006l\x1b[?1003l\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"

/* What signal handlers need; there is one terminal per process. */
static struct termios modes_before;
static struct termios modes_raw;
static volatile sig_atomic_t taken;
static volatile sig_atomic_t size_changed;

static const int leave_signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTSTP};

/* Only what a signal handler may call. A terminal that is gone cannot be helped. */
static void write_all(const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
        } else if (written < 0 && errno == EAGAIN) {
            struct pollfd ready = {.fd = STDOUT_FILENO, .events = POLLOUT};
            poll(&ready, 1, 100);
        } else if (!(written < 0 && errno == EINTR)) {
            return;
        }
    }
}

static void take_terminal(void)
{
    tcsetattr(STDIN_FILENO, TCSANOW, &modes_raw);
    write_all(ENTER, sizeof ENTER - 1);
    size_changed = 1; /* and nothing on the screen is known any more */
    taken = 1;
}

void demo_terminal_restore(void)
{
    if (taken) {
        taken = 0;
        write_all(LEAVE, sizeof LEAVE - 1);
        /* FLUSH: mouse reports still on their way are not for the shell. */
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes_before);
    }
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {0};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void on_resize(int number)
{
    (void)number;
    size_changed = 1;
}

/* Something fatal, or Ctrl-Z, after which on_continue undoes this. */
static void on_leave(int number)
{
    int saved_errno = errno;
    demo_terminal_restore();
    handle(number, SIG_DFL);
    raise(number); /* delivered when this handler returns */
    errno = saved_errno;
}

static void on_continue(int number)
{
    int saved_errno = errno;
    (void)number;
    handle(SIGTSTP, on_leave);
    take_terminal(); /* also after SIGSTOP, which nobody can catch: modes may have changed */
    errno = saved_errno;
}

static void set_handlers(bool ours)
{
    for (size_t i = 0; i < sizeof leave_signals / sizeof leave_signals[0]; ++i) {
        handle(leave_signals[i], ours ? on_leave : SIG_DFL);
    }
    handle(SIGWINCH, ours ? on_resize : SIG_DFL);
    handle(SIGCONT, ours ? on_continue : SIG_DFL);
}

/* --- size ------------------------------------------------------------------------------------- */

static void free_cells(terminal *own)
{
    free(own->wanted);
    free(own->shown);
    free(own->out);
}

/* All cells are unknown afterwards, so that the next frame writes them all. false: no memory, and
 * nothing has changed. */
static bool fit_cells(terminal *own)
{
    struct winsize size = {0};
    terminal fitted = *own;
    bool told = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    fitted.columns = told ? size.ws_col : 80;
    fitted.rows = told ? size.ws_row : 24;
    size_t count = (size_t)fitted.columns * (size_t)fitted.rows;
    fitted.wanted = calloc(count, sizeof(cell));
    fitted.shown = calloc(count, sizeof(cell));
    fitted.out = malloc(CELL_BYTES_MAX * (count + 1));
    fitted.pen_known = false;
    if (fitted.wanted == NULL || fitted.shown == NULL || fitted.out == NULL) {
        free_cells(&fitted);
        return false;
    }
    free_cells(own);
    *own = fitted;
    return true;
}

/* The strip at the bottom of the world is where elsewhere the keys are; here they are text. */
static demo_fit terminal_fit(const demo_view *view)
{
    const terminal *own = view->user;
    return demo_fit_make(own->columns, 2 * (own->rows - own->text_rows), DEMO_STREET_END);
}

/* --- open and close --------------------------------------------------------------------------- */

static const char *terminal_open(demo_view *view)
{
    const char *kind = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        return "stdin and stdout are no terminal";
    }
    if (kind == NULL || strcmp(kind, "dumb") == 0) {
        return "TERM says that this terminal cannot draw";
    }
    view->user = calloc(1, sizeof(terminal));
    if (view->user == NULL || !fit_cells(view->user)) {
        return "out of memory";
    }
    if (tcgetattr(STDIN_FILENO, &modes_before) != 0) {
        return strerror(errno);
    }
    modes_raw = modes_before;
    /* Signals stay on for Ctrl-C. VMIN 0 makes read return at once; O_NONBLOCK would do so too, but
     * it belongs to the terminal, not to us, and would outlive a crash. */
    modes_raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    modes_raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
    modes_raw.c_cc[VMIN] = 0;
    modes_raw.c_cc[VTIME] = 0;
    atexit(demo_terminal_restore);
    set_handlers(true);
    take_terminal();
    view->shows = "returns when the terminal has taken the bytes";
    return NULL;
}

static void terminal_close(demo_view *view)
{
    terminal *own = view->user;
    if (own == NULL) {
        return;
    }
    if (taken) {
        demo_terminal_restore();
        set_handlers(false);
    }
    free_cells(own);
    free(own);
    view->user = NULL;
}

/* --- input ------------------------------------------------------------------------------------ */

/* A terminal says when nothing happened: it did when it is read. */
static int64_t now_of(const demo_input *input)
{
    return input->clock.now_ns(input->clock.user);
}

static void add_key(demo_input *input, char key)
{
    demo_input_key(input, key, now_of(input));
}

/* SGR mouse report: "<button;column;row", counted from 1; M pressed or moved, m released. Of the
 * button, 0 to 2 are the mouse's, 32 says that it moved, 64 is the wheel. */
static void take_mouse(const demo_view *view, const char *parameters, bool down, demo_input *input)
{
    int button, column, row;
    if (sscanf(parameters, "<%d;%d;%d", &button, &column, &row) == 3) {
        int64_t now_ns = now_of(input);
        demo_point at = demo_fit_world(terminal_fit(view), column - 0.5, 2.0 * row - 1.0);
        demo_input_move(input, at, now_ns);
        if (button >= 0 && (button & (MOUSE_MOVED | MOUSE_WHEEL)) == 0 && (button & 3) != 3) {
            demo_input_button(input, button & 3, down, now_ns);
        }
    }
}

static void take_arrow(char final, demo_input *input)
{
    demo_point at = input->pointer;
    at.x += final == 'C' ? POINTER_STEP : final == 'D' ? -POINTER_STEP : 0;
    at.y += final == 'B' ? POINTER_STEP : final == 'A' ? -POINTER_STEP : 0;
    demo_input_move(input, at, now_of(input));
}

/* One key or escape sequence from the front. Returns its bytes; 0: not complete yet. */
static size_t take_one(
        const demo_view *view, const unsigned char *bytes, size_t count, demo_input *input)
{
    char parameters[32] = {0};
    size_t used = 2;
    if (bytes[0] != 0x1b) {
        add_key(input, (char)bytes[0]);
        return 1;
    }
    if (count < 2 || (bytes[1] != '[' && bytes[1] != 'O')) {
        return count < 2 ? 0 : 2; /* Alt with a key: ignored */
    }
    while (used < count && bytes[used] < 0x40) {
        if (used - 2 < sizeof parameters - 1) {
            parameters[used - 2] = (char)bytes[used];
        }
        ++used;
    }
    if (used == count) {
        return 0;
    }
    if (bytes[used] == 'M' || bytes[used] == 'm') {
        take_mouse(view, parameters, bytes[used] == 'M', input);
    } else {
        take_arrow((char)bytes[used], input);
    }
    return used + 1;
}

static ssize_t read_more(terminal *own)
{
    ssize_t got = read(STDIN_FILENO, own->pending + own->pending_count,
            sizeof own->pending - own->pending_count);
    own->pending_count += got > 0 ? (size_t)got : 0;
    return got;
}

static void take_pending(demo_view *view, demo_input *input)
{
    terminal *own = view->user;
    size_t used = 0;
    size_t count = 1;
    while (count > 0 && used < own->pending_count) {
        count = take_one(view, own->pending + used, own->pending_count - used, input);
        used += count;
    }
    if (used == 0 && own->pending_count == sizeof own->pending) {
        used = own->pending_count; /* no sequence of ours is this long */
    }
    own->pending_count -= used;
    memmove(own->pending, own->pending + used, own->pending_count);
}

static void terminal_poll(demo_view *view, demo_input *input)
{
    terminal *own = view->user;
    bool anything = false;
    if (size_changed) {
        size_changed = 0;
        input->quit = !fit_cells(own);
    }
    while (read_more(own) > 0) {
        anything = true;
        take_pending(view, input);
    }
    if (!anything && own->pending_count > 0) {
        /* An escape that nothing has followed for a whole frame is the Esc key. */
        add_key(input, own->pending_count == 1 ? 'q' : '\0');
        own->pending_count = 0;
    }
}

/* --- text ------------------------------------------------------------------------------------- */

static void set_cell(terminal *own, int column, int row, const char *glyph, cell style)
{
    cell *at = &own->wanted[(size_t)row * (size_t)own->columns + (size_t)column];
    *at = style;
    memcpy(at->glyph, glyph, strlen(glyph) + 1);
}

static bool is_blank(const cell *what)
{
    return what->glyph[0] == ' ';
}

/* Writes ASCII from a column on, cut off at `end`. Returns the column after it. */
static int put_text(terminal *own, int column, int row, int end, const char *text, cell style)
{
    end = end < own->columns ? end : own->columns;
    for (; *text != '\0' && column < end && row < own->rows; ++text, ++column) {
        set_cell(own, column, row, (char[]){*text, '\0'}, style);
    }
    return column;
}

static void put_line(terminal *own, const demo_hud_line *line, int column, int row, int width)
{
    const cell key = {"", TEXT_INK, KEY_PAPER};
    const cell label = {"", TEXT_DIM, TEXT_PAPER};
    const cell value = {"", line->accent ? TEXT_ACCENT : TEXT_INK, TEXT_PAPER};
    int end = column + width;
    ++column;
    if (line->key != NULL) {
        column = put_text(own, column, row, end, " ", key);
        column = put_text(own, column, row, end, line->key, key);
        column = 1 + put_text(own, column, row, end, " ", key);
    }
    int after = 1 + put_text(own, column, row, end, line->label, label);
    bool beside = line->key != NULL || width < FIGURE_WIDTH; /* not in a column of values */
    put_text(own, beside ? after : column + LABEL_WIDTH, row, end, line->value, value);
}

/* Lines beside each other, as many as fit. Returns the row after them. */
static int put_lines(terminal *own, const demo_hud_line *lines, int count, int row, int width)
{
    int columns = own->columns > width ? own->columns / width : 1;
    int spread = own->columns / columns; /* what is left over goes between them */
    int at = 0;
    for (int i = 0; i < count; ++i) {
        if (lines[i].label != NULL) {
            put_line(own, &lines[i], spread * (at % columns), row + at / columns, spread);
            at += 1;
        }
    }
    return row + (at + columns - 1) / columns;
}

static const char bar_glyphs[][4] = {"▁", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/* The bar that is this share of a cell high. */
static const char *bar_of(double share)
{
    int level = (int)(8.0 * share + 0.5);
    return bar_glyphs[level < 0 ? 0 : level > 8 ? 8 : level];
}

/* The newest bars that fit, to the end of a row that begins with a label. */
static size_t first_bar(const terminal *own, const demo_hud_side *side, int column)
{
    size_t room = own->columns > column ? (size_t)(own->columns - column) : 0;
    return side->bar_count > room ? side->bar_count - room : 0;
}

static int put_label(terminal *own, int row, const char *name, const char *value, bool accent)
{
    const cell label = {"", TEXT_DIM, TEXT_PAPER};
    const cell ink = {"", accent ? TEXT_ACCENT : TEXT_INK, TEXT_PAPER};
    int column = 1 + put_text(own, 1, row, own->columns, name, label);
    return 1 + put_text(own, column, row, own->columns, value, ink);
}

/* Intervals as eighths of a block. */
static int put_intervals(terminal *own, const demo_hud *hud, int row)
{
    const demo_hud_side *side = &hud->sides[0];
    char scale[32];
    snprintf(scale, sizeof scale, "0 to %-4.0fms", hud->interval_scale_ms);
    int column = put_label(own, row, "intervals       ", scale, false);
    for (size_t i = first_bar(own, side, column); i < side->bar_count && row < own->rows; ++i) {
        double interval_ms = side->bars[i].interval_ms;
        double off_ms = interval_ms - side->bars[i].intended_ms;
        bool even = side->bars[i].intended_ms <= 0.0
                    || (off_ms < 0.1 * interval_ms && off_ms > -0.1 * interval_ms);
        const cell style = {"", even ? BAR_INK : TEXT_ACCENT, TEXT_PAPER};
        set_cell(own, column++, row, bar_of(interval_ms / hud->interval_scale_ms), style);
    }
    return row + 1;
}

/* Animation errors: one cell has no room for both directions, so their colours differ. */
static void put_errors(
        terminal *own, const demo_hud *hud, const demo_hud_side *side, int row, int column)
{
    for (size_t i = first_bar(own, side, column); i < side->bar_count && row < own->rows; ++i) {
        double share = side->bars[i].error_ms / hud->error_scale_ms;
        const cell style = {"", share < 0.0 ? MINUS_INK : PLUS_INK, TEXT_PAPER};
        set_cell(own, column++, row, bar_of(share < 0.0 ? -share : share), style);
    }
}

/* What the picture runs under, and its graphs; or that of both halves, a row each. */
static int put_sides(terminal *own, const demo_hud *hud, int row)
{
    char text[160];
    if (hud->side_count > 1) {
        for (int i = 0; i < hud->side_count; ++i) {
            const demo_hud_side *side = &hud->sides[i];
            snprintf(text, sizeof text, "%-26s error %-18s", side->name, side->error);
            int column = put_label(own, row, i == 0 ? "above" : "below", text, side->accent);
            put_errors(own, hud, side, row++, column);
        }
        return row;
    }
    const demo_hud_side *side = &hud->sides[0];
    snprintf(text, sizeof text, "%s: %s; %s", side->name, side->rule, side->shows);
    put_label(own, row, "loop            ", text, false);
    row = put_intervals(own, hud, row + 1);
    snprintf(text, sizeof text, "+-   %-4.0fms", hud->error_scale_ms);
    put_errors(own, hud, &hud->sides[0], row, put_label(own, row, "animation errors", text, false));
    return row + 1;
}

/* Writes the overlay from a row on; what lies below the screen is lost. Returns the row after. */
static int put_hud(terminal *own, const demo_hud *hud, int row)
{
    row = put_sides(own, hud, row);
    row = put_lines(own, hud->keys, DEMO_HUD_KEYS, row, KEY_WIDTH);
    return hud->side_count > 1 ? row
                               : put_lines(own, hud->figures, hud->figure_count, row, FIGURE_WIDTH);
}

/* At most half the screen. Its height is found by writing it where nothing can be seen. */
static void terminal_text(demo_view *view, const demo_hud *hud)
{
    terminal *own = view->user;
    int height = hud != NULL ? put_hud(own, hud, own->rows) - own->rows : 0;
    own->text_rows = height < own->rows / 2 ? height : own->rows / 2;
    for (int row = own->rows - own->text_rows; row < own->rows; ++row) {
        for (int column = 0; column < own->columns; ++column) {
            set_cell(own, column, row, " ", (cell){"", TEXT_INK, TEXT_PAPER});
        }
    }
    if (hud != NULL) {
        put_hud(own, hud, own->rows - own->text_rows);
    }
}

/* --- pictures --------------------------------------------------------------------------------- */

static void put_picture(terminal *own, cairo_surface_t *image)
{
    const unsigned char *data = cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image);
    int columns = cairo_image_surface_get_width(image);
    int rows = cairo_image_surface_get_height(image) / 2;
    columns = columns < own->columns ? columns : own->columns;
    rows = rows < own->rows - own->text_rows ? rows : own->rows - own->text_rows;
    for (int row = 0; row < rows; ++row) {
        const uint32_t *upper = (const void *)(data + 2 * row * stride);
        const uint32_t *lower = (const void *)(data + (2 * row + 1) * stride);
        for (int column = 0; column < columns; ++column) {
            uint32_t ink = upper[column] & COLOUR_MASK;
            uint32_t paper = lower[column] & COLOUR_MASK;
            set_cell(own, column, row, ink == paper ? " " : "▀", (cell){"", ink, paper});
        }
    }
}

/* There is room for every cell: CELL_BYTES_MAX. */
__attribute__((format(printf, 2, 3))) static void out(terminal *own, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(own->out + own->out_count, CELL_BYTES_MAX, format, arguments);
    va_end(arguments);
    own->out_count += count > 0 ? (size_t)count : 0;
}

static void out_colour(terminal *own, int which, uint32_t rgb)
{
    out(own, "\x1b[%d;2;%d;%d;%dm", which, (int)(rgb >> 16 & 255), (int)(rgb >> 8 & 255),
            (int)(rgb & 255));
}

static void out_cell(terminal *own, const cell *what)
{
    if (!own->pen_known || (own->pen.ink != what->ink && !is_blank(what))) {
        out_colour(own, 38, what->ink);
        own->pen.ink = what->ink;
    }
    if (!own->pen_known || own->pen.paper != what->paper) {
        out_colour(own, 48, what->paper);
        own->pen.paper = what->paper;
    }
    own->pen_known = true;
    out(own, "%s", what->glyph);
}

static bool same_look(const cell *a, const cell *b)
{
    return strcmp(a->glyph, b->glyph) == 0 && a->paper == b->paper
           && (is_blank(a) || a->ink == b->ink);
}

static void out_changes(terminal *own)
{
    for (int row = 0; row < own->rows; ++row) {
        int cursor = -1; /* where the terminal's is in this row; -1: elsewhere */
        for (int column = 0; column < own->columns; ++column) {
            size_t i = (size_t)row * (size_t)own->columns + (size_t)column;
            if (same_look(&own->wanted[i], &own->shown[i])) {
                continue;
            }
            if (cursor != column) {
                out(own, "\x1b[%d;%dH", row + 1, column + 1);
            }
            out_cell(own, &own->wanted[i]);
            own->shown[i] = own->wanted[i];
            cursor = column + 1;
        }
    }
}

static bool terminal_present(demo_view *view, cairo_surface_t *image, int64_t picture)
{
    (void)picture;
    terminal *own = view->user;
    put_picture(own, image);
    own->out_count = 0;
    out(own, "\x1b[?2026h"); /* terminals that know it show the frame in one piece */
    out_changes(own);
    out(own, "\x1b[?2026l");
    write_all(own->out, own->out_count);
    return true;
}

demo_view demo_view_terminal(void)
{
    return (demo_view){
            .name = "terminal",
            .open = terminal_open,
            .poll = terminal_poll,
            .fit = terminal_fit,
            .text = terminal_text,
            .present = terminal_present,
            .close = terminal_close,
    };
}
