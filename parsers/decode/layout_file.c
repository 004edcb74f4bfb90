/* SPDX-License-Identifier: Apache-2.0 */
/* Layout files: a line each, words and quoted texts, '#' comments. Every mistake is reported with its line. */
#include "parsers/decode/layout.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/language.h"
#include "base/utf8.h"
#include "parsers/decode/layout_rate.h"
#include "parsers/decode/layout_text.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KINDS_MAX 512

struct parser {
    struct text_line line;
    const struct record_kind *kind;
    struct loaded_layout *first, *last; /* what this file defines, in its order */
    struct loaded_layout *current;      /* the last one while its lines are read, else NULL */
    unsigned current_line;
    bool endian_given;
    size_t magic_count;
};

/* Says that an attribute comes a second time in its line. */
static int take_once(struct parser *p, size_t at, unsigned *seen, unsigned bit)
{
    if ((*seen & bit) != 0)
        return text_mistake(&p->line, "'%.*s' twice in one line", SHOWN(&p->line.words[at]));
    *seen |= bit;
    return 0;
}

/* ---- blocks ---- */

/* A layout is complete where the next begins or the file ends. */
static int finish_layout(struct parser *p)
{
    struct loaded_layout *current = p->current;
    unsigned line = p->line.number;
    if (current == NULL)
        return 0;
    p->line.number = p->current_line; /* where mistakes of the whole are reported */
    p->current = NULL;
    if (current->layout.record_size == 0)
        return text_mistake(&p->line, "layout '%s' has no size, expected a line 'size BYTES' in it", current->name);
    struct err cause = ERR_INIT;
    if (layout_check(current->kind, &current->layout, &cause) < 0)
        return text_mistake(&p->line, "layout '%s': %s", current->name, err_message(&cause));
    p->line.number = line;
    return 0;
}

static int parse_kind(struct parser *p)
{
    int r = finish_layout(p);
    if (r < 0)
        return r;
    p->kind = NULL;
    if ((r = text_expect_words(&p->line, 2, "kind NAME")) < 0)
        return r;
    const struct word *word = &p->line.words[1];
    const char *names[KINDS_MAX];
    size_t count = 0;
    for (; count < KINDS_MAX && record_kinds[count] != NULL; count++) {
        names[count] = record_kinds[count]->layout_count > 0 ? record_kinds[count]->name : NULL;
        if (names[count] == NULL && layout_word_is(word, record_kinds[count]->name))
            return text_mistake(&p->line, "kind '%s' is not made of fixed-size records, so it has no layouts",
                                record_kinds[count]->name);
    }
    r = text_choose(&p->line, word, names, count, "kind", language_said("kinds with layouts are: "));
    p->kind = r >= 0 ? record_kinds[r] : NULL;
    return r < 0 ? r : 0;
}

static bool is_name(const struct word *word)
{
    if (word->length == 0 || word->length > LAYOUT_NAME_MAX)
        return false;
    for (size_t i = 0; i < word->length; i++) {
        char c = word->text[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '.' && c != '_' &&
            c != '-')
            return false;
    }
    return true;
}

static int parse_layout(struct parser *p)
{
    int r = finish_layout(p);
    if (r < 0)
        return r;
    if ((r = text_expect_words(&p->line, 2, "layout NAME")) < 0)
        return r;
    if (p->kind == NULL)
        return text_mistake(&p->line, "'layout' before any 'kind', expected a line 'kind NAME' first");
    const struct word *word = &p->line.words[1];
    if (!is_name(word))
        return text_mistake(&p->line, "layout name '%.*s', expected 1 to %d letters, digits, '.', '_' or '-'",
                            SHOWN(word), LAYOUT_NAME_MAX);
    for (const struct loaded_layout *other = p->first; other != NULL; other = other->next)
        if (other->kind == p->kind && layout_word_is(&(struct word){word->text, word->length, false}, other->name))
            return text_mistake(&p->line, "layout '%s' of kind %s is defined twice in this file", other->name,
                                p->kind->name);
    struct loaded_layout *loaded = calloc(1, sizeof(*loaded));
    char *name = strndup(word->text, word->length);
    if (loaded == NULL || name == NULL) {
        free(loaded);
        free(name);
        return err_no_memory(p->line.err);
    }
    loaded->kind = p->kind;
    loaded->name = name;
    loaded->layout.name = name;
    if (p->last != NULL)
        p->last->next = loaded;
    else
        p->first = loaded;
    p->last = p->current = loaded;
    p->current_line = p->line.number;
    p->endian_given = false;
    p->magic_count = 0;
    return 0;
}

