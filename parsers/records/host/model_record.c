#include "parsers/records/host/model_record.h"

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    (void)decoder;
    (void)state;
    (void)keep;
    (void)err;
    mixed_text_resolve(row, MODEL_TEXT);
    return 0;
}

const struct kind_hooks model_record_hooks = {.record = take_record};
