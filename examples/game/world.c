/* CC0: copy freely. */
#include "world.h"

#include <string.h>

enum {
    HALF = 6 * PIXEL, /* of a body's width */
    HEIGHT = 14 * PIXEL,
    GRAVITY = 1100 * PIXEL, /* per second squared */
    FALL_MAX = 420 * PIXEL,
    JUMP_SPEED = 372 * PIXEL,
    BOUNCE_SPEED = 260 * PIXEL,
    CUT_SPEED = 110 * PIXEL, /* a jump whose key is up rises no faster */
    SLIME_SPEED = 36 * PIXEL,
    BAT_SPEED = 90 * PIXEL,
    FAR = 34 * TILE /* behind the player: enemies are removed there */
};

#define STATE(member)    ES_FIELD(world, member, ES_BLEND_STEP)
#define EACH(of, member) ES_FIELD_OF_EACH(world, of, member, ES_BLEND_STEP)
#define BODY(of)                                                                                   \
    STATE(of.at.x), STATE(of.at.y), STATE(of.at.vx), STATE(of.at.vy), STATE(of.at.grounded)
static const es_field fields[] = {STATE(rate), STATE(ticks), STATE(outcome), STATE(gems),
        STATE(gems_all), STATE(random), BODY(player), STATE(player.facing), STATE(player.hearts),
        STATE(player.ledge), STATE(player.wish), STATE(player.hurt), STATE(player.safe_x),
        STATE(player.safe_y), STATE(first), STATE(unused), EACH(enemies, at.x), EACH(enemies, at.y),
        EACH(enemies, at.vx), EACH(enemies, at.vy), EACH(enemies, at.grounded), EACH(enemies, kind),
        EACH(enemies, direction), EACH(enemies, home_x), EACH(enemies, home_y), EACH(enemies, flat),
        EACH(enemies, next), EACH(nests, x), EACH(nests, y), EACH(nests, wait), STATE(tiles)};
const es_layout world_layout = ES_LAYOUT(world, fields);

/* --- the level ---------------------------------------------------------------------------------- */

/* A row of text each: how high the ground is, in tiles, in base 36; how high a board is; and what is
 * there: g gem on the ground, a gem in the air, G gem on the board, s slime, b bat, n nest, F gate. */
static const struct {
    const char *ground, *boards, *things;
} level[] = {
        {"8888888888888888899999aaaaaaaa9999988888", "..........................dddd..........",
                "........g.g.g..s..a.a.a...GGGG...s...aaa"},
        {"880008888888888aaaaaa88888888888000aaaa8", ".............dd......................dd.",
                "..aaa...s.n....g.g.g..........aaa...G.G."},
        {"8888888888887777777777776666000066666688", "......bbb..eee.......99......99.........",
                "g.g...GGG..GGG..s.g.s......b.GG..g.n..gg"},
        {"aaaaccccccc0000aaaaaaaaaa888888666600044", ".............ee........dddd.............",
                ".s......g..aaaa..g.s.g..GG...s.b..aaaa.."},
        {"4446666888aaaccceeeee000eeeee00cccccaaaa", ".........................iii............",
                "...g..g..g..g..g.s...aaa.GGG.aa.n...s..g"},
        {"aaa00aaa000aaaaaa88888888aaaaaaaaaaaaaaa", "....................cccc................",
                "..aaa.g.aaa.g.s.g..bGGGG....g.g.g...F..."},
};

static int32_t digit(char c)
{
    return c >= 'a' ? c - 'a' + 10 : c >= '0' ? c - '0' : 0;
}

static void set_tile(world *w, int32_t column, int32_t height, uint8_t tile)
{
    w->tiles[(ROWS - height) * COLUMNS + column] = tile;
}

static enemy *add_enemy(world *w, int32_t kind, int32_t x, int32_t y)
{
    int32_t index = w->unused;
    if (index == NONE) {
        return NULL;
    }
    enemy *e = &w->enemies[index];
    const enemy fresh = {.at = {.x = x, .y = y},
            .kind = kind,
            .direction = -1,
            .home_x = x,
            .home_y = y,
            .next = w->first};
    w->unused = e->next;
    *e = fresh;
    e->at.vx = kind == BAT ? BAT_SPEED : 0;
    e->at.vy = kind == BAT ? BAT_SPEED / 2 : 0;
    w->first = index;
    return e;
}