static int parse_source(struct parser *p)
{
    struct loaded_layout *current = p->current;
    int r = text_expect_words(&p->line, 2, "source \"TEXT\"");
    if (r < 0)
        return r;
    if (current->source != NULL)
        return text_mistake(&p->line, "a second 'source' in layout '%s'", current->name);
    current->source = strndup(p->line.words[1].text, p->line.words[1].length);
    if (current->source == NULL)
        return err_no_memory(p->line.err);
    utf8_mask(current->source);
    current->layout.source = current->source;
    return 0;
}

static int parse_size(struct parser *p)
{
    uint64_t size;
    int r = text_take_only_number(&p->line, "size BYTES", 1, RECORD_MAX_SIZE, &size);
    if (r == 0 && p->current->layout.record_size != 0)
        return text_mistake(&p->line, "a second 'size' in layout '%s'", p->current->name);
    if (r == 0)
        p->current->layout.record_size = (uint32_t)size;
    return r;
}

static int parse_endian(struct parser *p)
{
    int r = text_expect_words(&p->line, 2, "endian little|big");
    if (r < 0)
        return r;
    if (p->endian_given)
        return text_mistake(&p->line, "a second 'endian' in layout '%s'", p->current->name);
    if (!layout_word_is(&p->line.words[1], "little") && !layout_word_is(&p->line.words[1], "big"))
        return text_mistake(&p->line, "endian '%.*s', expected little or big", SHOWN(&p->line.words[1]));
    p->current->layout.big_endian = layout_word_is(&p->line.words[1], "big");
    p->endian_given = true;
    return 0;
}

static int parse_header(struct parser *p)
{
    uint64_t size;
    int r = text_take_only_number(&p->line, "header BYTES", 0, LAYOUT_HEADER_MAX, &size);
    if (r < 0)
        return r;
    if (p->current->layout.header != 0)
        return text_mistake(&p->line, "a second 'header' in layout '%s'", p->current->name);
    p->current->layout.header = (uint32_t)size;
    return 0;
}

/* Magics and columns are checked against the record size on their own lines. */
static int expect_size(struct parser *p)
{
    if (p->current->layout.record_size == 0)
        return text_mistake(&p->line, "'%.*s' before 'size', expected a line 'size BYTES' first",
                            SHOWN(&p->line.words[0]));
    return 0;
}

static int parse_magic(struct parser *p)
{
    enum { OFFSET = 1, WIDTH = 2, VALUE = 4, MASK = 8 };
    static const char *const attributes[] = {"offset", "width", "value", "mask"}; /* in the order of the bits */
    int r = expect_size(p);
    if (r < 0)
        return r;
    if (p->magic_count == LAYOUT_MAX_MAGICS)
        return text_mistake(&p->line, "more than %d magics in layout '%s'", LAYOUT_MAX_MAGICS, p->current->name);
    struct magic magic = {.width = 0};
    unsigned seen = 0;
    for (size_t at = 1; at < p->line.word_count;) {
        r = text_choose(&p->line, &p->line.words[at], attributes, sizeof attributes / sizeof *attributes, "word",
                        "a magic has: ");
        if (r < 0)
            return r;
        const unsigned bit = 1u << r;
        uint64_t value;
        if ((r = take_once(p, at, &seen, bit)) < 0 ||
            (r = text_take_number(&p->line, &at, bit == MASK ? 1 : 0,
                                  bit == OFFSET || bit == WIDTH ? UINT32_MAX : UINT64_MAX, &value)) < 0)
            return r;
        if (bit == OFFSET)
            magic.offset = (uint32_t)value;
        else if (bit == WIDTH)
            magic.width = (uint32_t)value;
        else if (bit == VALUE)
            magic.value = value;
        else
            magic.mask = value;
    }
    if ((seen & (OFFSET | WIDTH | VALUE)) != (OFFSET | WIDTH | VALUE))
        return text_mistake(
            &p->line, "a magic without offset, width or value, expected: magic offset N width N value N [mask N]");
    struct err cause = ERR_INIT;
    if (layout_check_magic(&p->current->layout, &magic, &cause) < 0)
        return text_mistake(&p->line, "%s", err_message(&cause));
    p->current->layout.magics[p->magic_count++] = magic;
    return 0;
}

