/* CC0: copy freely. */
#include "world.h"

/* Pixels of bodies, which are smaller than a tile; per second; per second squared. */
enum { HALF = 6 * PIXEL, HEIGHT = 14 * PIXEL, GRAVITY = 1100 * PIXEL, FALL_SPEED = 420 * PIXEL };
enum { JUMP_SPEED = 372 * PIXEL, BOUNCE_SPEED = 260 * PIXEL, ENEMY_SPEED = 36 * PIXEL };
enum { PART = 40 }; /* columns of the level in one text */

#define STATE(member)    ES_FIELD(world, member, ES_BLEND_STEP)
#define ENEMIES_(member) ES_FIELD_OF_EACH(world, enemies, member, ES_BLEND_STEP)
static const es_field fields[] = {STATE(rate), STATE(ticks), STATE(outcome), STATE(gems),
        STATE(gems_all), STATE(player.x), STATE(player.y), STATE(player.vx), STATE(player.vy),
        STATE(player.grounded), STATE(facing), STATE(hearts), STATE(hurt), STATE(safe_x),
        STATE(safe_y), STATE(seen), STATE(first), STATE(unused), ENEMIES_(at.x), ENEMIES_(at.y),
        ENEMIES_(at.vx), ENEMIES_(at.vy), ENEMIES_(at.grounded), ENEMIES_(direction),
        ENEMIES_(flat), ENEMIES_(next), STATE(tiles)};
const es_layout world_layout = ES_LAYOUT(world, fields);

/* Heights in tiles, in base 36: of the ground, and of a gem, which has a board below it from four tiles
 * above the ground on. S enemy, F gate. */
static const char *const level[][2] = {
        {"8888888888888888899999aaaaaaaa9999988888", "........9.9.9..S..c.c.d...eeee...S...bbb"},
        {"880008888888888aaaaaa88888888888000aaaa8", "..ddd...S.S..eeb.b.b..........bbd...dee."},
        {"8888888888887777777777776666000066666688", "9.9...ccc..fff..S.8.Saa......aa..7.S..99"},
        {"aaaaccccccc0000aaaaaaaaaa888888666600044", ".S......d..dddd..b.S.b.eeee..S....9ddd.."},
        {"4446666888aaaccceeeee000eeeee00cccccaaaa", "...7..7..9..b..d.....iii.jjj.gg.S.S....b"},
        {"aaa00aaaaaa000aaa88888888aaaaaaaaaaaaaaa", "..ddd.b..b.ddd.b.S..dddd....b.b.b...F..."}};

static int32_t digit(char c)
{
    return c >= 'a' ? c - 'a' + 10 : c >= '0' && c <= '9' ? c - '0' : 0;
}

static void load_column(world *w, int32_t column)
{
    int32_t ground = digit(level[column / PART][0][column % PART]);
    int32_t gem = digit(level[column / PART][1][column % PART]);
    uint8_t *top = &w->tiles[column];
    for (int32_t height = 1; height <= ground; ++height) {
        top[(ROWS - height) * COLUMNS] = GROUND;
    }
    if (level[column / PART][1][column % PART] == 'F') {
        top[(ROWS - ground - 1) * COLUMNS] = GATE;
    } else if (gem > 0) {
        top[(ROWS - gem) * COLUMNS] = GEM;
        w->gems_all += 1;
        if (ground > 0 && gem >= ground + 4) {
            top[(ROWS - gem + 1) * COLUMNS] = BOARD;
        }
    }
}

void world_load(world *w, int32_t rate)
{
    *w = (world){.rate = rate,
            .first = NONE,
            .facing = 1,
            .hearts = HEARTS,
            .player = {.x = 3 * TILE, .y = (ROWS - 8) * TILE}};
    for (int32_t i = 0; i < ENEMIES; ++i) {
        w->enemies[i].next = i + 1 < ENEMIES ? i + 1 : NONE;
    }
    for (int32_t column = 0; column < COLUMNS; ++column) {
        load_column(w, column);
    }
}

static int32_t tile_of(int32_t position)
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

static void add_event(world *w, int32_t kind, int32_t x, int32_t y)
{
    if (w->event_count < (int32_t)(sizeof w->events / sizeof w->events[0])) {
        w->events[w->event_count++] = (happening){kind, x, y};
    }
}