static void load_thing(world *w, char thing, int32_t column, int32_t ground, int32_t board)
{
    int32_t x = column * TILE + TILE / 2, y = (ROWS - ground) * TILE;
    if (thing == 'g' || thing == 'a' || thing == 'G') {
        set_tile(w, column,
                (thing == 'G'        ? board
                        : ground > 0 ? ground
                                     : 9)
                        + (thing == 'a' ? 4 : 1),
                GEM);
        w->gems_all += 1;
    } else if (thing == 's') {
        add_enemy(w, SLIME, x, y);
    } else if (thing == 'b') {
        add_enemy(w, BAT, x, y - 5 * TILE);
    } else if (thing == 'F') {
        set_tile(w, column, ground + 1, GATE);
    } else if (thing == 'n') {
        int32_t i = 0;
        while (i < NESTS - 1 && w->nests[i].x != 0) {
            ++i;
        }
        const nest made = {x, y, w->rate};
        w->nests[i] = made;
        set_tile(w, column, ground + 1, NEST);
    }
}

void world_load(world *w, int32_t rate)
{
    memset(w, 0, sizeof *w);
    w->rate = rate;
    w->random = 1;
    w->first = NONE;
    for (int32_t i = 0; i < ENEMIES; ++i) {
        w->enemies[i].next = i + 1 < ENEMIES ? i + 1 : NONE;
    }
    for (int32_t column = 0; column < COLUMNS; ++column) {
        int32_t part = column / 40, at = column % 40;
        int32_t ground = digit(level[part].ground[at]), board = digit(level[part].boards[at]);
        for (int32_t height = 1; height <= ground; ++height) {
            set_tile(w, column, height, GROUND);
        }
        if (board > 0) {
            set_tile(w, column, board, BOARD);
        }
        load_thing(w, level[part].things[at], column, ground, board);
    }
    w->player.at.x = w->player.safe_x = 3 * TILE;
    w->player.at.y = w->player.safe_y = (ROWS - 8) * TILE;
    w->player.facing = 1;
    w->player.hearts = HEARTS;
}

/* --- bodies and tiles --------------------------------------------------------------------------- */

int32_t tile_of(int32_t position)
{
    return position >= 0 ? position / TILE : -1 - (-1 - position) / TILE;
}

int32_t world_tile(const world *w, int32_t column, int32_t row)
{
    if (column < 0 || column >= COLUMNS) {
        return GROUND;
    }
    return row < 0 || row >= ROWS ? AIR : w->tiles[row * COLUMNS + column];
}