/* ---- columns ---- */

static int take_bits(struct parser *p, size_t *at, struct field *field)
{
    const struct word *word = text_take_word(&p->line, at, "FIRST-LAST");
    if (word == NULL)
        return -ERR_FORMAT;
    const char *dash = memchr(word->text, '-', word->length);
    size_t first_length = dash != NULL ? (size_t)(dash - word->text) : word->length;
    uint64_t first, last;
    bool good = !word->quoted && text_parse_unsigned(word->text, first_length, &first);
    if (good && dash != NULL)
        good = text_parse_unsigned(dash + 1, word->length - first_length - 1, &last);
    else if (good)
        last = first;
    if (!good || first > last || last > 63)
        return text_mistake(&p->line, "bits '%.*s', expected FIRST-LAST or one bit, the lowest first, 0 to 63",
                            SHOWN(word));
    field->first_bit = (uint8_t)first;
    field->bit_count = (uint8_t)(last - first + 1);
    return 0;
}

struct unit_name {
    enum column_unit unit;
    const char *name;
    int64_t factor; /* to the column's unit */
};

static const struct unit_name unit_names[] = {
    {UNIT_NS, "ns", 1},         {UNIT_NS, "us", 1000},    {UNIT_NS, "ms", 1000000},
    {UNIT_NS, "s", 1000000000}, {UNIT_BYTE, "byte", 1},   {UNIT_BYTE, "KB", 1000},
    {UNIT_BYTE, "MB", 1000000}, {UNIT_CYCLE, "cycle", 1}, {UNIT_TICK, "tick", 1},
};

static int take_unit(struct parser *p, size_t *at, const struct column *column, int64_t *ret_factor)
{
    const struct word *word = text_take_word(&p->line, at, "a unit");
    if (word == NULL)
        return -ERR_FORMAT;
    if (column->unit == UNIT_NONE)
        return text_mistake(&p->line, "unit '%.*s' for column '%s', which is a plain number", SHOWN(word),
                            column->name);
    const char *names[sizeof unit_names / sizeof *unit_names];
    char owner[LAYOUT_NAME_MAX + 32];
    for (size_t i = 0; i < sizeof unit_names / sizeof *unit_names; i++)
        names[i] = unit_names[i].unit == column->unit ? unit_names[i].name : NULL;
    snprintf(owner, sizeof(owner), language_said("column %s can be given in: "), column->name);
    int r = text_choose(&p->line, word, names, sizeof names / sizeof *names, "unit", owner);
    *ret_factor = r >= 0 ? unit_names[r].factor : 1;
    return r < 0 ? r : 0;
}

static int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Puts the unit's factor into the field's scale. */
static int apply_unit(struct parser *p, struct field *field, int64_t factor)
{
    int64_t multiply = field->multiply != 0 ? field->multiply : 1, divide = field->divide != 0 ? field->divide : 1;
    int64_t common = greatest_common_divisor(factor, divide);
    factor /= common;
    divide /= common;
    if (multiply > INT64_MAX / factor)
        return text_mistake(&p->line, "scale and unit of column '%s' multiply to more than 64 bits", field->column);
    field->multiply = multiply * factor;
    field->divide = divide;
    return 0;
}

