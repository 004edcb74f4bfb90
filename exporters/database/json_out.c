/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/database/json_out.h"

#include "base/number.h"
#include "exporters/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_text(struct strbuf *buf, const char *text)
{
    strbuf_addc(buf, '"');
    json_text_append(buf, text, strlen(text));
    strbuf_addc(buf, '"');
}

/* As short as it reads back the same. */
static void put_number(struct strbuf *buf, double number)
{
    char text[REAL_SHORTEST_MAX];
    if (number == floor(number) && fabs(number) < 9007199254740992.0) {
        strbuf_addf(buf, "%.0f", number);
        return;
    }
    strbuf_add(buf, text, real_print(text, number));
}

/* Parsing limits the depth. */
void json_out(struct strbuf *buf, const struct json *value) // NOLINT(misc-no-recursion)
{
    bool is_object = json_is_object(value), boolean;
    double number;
    if (is_object || json_is_array(value)) {
        strbuf_addc(buf, is_object ? '{' : '[');
        for (const struct json *item = json_first(value); item != NULL; item = json_next(item)) {
            strbuf_adds(buf, item != json_first(value) ? ", " : "");
            if (is_object) {
                put_text(buf, json_key(item));
                strbuf_adds(buf, ": ");
            }
            json_out(buf, item);
        }
        strbuf_addc(buf, is_object ? '}' : ']');
    } else if (json_string(value) != NULL) {
        put_text(buf, json_string(value));
    } else if (json_boolean(value, &boolean)) {
        strbuf_adds(buf, boolean ? "true" : "false");
    } else if (json_number(value, &number)) {
        put_number(buf, number);
    } else {
        strbuf_adds(buf, "null");
    }
}