static int32_t clamp(int32_t value, int32_t least, int32_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* In ticks. */
static int32_t ticks_of(const world *w, int32_t ms)
{
    return 1 + ms * w->rate / 1000;
}

static void count_down(int32_t *ticks)
{
    *ticks -= *ticks > 0;
}

static void add_event(world *w, event_kind kind, int32_t x, int32_t y)
{
    if (w->event_count < EVENTS) {
        const happening made = {kind, x, y};
        w->events[w->event_count++] = made;
    }
}

static void move_x(const world *w, body *b, int32_t dx)
{
    b->x += dx;
    int32_t column = tile_of(dx > 0 ? b->x + HALF - 1 : b->x - HALF);
    for (int32_t row = tile_of(b->y - HEIGHT); row <= tile_of(b->y - 1); ++row) {
        if (world_tile(w, column, row) == GROUND) {
            b->x = dx > 0 ? column * TILE - HALF : (column + 1) * TILE + HALF;
            b->vx = 0;
            return;
        }
    }
}

/* True: it hit a tile. A board stops only what comes from above. */
static bool move_y(const world *w, body *b, int32_t dy)
{
    int32_t from = b->y;
    b->y += dy;
    int32_t row = tile_of(dy > 0 ? b->y - 1 : b->y - HEIGHT);
    for (int32_t column = tile_of(b->x - HALF); column <= tile_of(b->x + HALF - 1); ++column) {
        int32_t tile = world_tile(w, column, row);
        if (tile == GROUND || (tile == BOARD && dy > 0 && from <= row * TILE)) {
            b->y = dy > 0 ? row * TILE : (row + 1) * TILE + HEIGHT;
            b->vy = 0;
            return true;
        }
    }
    return false;
}

/* The mean of the speeds before and after a tick is exact for a constant acceleration: a jump is as
 * high at 20 ticks per second as at 60. */
static void move_body(const world *w, body *b)
{
    int32_t before = b->vy;
    b->vy = clamp(b->vy + GRAVITY / w->rate, -JUMP_SPEED, FALL_MAX);
    int32_t dy = (before + b->vy) / 2 / w->rate;
    b->grounded = 0;
    move_x(w, b, b->vx / w->rate);
    while (dy != 0) { /* in parts shorter than a tile */
        int32_t part = clamp(dy, -TILE / 2, TILE / 2);
        dy -= part;
        if (move_y(w, b, part)) {
            b->grounded = part > 0;
            return;
        }
    }
}

static bool touches(const body *a, const body *b)
{
    return a->x - b->x < 2 * HALF && b->x - a->x < 2 * HALF && a->y - b->y < HEIGHT
           && b->y - a->y < HEIGHT;
}

/* --- the player --------------------------------------------------------------------------------- */

static es_pose2 pose_of(const body *b, double angle)
{
    const es_pose2 pose = {(double)b->x / PIXEL, (double)b->y / PIXEL, angle};
    return pose;
}

static void hurt_player(world *w)
{
    player *p = &w->player;
    if (p->hurt == 0) {
        add_event(w, HURT, p->at.x, p->at.y - HEIGHT / 2);
        p->hurt = ticks_of(w, 1500);
        p->hearts -= 1;
        p->at.vy = -BOUNCE_SPEED;
        w->outcome = p->hearts <= 0 ? LOST : w->outcome;
    }
}

/* It fell out of the world. No frame may show it on the way back: es_track2_snap. */
static void respawn_player(world *w, int64_t tick)
{
    player *p = &w->player;
    p->hurt = 0;
    hurt_player(w);
    const body safe = {.x = p->safe_x, .y = p->safe_y};
    p->at = safe;
    es_track2_snap(&p->track, tick, pose_of(&p->at, 0));
    add_event(w, SPAWNED, p->at.x, p->at.y);
}

static void take_tiles(world *w)
{
    const body *at = &w->player.at;
    for (int32_t row = tile_of(at->y - HEIGHT); row <= tile_of(at->y - 1); ++row) {
        for (int32_t column = tile_of(at->x - HALF); column <= tile_of(at->x + HALF); ++column) {
            int32_t tile = world_tile(w, column, row);
            if (tile == GEM) {
                w->tiles[row * COLUMNS + column] = AIR;
                w->gems += 1;
                add_event(w, TOOK, column * TILE + TILE / 2, row * TILE + TILE / 2);
            } else if (tile == GATE) {
                w->outcome = WON;
                add_event(w, FINISHED, at->x, at->y - HEIGHT);
            }
        }
    }
}

static void update_player(world *w, int32_t controls, int64_t tick)
{
    player *p = &w->player;
    body *at = &p->at;
    int32_t direction = ((controls & RIGHT) != 0) - ((controls & LEFT) != 0);
    int32_t most = (at->grounded ? 1400 : 900) * PIXEL / w->rate; /* change of speed */
    at->vx += clamp(direction * RUN_SPEED - at->vx, -most, most);
    p->facing = direction != 0 ? direction : p->facing;
    count_down(&p->ledge);
    count_down(&p->wish);
    count_down(&p->hurt);
    p->ledge = at->grounded ? ticks_of(w, 80) : p->ledge;
    p->wish = controls & JUMP_PRESSED ? ticks_of(w, 100) : p->wish;
    if (p->wish > 0 && p->ledge > 0) {
        at->vy = -JUMP_SPEED;
        p->wish = p->ledge = 0;
        add_event(w, JUMPED, at->x, at->y);
    }
    if (!(controls & JUMP) && at->vy < -CUT_SPEED && p->hurt == 0) {
        at->vy = -CUT_SPEED;
    }
    bool fell = !at->grounded;
    move_body(w, at);
    if (at->grounded && fell) {
        add_event(w, LANDED, at->x, at->y);
    }
    int32_t below = tile_of(at->y);
    if (at->grounded && world_tile(w, tile_of(at->x - TILE), below) == GROUND
            && world_tile(w, tile_of(at->x + TILE), below) == GROUND) {
        p->safe_x = at->x;
        p->safe_y = at->y;
    }
    take_tiles(w);
    if (at->y > (ROWS + 3) * TILE) {
        respawn_player(w, tick);
    }
}

/* --- enemies ------------------------------------------------------------------------------------ */

static void move_slime(const world *w, enemy *e)
{
    body *at = &e->at;
    int32_t front = tile_of(at->x + e->direction * HALF);
    if (at->grounded && (at->vx == 0 || world_tile(w, front, tile_of(at->y)) == AIR)) {
        e->direction = -e->direction;
    }
    at->vx = e->direction * SLIME_SPEED;
    move_body(w, at);
}

/* Two springs towards its home: a wave along x and a faster one along y. */
static void move_bat(const world *w, enemy *e)
{
    body *at = &e->at;
    at->vx += (e->home_x - at->x) * 3 / w->rate;
    at->vy += (e->home_y - at->y) * 9 / w->rate;
    at->x += at->vx / w->rate;
    at->y += at->vy / w->rate;
}

static void meet_player(world *w, enemy *e)
{
    body *at = &w->player.at;
    if (!touches(&e->at, at)) {
        return;
    }
    if (at->vy > 0 && at->y < e->at.y - HEIGHT / 4) {
        e->flat = ticks_of(w, 350);
        at->vy = -BOUNCE_SPEED;
        add_event(w, STOMPED, e->at.x, e->at.y);
    } else {
        hurt_player(w);
    }
}

/* False: it is to be removed. */
static bool update_enemy(world *w, enemy *e)
{
    if (e->flat > 0) {
        count_down(&e->flat);
        return e->flat > 0;
    }
    if (e->kind == BAT) {
        move_bat(w, e);
    } else {
        move_slime(w, e);
    }
    meet_player(w, e);
    return e->at.y < (ROWS + 2) * TILE && e->at.x > w->player.at.x - FAR;
}

static void update_enemies(world *w, int64_t tick)
{
    for (int32_t *link = &w->first; *link != NONE;) {
        int32_t index = *link;
        enemy *e = &w->enemies[index];
        if (update_enemy(w, e)) {
            es_track2_set(&e->track, tick, pose_of(&e->at, 0));
            link = &e->next;
        } else {
            *link = e->next;
            e->next = w->unused;
            w->unused = index;
        }
    }
}

static void update_nests(world *w, int64_t tick)
{
    for (int32_t i = 0; i < NESTS; ++i) {
        nest *n = &w->nests[i];
        int32_t away = n->x - w->player.at.x;
        if (n->x > 0 && away > -12 * TILE && away < 20 * TILE && --n->wait <= 0) {
            enemy *e = add_enemy(w, SLIME, n->x, n->y);
            w->random = w->random * 1664525U + 1013904223U;
            n->wait = ticks_of(w, 2500 + (int32_t)(w->random >> 21));
            if (e != NULL) {
                e->direction = w->random >> 31 ? 1 : -1;
                e->at.vy = -BOUNCE_SPEED;
                es_track2_set(&e->track, tick, pose_of(&e->at, 0));
                add_event(w, SPAWNED, n->x, n->y);
            }
        }
    }
}

void world_update(world *w, int32_t controls, int64_t tick)
{
    w->event_count = 0;
    w->ticks += 1;
    update_player(w, controls, tick);
    update_enemies(w, tick);
    update_nests(w, tick);
    /* after the enemies, which make it bounce. The angle is that of leaning into a run */
    es_track2_set(
            &w->player.track, tick, pose_of(&w->player.at, w->player.at.vx * 0.12 / RUN_SPEED));
}

void world_snap(world *w, int64_t tick)
{
    es_track2_snap(&w->player.track, tick, pose_of(&w->player.at, 0));
    for (int32_t i = w->first; i != NONE; i = w->enemies[i].next) {
        es_track2_snap(&w->enemies[i].track, tick, pose_of(&w->enemies[i].at, 0));
    }
}

/* --- the automatic player ----------------------------------------------------------------------- */

/* Runs to the right, and jumps where a wall, a pit or an enemy comes. */
int32_t bot_controls(const world *w)
{
    const body *at = &w->player.at;
    int32_t column = tile_of(at->x), row = tile_of(at->y - 1);
    bool jump = !at->grounded && at->vy < 0;
    for (int32_t i = 1; i <= 2; ++i) {
        jump = jump || (at->grounded && world_tile(w, column + i, row) == GROUND);
    }
    bool pit = true;
    for (int32_t below = row + 1; below < ROWS; ++below) {
        pit = pit && world_tile(w, tile_of(at->x + HALF), below) == AIR;
    }
    jump = jump || (pit && at->grounded);
    for (int32_t i = w->first; i != NONE; i = w->enemies[i].next) {
        const body *e = &w->enemies[i].at;
        int32_t away = e->x - at->x, above = at->y - e->y;
        jump = jump
               || (at->grounded && away > 0 && away < 3 * TILE && above > -TILE
                       && above < 3 * TILE);
    }
    return RIGHT | (jump ? JUMP : 0);
}
