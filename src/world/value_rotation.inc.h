/* SPDX-License-Identifier: Zlib
 *
 * Between two rotations of one number type. value.c includes this once per type with
 *   NUMBER    float or double
 *   NAME(x)   x with the type's suffix
 *   KERNELS   the member of es__kernels for the type
 */

/* At an end it is that end, whatever its length. */
void NAME(es__rotation)(const NUMBER a[4], const NUMBER b[4], NUMBER alpha, NUMBER out[4])
{
    NUMBER result[4]; /* out may be a or b */
    if (alpha > 0 && alpha < 1) {
        es__quads q = {.a = (const unsigned char *)a,
                .b = (const unsigned char *)b,
                .out = (unsigned char *)result,
                .rows = true,
                .step = sizeof result};
        NAME(es__rotor_of) rotor;
        NAME(es__rotor)(&rotor, alpha);
        es__kernels_scalar.KERNELS->rotation(&q, 1, &rotor);
        memcpy(out, result, sizeof result);
    } else {
        memmove(out, alpha <= 0 ? a : b, sizeof result);
    }
}

#undef NUMBER
#undef NAME
#undef KERNELS