/* The column that a line names; NULL with err set when it is none that a layout can give. */
static const struct column *find_column(struct parser *p, const struct word *word)
{
    const char *names[RECORD_MAX_COLUMNS];
    char owner[LAYOUT_NAME_MAX + 32];
    for (size_t i = 0; i < p->kind->column_count; i++) {
        const struct column *column = &p->kind->columns[i];
        names[i] = (column->flags & (COLUMN_DERIVED | COLUMN_FILE)) == 0 ? column->name : NULL;
        if (names[i] == NULL && layout_word_is(word, column->name)) {
            text_mistake(&p->line, "column '%s' of kind %s is computed; a layout cannot give it", column->name,
                         p->kind->name);
            return NULL;
        }
    }
    snprintf(owner, sizeof(owner), "kind %s has: ", p->kind->name);
    int r = text_choose(&p->line, word, names, p->kind->column_count, "column", owner);
    return r >= 0 ? &p->kind->columns[r] : NULL;
}

enum { COLUMN_OFFSET = 1, COLUMN_WIDTH = 2, COLUMN_SIGNED = 4, COLUMN_BITS = 8, COLUMN_SCALE = 16, COLUMN_UNIT = 32 };
enum { COLUMN_MINUS = 64, COLUMN_PLUS = 128, COLUMN_OF = 256, COLUMN_DELTA = 512, COLUMN_RELATIONS = 960 };

/* "minus COLUMN" and its like; that the layout gives the column is checked when the layout is complete. */
static int take_relation(struct parser *p, size_t *at, unsigned bit, unsigned seen, struct field *field)
{
    if ((seen & COLUMN_RELATIONS & ~bit) != 0)
        return text_mistake(&p->line, "'%.*s' beside another of minus, plus, of and delta", SHOWN(&p->line.words[*at]));
    field->relation = bit == COLUMN_MINUS  ? FIELD_MINUS
                      : bit == COLUMN_PLUS ? FIELD_PLUS
                      : bit == COLUMN_OF   ? FIELD_OF
                                           : FIELD_DELTA;
    if (bit == COLUMN_DELTA) {
        (*at)++;
        return 0;
    }
    const struct word *word = text_take_word(&p->line, at, "COLUMN");
    const struct column *other = word != NULL ? find_column(p, word) : NULL;
    field->other = other != NULL ? other->name : NULL;
    return other != NULL ? 0 : -ERR_FORMAT;
}

/* One attribute of a column line; moves *at behind it. */
static int parse_column_attribute(struct parser *p, size_t *at, const struct column *column, struct field *field,
                                  int64_t *factor, unsigned *seen)
{
    static const char *const attributes[] = {"offset", "width", "signed", "bits", "scale", "unit",
                                             "minus",  "plus",  "of",     "delta"}; /* in the order of the bits */
    int r = text_choose(&p->line, &p->line.words[*at], attributes, sizeof attributes / sizeof *attributes, "word",
                        "a column has: ");
    if (r < 0)
        return r;
    const unsigned bit = 1u << r;
    r = take_once(p, *at, seen, bit);
    if (r < 0)
        return r;
    if (column->type == COLUMN_TEXT && bit > COLUMN_WIDTH)
        return text_mistake(&p->line, "'%.*s' for column '%s', which is text and has only offset and width",
                            SHOWN(&p->line.words[*at]), column->name);
    uint64_t value;
    switch (bit) {
    case COLUMN_OFFSET:
        r = text_take_number(&p->line, at, 0, UINT32_MAX, &value);
        if (r == 0)
            field->offset = (uint32_t)value;
        return r;
    case COLUMN_WIDTH:
        r = text_take_number(&p->line, at, 1, column->type == COLUMN_TEXT ? RECORD_MAX_SIZE : 8, &value);
        if (r == 0)
            field->width = (uint32_t)value;
        return r;
    case COLUMN_SIGNED:
        field->is_signed = true;
        (*at)++;
        return 0;
    case COLUMN_BITS:
        return take_bits(p, at, field);
    case COLUMN_SCALE:
        return text_take_scale(&p->line, at, &field->multiply, &field->divide);
    case COLUMN_UNIT:
        return take_unit(p, at, column, factor);
    default:
        return take_relation(p, at, bit, *seen, field);
    }
}