/* The tile at corner 0 to 3 of a body. */
static int32_t tile_at_corner(
        const world *w, const body *b, int32_t corner, int32_t *column, int32_t *row)
{
    *column = tile_of(corner % 2 == 0 ? b->x - HALF : b->x + HALF - 1);
    *row = tile_of(corner / 2 == 0 ? b->y - HEIGHT : b->y - 1);
    return world_tile(w, *column, *row);
}

/* Moves along one axis. True: a tile stopped it. A board stops only what comes from above. */
static bool move(const world *w, body *b, int32_t dx, int32_t dy)
{
    int32_t from = b->y, column, row;
    b->x += dx;
    b->y += dy;
    for (int32_t i = 0; i < 4; ++i) {
        int32_t tile = tile_at_corner(w, b, i, &column, &row);
        if (tile == GROUND || (tile == BOARD && dy > 0 && from <= row * TILE)) {
            if (dx != 0) {
                b->x = dx > 0 ? column * TILE - HALF : (column + 1) * TILE + HALF;
            } else {
                b->y = dy > 0 ? row * TILE : (row + 1) * TILE + HEIGHT;
            }
            return true;
        }
    }
    return false;
}

/* The mean of the speeds before and after a tick is exact for a constant acceleration: a jump is as
 * high at 20 ticks per second as at 60. */
static void fall(const world *w, body *b)
{
    int32_t before = b->vy;
    b->vy = clamp(before + GRAVITY / w->rate, -JUMP_SPEED, FALL_SPEED);
    b->grounded = 0;
    if (move(w, b, b->vx / w->rate, 0)) {
        b->vx = 0;
    }
    for (int32_t rest = (before + b->vy) / 2 / w->rate, part; rest != 0; rest -= part) {
        part = clamp(rest, -TILE / 2, TILE / 2); /* shorter than a tile */
        if (move(w, b, 0, part)) {
            b->grounded = part > 0;
            b->vy = 0;
            return;
        }
    }
}

static es_pose2 pose_of(const body *b)
{
    return (es_pose2){(double)b->x / PIXEL, (double)b->y / PIXEL, 0};
}

static void hurt_player(world *w)
{
    add_event(w, HURT, w->player.x, w->player.y - HEIGHT / 2);
    w->player.vy = -BOUNCE_SPEED;
    w->hurt = 3 * w->rate / 2;
    w->hearts -= 1;
    w->outcome = w->hearts <= 0 ? LOST : w->outcome;
}

static void touch_tiles(world *w)
{
    int32_t column, row;
    for (int32_t i = 0; i < 4; ++i) {
        int32_t tile = tile_at_corner(w, &w->player, i, &column, &row);
        if (tile == GEM) {
            w->tiles[row * COLUMNS + column] = AIR;
            w->gems += 1;
            add_event(w, TOOK, column * TILE + TILE / 2, row * TILE + TILE / 2);
        } else if (tile == GATE) {
            w->outcome = WON;
        }
    }
}

static void update_player(world *w, int32_t controls, int64_t tick)
{
    body *at = &w->player;
    int32_t direction = ((controls & RIGHT) != 0) - ((controls & LEFT) != 0);
    int32_t most = (at->grounded ? 1400 : 900) * PIXEL / w->rate; /* change of speed */
    bool fell = !at->grounded;
    at->vx += clamp(direction * RUN_SPEED - at->vx, -most, most);
    w->facing = direction != 0 ? direction : w->facing;
    w->hurt -= w->hurt > 0;
    if (at->grounded) {
        w->safe_x = at->x - direction * TILE / 2; /* away from the edge */
        w->safe_y = at->y;
    }
    if (at->grounded && controls & JUMP_PRESSED) {
        at->vy = -JUMP_SPEED;
        add_event(w, JUMPED, at->x, at->y);
    } else if (!(controls & JUMP) && w->hurt == 0 && at->vy < -JUMP_SPEED / 3) {
        at->vy = -JUMP_SPEED / 3; /* the key is up: a lower jump */
    }
    fall(w, at);
    if (at->grounded && fell) {
        add_event(w, LANDED, at->x, at->y);
    }
    touch_tiles(w);
    if (at->y > (ROWS + 3) * TILE) { /* no frame may show the way back, so its track snaps */
        hurt_player(w);
        *at = (body){.x = w->safe_x, .y = w->safe_y};
        es_track2_snap(&w->track, tick, pose_of(at));
    }
}

