/* SPDX-License-Identifier: Zlib
 *
 * The terminal: each character cell shows two pixels, as an upper half block in one colour on
 * another. Only cells that changed are written, in one write per frame. The panel is text in the
 * bottom rows: cairo's would be unreadable at this size.
 *
 * The terminal is restored at close and at exit. demo.c handles the signals that ask to stop.
 */
#define _DEFAULT_SOURCE 1 /* SIGWINCH, TIOCGWINSZ */
#include "view.h"

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
    LINE_WIDTH = 52,
    LABEL_WIDTH = 18 /* values stand below each other */
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
} terminal;

/* --- taking and giving back the terminal ------------------------------------------------------ */

#define ENTER "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[0m\x1b[2J"
#define LEAVE "\x1b[?2026l\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"

/* For signal handlers; there is one terminal per process. */
static struct termios modes_before;
static volatile sig_atomic_t taken;
static volatile sig_atomic_t size_changed;

/* Async-signal-safe. Stops silently where the terminal is gone. */
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

void demo_terminal_restore(void)
{
    if (taken) {
        taken = 0;
        write_all(LEAVE, sizeof LEAVE - 1);
        /* FLUSH: keys that were not read are not for the shell. */
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes_before);
    }
}

static void on_resize(int number)
{
    (void)number;
    size_changed = 1;
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
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    fitted.columns = known ? size.ws_col : 80;
    fitted.rows = known ? size.ws_row : 24;
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

/* Without the strip at the bottom of the world, where other views have the keys. */
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
    struct termios modes_raw = modes_before;
    /* Signals stay on for Ctrl-C. VMIN 0 makes read return at once; O_NONBLOCK would outlive a
     * crash, because it belongs to the terminal. */
    modes_raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    modes_raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
    modes_raw.c_cc[VMIN] = 0;
    modes_raw.c_cc[VTIME] = 0;
    modes_raw.c_cc[VSUSP] = modes_raw.c_cc[VQUIT] =
            _POSIX_VDISABLE; /* they would leave these modes */
    atexit(demo_terminal_restore);
    struct sigaction resize = {.sa_handler = on_resize, .sa_flags = SA_RESTART};
    sigaction(SIGWINCH, &resize, NULL);
    tcsetattr(STDIN_FILENO, TCSANOW, &modes_raw);
    write_all(ENTER, sizeof ENTER - 1);
    taken = 1;
    view->shows = "returns when the terminal has taken the bytes";
    return NULL;
}

static void terminal_close(demo_view *view)
{
    terminal *own = view->user;
    if (own == NULL) {
        return;
    }
    demo_terminal_restore();
    free_cells(own);
    free(own);
    view->user = NULL;
}

/* --- input ------------------------------------------------------------------------------------ */

/* A terminal has no time stamps: an event happens when it is read. */
static void take_bytes(const unsigned char *bytes, size_t count, demo_input *input)
{
    for (size_t i = 0; i < count; ++i) {
        if (bytes[i] != 0x1b) {
            demo_input_key(input, (char)bytes[i]);
        } else if (i + 1 == count) {
            demo_input_key(input, 'q'); /* the Esc key */
        } else {
            return; /* an escape sequence: no key of the demo */
        }
    }
}

static void terminal_poll(demo_view *view, demo_input *input)
{
    terminal *own = view->user;
    unsigned char bytes[64];
    ssize_t count;
    if (size_changed) {
        size_changed = 0;
        input->quit = !fit_cells(own);
    }
    while ((count = read(STDIN_FILENO, bytes, sizeof bytes)) > 0) {
        take_bytes(bytes, (size_t)count, input);
    }
}

/* --- text ------------------------------------------------------------------------------------- */

static void set_cell(terminal *own, int column, int row, const char *glyph, cell style)
{
    cell *at = &own->wanted[(size_t)row * (size_t)own->columns + (size_t)column];
    *at = style;
    memcpy(at->glyph, glyph, strlen(glyph) + 1);
}

/* Writes ASCII from a column on, cut off at `end`. */
static void put_text(terminal *own, int column, int row, int end, const char *text, cell style)
{
    end = end < own->columns ? end : own->columns;
    for (; *text != '\0' && column < end && row < own->rows; ++text, ++column) {
        set_cell(own, column, row, (char[]){*text, '\0'}, style);
    }
}

static void put_line(terminal *own, const demo_line *line, int column, int row, int end)
{
    const cell label = {"", TEXT_DIM, TEXT_PAPER};
    const cell value = {"", line->accent ? TEXT_ACCENT : TEXT_INK, TEXT_PAPER};
    put_text(own, column + 1, row, end, line->label, label);
    put_text(own, column + LABEL_WIDTH, row, end, line->value, value);
}

/* Writes the panel from a row on, as many lines beside each other as fit, or a split view's halves;
 * what lies below the screen is lost. Returns the row after. */
static int put_panel(terminal *own, const demo_panel *panel, int row)
{
    const cell key = {"", TEXT_INK, KEY_PAPER};
    int columns = own->columns > LINE_WIDTH ? own->columns / LINE_WIDTH : 1;
    int width = own->columns / columns;
    for (int i = 0; i < DEMO_HELP; ++i) {
        put_text(own, 1, row++, own->columns, panel->help[i], key);
    }
    for (int i = 0; panel->side_count > 1 && i < panel->side_count; ++i) {
        const demo_panel_side *side = &panel->sides[i];
        demo_line line = {.label = side->name, .accent = side->accent};
        snprintf(line.value, sizeof line.value, "animation error %.40s", side->error);
        put_line(own, &line, 0, row++, own->columns);
    }
    if (panel->side_count > 1) {
        return row;
    }
    for (int i = 0; i < panel->line_count; ++i) {
        int left = width * (i % columns);
        put_line(own, &panel->lines[i], left, row + i / columns, left + width);
    }
    return row + (panel->line_count + columns - 1) / columns;
}

/* At most half the screen. Its height is found by writing it below the screen. */
static void terminal_text(demo_view *view, const demo_panel *panel)
{
    terminal *own = view->user;
    int height = panel != NULL ? put_panel(own, panel, own->rows) - own->rows : 0;
    own->text_rows = height < own->rows / 2 ? height : own->rows / 2;
    for (int row = own->rows - own->text_rows; row < own->rows; ++row) {
        for (int column = 0; column < own->columns; ++column) {
            set_cell(own, column, row, " ", (cell){"", TEXT_INK, TEXT_PAPER});
        }
    }
    if (panel != NULL) {
        put_panel(own, panel, own->rows - own->text_rows);
    }
}

/* --- frames ----------------------------------------------------------------------------------- */

static void put_frame(terminal *own, cairo_surface_t *image)
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
    if (!own->pen_known || own->pen.ink != what->ink) {
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

static void out_changes(terminal *own)
{
    for (int row = 0; row < own->rows; ++row) {
        int cursor = -1; /* where the terminal's is in this row; -1: elsewhere */
        for (int column = 0; column < own->columns; ++column) {
            size_t i = (size_t)row * (size_t)own->columns + (size_t)column;
            if (memcmp(&own->wanted[i], &own->shown[i], sizeof(cell)) == 0) {
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

static bool terminal_present(demo_view *view, cairo_surface_t *image, int64_t frame)
{
    (void)frame;
    terminal *own = view->user;
    put_frame(own, image);
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