static int append_field(struct parser *p, const struct field *field)
{
    struct loaded_layout *current = p->current;
    size_t count = current->layout.field_count;
    if (count == current->field_capacity &&
        array_grow(&current->fields, &current->field_capacity, count, 1, sizeof *current->fields, p->line.err) < 0)
        return -(int)p->line.err->code;
    current->layout.fields = current->fields;
    current->fields[count] = *field;
    current->layout.field_count = count + 1;
    struct err cause = ERR_INIT;
    if (layout_check_field(p->kind, &current->layout, count, &cause) < 0)
        return text_mistake(&p->line, "%s", err_message(&cause));
    return 0;
}

static int parse_column(struct parser *p)
{
    int r = expect_size(p);
    if (r < 0)
        return r;
    if (p->line.word_count < 2)
        return text_mistake(&p->line, "'column' without a name, expected: column NAME offset N width N ...");
    const struct column *column = find_column(p, &p->line.words[1]);
    if (column == NULL)
        return -ERR_FORMAT;
    struct field field = {.column = column->name};
    unsigned seen = 0;
    int64_t factor = 1;
    for (size_t at = 2; at < p->line.word_count;)
        if ((r = parse_column_attribute(p, &at, column, &field, &factor, &seen)) < 0)
            return r;
    if ((seen & COLUMN_OFFSET) == 0 || (seen & COLUMN_WIDTH) == 0)
        return text_mistake(&p->line, "column '%s' without %s, expected: column NAME offset N width N ...",
                            column->name, (seen & COLUMN_OFFSET) == 0 ? "offset" : "width");
    if ((seen & (COLUMN_SCALE | COLUMN_UNIT)) != 0 && (r = apply_unit(p, &field, factor)) < 0)
        return r;
    return append_field(p, &field);
}

static int parse_frequency(struct parser *p)
{
    uint64_t khz;
    int r = text_take_only_number(&p->line, "frequency KHZ", 1, LAYOUT_KHZ_MAX, &khz);
    if (r == 0)
        p->current->layout.core_khz = (int64_t)khz;
    return r;
}

static int parse_miss_rate(struct parser *p)
{
    struct layout_rate *rate = &p->current->layout.icache_miss_rate;
    if (p->kind->rated == NULL)
        return text_mistake(&p->line, "'%.*s' for kind %s, whose records have no such rate", SHOWN(&p->line.words[0]),
                            p->kind->name);
    if (rate->given)
        return text_mistake(&p->line, "a second '%.*s' in layout '%s'", SHOWN(&p->line.words[0]), p->current->name);
    return layout_rate_parse(&p->line, p->kind->rated, rate);
}

/* ---- files ---- */

static int parse_line(struct parser *p, const char *line, size_t length)
{
    static const struct {
        const char *name;
        bool inside; /* of a layout */
        int (*parse)(struct parser *p);
    } directives[] = {
        {"kind", false, parse_kind},          {"layout", false, parse_layout},
        {"source", true, parse_source},       {"size", true, parse_size},
        {"header", true, parse_header},       {"endian", true, parse_endian},
        {"magic", true, parse_magic},         {"column", true, parse_column},
        {"frequency", true, parse_frequency}, {LAYOUT_MISS_RATE, true, parse_miss_rate},
    };
    int r = text_split(&p->line, line, length);
    if (r < 0 || p->line.word_count == 0)
        return r;
    const char *names[sizeof directives / sizeof *directives];
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        names[i] = directives[i].name;
    r = text_choose(&p->line, &p->line.words[0], names, sizeof names / sizeof *names, "word",
                    language_said("a line begins with: "));
    if (r < 0)
        return r;
    if (directives[r].inside && p->current == NULL)
        return text_mistake(&p->line, "'%s' outside a layout, expected a line 'layout NAME' first", names[r]);
    return directives[r].parse(p);
}