/* Back and forth, not over edges. */
static void move_enemy(const world *w, enemy *e)
{
    int32_t front = tile_of(e->at.x + e->direction * HALF);
    if (e->at.grounded && (e->at.vx == 0 || world_tile(w, front, tile_of(e->at.y)) == AIR)) {
        e->direction = -e->direction;
    }
    e->at.vx = e->direction * ENEMY_SPEED;
    fall(w, &e->at);
}

static void meet_player(world *w, enemy *e)
{
    body *at = &w->player;
    int32_t dx = at->x - e->at.x, dy = at->y - e->at.y;
    if (dx <= -2 * HALF || dx >= 2 * HALF || dy <= -HEIGHT || dy >= HEIGHT) {
        return;
    }
    if (at->vy > 0 && dy < -HEIGHT / 4) {
        e->flat = 2 + w->rate / 3;
        at->vy = -BOUNCE_SPEED;
        add_event(w, STOMPED, e->at.x, e->at.y);
    } else if (w->hurt == 0) {
        hurt_player(w);
    }
}

static void update_enemies(world *w, int64_t tick)
{
    for (int32_t *link = &w->first; *link != NONE;) {
        int32_t index = *link;
        enemy *e = &w->enemies[index];
        if (e->flat == 1 || e->at.x < w->player.x - 34 * TILE) { /* it is removed */
            *link = e->next;
            e->next = w->unused;
            w->unused = index;
            continue;
        }
        if (e->flat == 0) {
            move_enemy(w, e);
            meet_player(w, e);
        } else {
            e->flat -= 1;
        }
        es_track2_set(&e->track, tick, pose_of(&e->at));
        link = &e->next;
    }
}

/* Enemies enter the world where the player is about to come. */
static void spawn_enemies(world *w)
{
    for (; w->seen < COLUMNS && w->seen < tile_of(w->player.x) + 20; ++w->seen) {
        int32_t ground = digit(level[w->seen / PART][0][w->seen % PART]), index = w->unused;
        if (level[w->seen / PART][1][w->seen % PART] == 'S' && index != NONE) {
            w->unused = w->enemies[index].next;
            w->enemies[index] = (enemy){.direction = -1,
                    .next = w->first,
                    .at = {.x = w->seen * TILE + TILE / 2, .y = (ROWS - ground) * TILE}};
            w->first = index;
        }
    }
}

void world_update(world *w, int32_t controls, int64_t tick)
{
    w->event_count = 0;
    w->ticks += 1;
    update_player(w, controls, tick);
    spawn_enemies(w);
    update_enemies(w, tick);
    es_track2_set(&w->track, tick, pose_of(&w->player));
}

void world_snap(world *w, int64_t tick)
{
    es_track2_snap(&w->track, tick, pose_of(&w->player));
    for (int32_t i = w->first; i != NONE; i = w->enemies[i].next) {
        es_track2_snap(&w->enemies[i].track, tick, pose_of(&w->enemies[i].at));
    }
}

/* Runs to the right, and jumps where a wall, a pit or an enemy comes. */
int32_t bot_controls(const world *w)
{
    const body *at = &w->player;
    int32_t column = tile_of(at->x), row = tile_of(at->y - 1), below = row + 1;
    bool jump = world_tile(w, column + 2, row) == GROUND; /* a wall */
    while (below < ROWS && world_tile(w, tile_of(at->x + HALF), below) != GROUND) {
        ++below;
    }
    for (int32_t i = w->first; i != NONE; i = w->enemies[i].next) {
        int32_t ahead = w->enemies[i].at.x - at->x, above = at->y - w->enemies[i].at.y;
        jump = jump || (ahead > 0 && ahead < 3 * TILE && above > -TILE && above < 3 * TILE);
    }
    return RIGHT | (at->vy < 0 ? JUMP : 0) | (jump || below == ROWS ? JUMP | JUMP_PRESSED : 0);
}
