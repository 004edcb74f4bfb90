/* What the kinds of Framework records about models share: their first columns, of which the third is a mixed text, and
 * their hooks. */
#ifndef MSPROF_PARSERS_RECORDS_HOST_MODEL_RECORD_H
#define MSPROF_PARSERS_RECORDS_HOST_MODEL_RECORD_H

#include "parsers/records/text/mixed_text.h"

enum { FILE_ID, MODEL_ID, MODEL_TEXT, MODEL_RECORD_COLUMNS = MODEL_TEXT + 3 };
extern const struct kind_hooks model_record_hooks;

#endif
