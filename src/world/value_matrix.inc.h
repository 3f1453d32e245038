/* SPDX-License-Identifier: Zlib
 *
 * Matrices of one number type. value_matrix.c includes this once per type with
 *   NUMBER    float or double
 *   NAME(x)   x with the type's suffix
 *   KERNELS   the member of es__kernels for the type
 */

void NAME(es__matrix_parts)(
        es_blend_kind order, size_t numbers, const NUMBER *m, NUMBER parts[ES_MATRIX_PARTS])
{
    const es__matrix_form form = es__matrix_form_of(order, numbers);
    double a[3][3], found[ES_MATRIX_PARTS];
    bool projects = false;
    for (size_t i = 0; i < 9; ++i) {
        a[i / 3][i % 3] = (double)m[i / 3 * form.row + i % 3 * form.column];
    }
    for (size_t c = 0; c < 4 && form.numbers == 16; ++c) {
        const NUMBER last = m[3 * form.row + c * form.column];
        projects = projects || !(last == (c < 3 ? 0 : 1));
    }
    parts_of(a, found);
    for (size_t k = 0; k < ES_MATRIX_PARTS; ++k) {
        parts[k] = projects ? 0 : (NUMBER)found[k];
    }
}

void NAME(es__matrix)(es_blend_kind order, size_t numbers, const NUMBER *a, const NUMBER *b,
        const NAME(es__rotor_of) * rotor, NUMBER *out)
{
    const es__matrix_form form = es__matrix_form_of(order, numbers);
    NUMBER parts[2][ES_MATRIX_PARTS], result[16]; /* out may be a or b */
    const NUMBER *from = a + form.numbers, *to = b + form.numbers;
    if (form.numbers == numbers) {
        NAME(es__matrix_parts)(order, numbers, a, parts[0]);
        NAME(es__matrix_parts)(order, numbers, b, parts[1]);
        from = parts[0];
        to = parts[1];
    }
    const es__matrices one = {.a = (const unsigned char *)a,
            .b = (const unsigned char *)b,
            .a_parts = (const unsigned char *)from,
            .b_parts = (const unsigned char *)to,
            .out = (unsigned char *)result,
            .step = sizeof result,
            .form = form};
    es__kernels_scalar.KERNELS->matrices(&one, 1, rotor);
    memmove(out + form.numbers, b + form.numbers, (numbers - form.numbers) * sizeof(NUMBER));
    memcpy(out, result, form.numbers * sizeof(NUMBER));
}

#undef NUMBER
#undef NAME
#undef KERNELS
