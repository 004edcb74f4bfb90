/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/report_name.h"

#include "base/number.h"
#include "base/utf8.h"
#include "db/database.h"

#include <string.h>

void report_name_number(struct strbuf *name, int64_t number)
{
    char buffer[NUMBER_MAX];
    if (number == DB_NULL)
        strbuf_adds(name, "unknown");
    else
        strbuf_add(name, buffer, (size_t)(number_put_signed(buffer, number) - buffer));
}

void report_name_model(struct strbuf *name, const char *model, size_t tail_length)
{
    size_t taken = name->length + tail_length, begin = name->length;
    size_t room = taken < REPORT_NAME_MAX ? REPORT_NAME_MAX - taken : 0;
    size_t length = strlen(model);
    strbuf_add(name, model, length <= room ? length : utf8_cut(model, room));
    for (size_t i = begin; i < name->length; i++) {
        unsigned char c = (unsigned char)name->data[i];
        if (c == '/' || c < 0x20 || c == 0x7F)
            name->data[i] = '_';
    }
}
