/* SPDX-License-Identifier: Zlib */
#include "lab/loop.h"

#include <string.h>

es_result lab_loop_start(const lab_loop *loop, void *state, const lab_loop_setup *setup,
        lab_machine *machine, lab_refusal *error)
{
    lab_loop_setup own = *setup;
    own.loop = loop;
    return loop->start != NULL ? loop->start(state, &own, machine, error) : ES_OK;
}

es_result lab_loop_config(const lab_loop *loop, es_loop_config *config)
{
    if ((loop->needs & LAB_NEEDS_CORE) != 0) {
        *config = (es_loop_config){.delay_ticks = 1.0, .lead_ticks = 1};
        return ES_OK;
    }
    return es_loop_preset(loop->name, config);
}

void lab_loop_stop(const lab_loop *loop, void *state)
{
    if (loop->stop != NULL) {
        loop->stop(state);
    }
}

es_result lab_refuse_config(lab_refusal *error)
{
    static _Thread_local char field[64];
    const char *text = es_get_error();
    const char *name = strchr(text, '.');
    const char *end = strchr(text, ':');
    bool named = name != NULL && end != NULL && name < end && end - name < (long)sizeof field;
    if (named) {
        memcpy(field, name + 1, (size_t)(end - name - 1));
        field[end - name - 1] = '\0';
    }
    return lab_refuse(error, named ? field : "loop", named ? end + 2 : text);
}

bool lab_config_is_valid(const es_loop_config *config, lab_refusal *error)
{
    es_loop *loop = es_loop_create(config);
    if (loop == NULL) {
        lab_refuse_config(error);
    }
    es_loop_destroy(loop);
    return loop != NULL;
}