static int parse_text(struct parser *p, const char *text, size_t length)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    size_t at = length >= 3 && memcmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
    while (at < length) {
        p->line.number++;
        const char *line = text + at, *end = memchr(line, '\n', length - at);
        size_t line_length = end != NULL ? (size_t)(end - line) : length - at;
        at += line_length + 1;
        if (line_length > 0 && line[line_length - 1] == '\r')
            line_length--;
        int r = parse_line(p, line, line_length);
        if (r < 0)
            return r;
    }
    int r = finish_layout(p);
    if (r < 0)
        return r;
    if (p->first == NULL)
        return err_set(p->line.err, ERR_FORMAT,
                       "%s: no layout in it, expected lines 'kind NAME', 'layout NAME', 'size BYTES' and 'column ...'",
                       p->line.name);
    return 0;
}

/* Marks what the new layouts replace in an older list. */
static void replace_older(const struct loaded_layout *added, struct loaded_layout *older)
{
    for (; older != NULL; older = older->next)
        for (const struct loaded_layout *one = added; one != NULL; one = one->next)
            if (one->kind == older->kind && strcmp(one->name, older->name) == 0)
                older->replaced = true;
}

int layout_set_parse(struct layout_set *set, const char *name, const char *text, size_t length, struct err *err)
{
    if (length > LAYOUT_FILE_LIMIT)
        return err_set(err, ERR_LIMIT, "%s: %zu bytes long, a layout file has at most %d", name, length,
                       LAYOUT_FILE_LIMIT);
    struct parser p = {.line = {.name = name, .err = err}};
    int r = parse_text(&p, text, length);
    if (r < 0) {
        struct layout_set unused = {.first = p.first};
        layout_set_release(&unused);
        return r;
    }
    replace_older(p.first, set->first);
    struct loaded_layout **end = &p.first;
    while (*end != NULL)
        end = &(*end)->next;
    *end = set->first;
    set->first = p.first;
    return 0;
}

/* ---- from the disk: one, or all of a directory ---- */

int layout_set_load_file(struct layout_set *set, const char *path, struct err *err)
{
    SCOPED_FREE char *text = NULL;
    size_t length;
    int r = path_read_file(path, LAYOUT_FILE_LIMIT, &text, &length, err);
    if (r < 0)
        return err_wrap(err, "cannot read layout file '%s'", path);
    return layout_set_parse(set, path, text, length, err);
}

int layout_set_load_named(struct layout_set *set, const char *path, struct err *err)
{
    const struct loaded_layout *before = set->first;
    int status = layout_set_load_file(set, path, err);
    for (struct loaded_layout *loaded = set->first; status == 0 && loaded != before; loaded = loaded->next)
        loaded->named = true;
    return status;
}

static int is_layout_file(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return entry->d_name[0] != '.' && dot != NULL && strcmp(dot, ".layout") == 0;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* not by the locale, as alphasort would */
}

int layout_set_load_directory(struct layout_set *set, const char *path, struct err *err)
{
    SCOPED_FREE struct dirent **entries = NULL;
    int count = scandir(path, &entries, is_layout_file, compare_names);
    if (count < 0)
        return errno == ENOENT ? 0 : err_set_errno(err, errno, "cannot read layout directory '%s'", path);
    int r = 0;
    for (int i = 0; i < count; i++) {
        SCOPED_FREE char *file = r == 0 ? path_join(path, entries[i]->d_name) : NULL;
        if (file != NULL)
            r = layout_set_load_file(set, file, err);
        else if (r == 0)
            r = err_no_memory(err);
        free(entries[i]);
    }
    return r;
}
