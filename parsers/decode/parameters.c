/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/decode/parameters.h"

#include "base/file/checksum.h"
#include "base/number.h"
#include "parsers/decode/layout.h"
#include "parsers/record.h"

#include <inttypes.h>

#define FINGERPRINT_LIMIT ((size_t)64 * 1024 * 1024)

/* Every command asks for all fields of all kinds, so none of them is formatted. */
static void describe_field(struct strbuf *text, const struct field *field)
{
    const int64_t numbers[] = {field->offset,    field->width,    field->first_bit, field->bit_count,
                               field->is_signed, field->multiply, field->divide,    field->relation};

    char digits[sizeof numbers / sizeof *numbers * (NUMBER_MAX + 1) + 1], *end = digits;
    strbuf_adds(text, field->column);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *end++ = ' ';
        end = number_put_signed(end, numbers[i]);
    }
    *end++ = ' ';
    strbuf_add(text, digits, (size_t)(end - digits));
    strbuf_adds(text, field->other != NULL ? field->other : "-");
    strbuf_addc(text, '\n');
}

static void describe_layout(struct strbuf *text, const struct layout *layout)
{
    strbuf_addf(text, "%s %" PRIu32 " %" PRIu32 " %d %" PRId64 "\n", layout->name, layout->record_size, layout->header,
                layout->big_endian, layout->core_khz);
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++)
        strbuf_addf(text, "magic %" PRIu32 " %" PRIu32 " %" PRIx64 " %" PRIx64 "\n", layout->magics[i].offset,
                    layout->magics[i].width, layout->magics[i].value, layout->magics[i].mask);
    for (size_t i = 0; i < layout->field_count; i++) {
        describe_field(text, &layout->fields[i]);
    }
}

/* A checksum of everything that the layouts of a set say; equal for sets that decode alike. */
static int layouts_fingerprint(const struct layout_set *set, char ret[CHECKSUM_TEXT_SIZE], struct err *err)
{
    SCOPED(strbuf_release) struct strbuf text;

    strbuf_init(&text, FINGERPRINT_LIMIT);
    for (const struct record_kind *const *kind = record_kinds; *kind != NULL; kind++) {
        const struct layout *layout;

        strbuf_addf(&text, "kind %s\n", (*kind)->name);
        for (size_t i = 0; (layout = layout_candidate(set, *kind, i)) != NULL; i++)
            describe_layout(&text, layout);
    }
    if (text.failed)
        return err_no_memory(err);
    checksum_of(text.data, text.length, ret);
    return *ret != '\0' ? 0 : err_no_memory(err);
}

int parameters_add(struct strbuf *text, const struct layout_set *layouts, int64_t clock_khz, struct err *err)
{
    char fingerprint[CHECKSUM_TEXT_SIZE];
    if (layouts_fingerprint(layouts, fingerprint, err) < 0)
        return err_status(err);
    if (strbuf_addf(text, "freq_khz=%" PRId64 " layouts=%s", clock_khz, fingerprint) != 0)
        return err_no_memory(err);
    return 0;
}
