/* SPDX-License-Identifier: Zlib
 *
 * Colours of one number type. value_colour.c includes this once per type with
 *   NUMBER    float or double
 *   NAME(x)   x with the type's suffix
 *   LARGEST   what is encoded by the curve, on both sides of 0; beyond it the way is straight
 * where NAME(mix) is known: two encoded colours to one, all in double.
 */

static bool NAME(is_alpha)(NUMBER x)
{
    return x >= 0 && x - x == 0;
}

/* Where colours of straight alphas a and b are mixed; a negative result: at alpha itself. */
static double NAME(weight)(NUMBER a, NUMBER b, NUMBER alpha)
{
    if (a == b || !NAME(is_alpha)(a) || !NAME(is_alpha)(b)) {
        return -1;
    }
    return colour_weight((double)a, (double)b, (double)alpha);
}

void NAME(es_colour)(const NUMBER *a, const NUMBER *b, size_t components, NUMBER alpha, NUMBER *out)
{
    bool straight = components == 4;
    size_t colours = straight ? 3 : components;
    double weight = straight && alpha > 0 && alpha < 1 ? NAME(weight)(a[3], b[3], alpha) : -1;
    for (size_t i = 0; i < colours; ++i) {
        if (weight < 0) {
            out[i] = NAME(es__value_lerp)(a[i], b[i], alpha);
        } else {
            out[i] = (NUMBER)es__value_lerp_f64((double)a[i], (double)b[i], weight);
        }
    }
    if (straight) {
        out[3] = NAME(es__value_lerp)(a[3], b[3], alpha);
    }
}

/* weight: between 0 and 1, both included. */
static NUMBER NAME(mix_srgb)(NUMBER a, NUMBER b, double weight)
{
    const NUMBER line = (NUMBER)MEETING;
    if (a == b || weight <= 0) {
        return a;
    }
    bool encoded = a >= -LARGEST && a <= LARGEST && b >= -LARGEST && b <= LARGEST;
    bool dark = a >= -line && a <= line && b >= -line && b <= line;
    if (!encoded || dark || weight >= 1) {
        return (NUMBER)es__value_lerp_f64((double)a, (double)b, weight);
    }
    NUMBER mixed = (NUMBER)NAME(mix)((double)a, (double)b, weight);
    NUMBER low = a < b ? a : b;
    NUMBER high = a < b ? b : a;
    return mixed < low ? low : mixed > high ? high : mixed;
}

void NAME(es_srgb)(const NUMBER *a, const NUMBER *b, size_t components, NUMBER alpha, NUMBER *out)
{
    bool straight = components == 4;
    size_t colours = straight ? 3 : components;
    bool between = alpha > 0 && alpha < 1;
    double weight = straight && between ? NAME(weight)(a[3], b[3], alpha) : -1;
    for (size_t i = 0; i < colours; ++i) {
        if (between) {
            out[i] = NAME(mix_srgb)(a[i], b[i], weight < 0 ? (double)alpha : weight);
        } else {
            out[i] = alpha <= 0 ? a[i] : b[i];
        }
    }
    if (straight) {
        out[3] = NAME(es__value_lerp)(a[3], b[3], alpha);
    }
}
