/* SPDX-License-Identifier: Apache-2.0 */
#include "base/diag.h"

#include "base/array.h"
#include "base/strbuf.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SLOT_COUNT ((size_t)2 * DIAG_MAX_ENTRIES) /* a power of two, never more than half full */
#define PHRASE_SIZE 512                           /* bytes of one problem's own words */
#define LINE_MAXIMUM 8192                         /* bytes of a whole text: the longest path, phrase and remedy fit */

static const struct diag_info infos[DIAG_COUNT] = {
#define DIAG_INFO(constant, id, severity, meaning, remedy) [constant] = {id, severity, meaning, remedy},
    DIAG_LIST(DIAG_INFO)
#undef DIAG_INFO
};

const struct diag_info *diag_info(enum diag_id id)
{
    return &infos[id];
}

const char *diag_severity_name(enum diag_severity severity)
{
    static const char *const names[] = {[DIAG_NOTE] = "note", [DIAG_WARNING] = "warning", [DIAG_ERROR] = "error"};
    return names[severity];
}

void diag_init(struct diagnostics *diag, bool strict)
{
    *diag = (struct diagnostics){.strict = strict};
}

static void free_line(struct diag_entry *entry, size_t k)
{
    free(entry->texts[k]);
    free(entry->said[k]);
}

void diag_release(struct diagnostics *diag)
{
    for (size_t i = 0; i < diag->count; i++) {
        struct diag_entry *entry = &diag->entries[i];
        free(entry->file);
        for (size_t k = 0; k < entry->kept; k++)
            free_line(entry, k);
    }
    free(diag->entries);
    free(diag->slots);
    diag_init(diag, diag->strict);
}

static bool entry_is(const struct diag_entry *entry, enum diag_id id, const char *file)
{
    return entry->id == id && strcmp(entry->file, file) == 0;
}

/* FNV-1a */
static size_t hash(enum diag_id id, const char *file)
{
    uint64_t value = (UINT64_C(14695981039346656037) ^ (uint64_t)id) * UINT64_C(1099511628211);
    for (const char *p = file; *p != '\0'; p++)
        value = (value ^ (unsigned char)*p) * UINT64_C(1099511628211);
    return (size_t)(value ^ value >> 32) & (SLOT_COUNT - 1);
}

/* Appends an entry without a place in the hash table; NULL when memory ran out. */
static struct diag_entry *append_entry(struct diagnostics *diag, enum diag_id id, const char *file)
{
    struct err ignored = ERR_INIT;
    if (diag->count == diag->capacity &&
        array_grow(&diag->entries, &diag->capacity, diag->count, 1, sizeof *diag->entries, &ignored) < 0)
        return NULL;
    char *name = strdup(file);
    if (name == NULL)
        return NULL;
    struct diag_entry *entry = &diag->entries[diag->count++];
    /* Those that are made where they belong have odd places, marks are even. */
    *entry = (struct diag_entry){.id = id, .file = name, .order = diag->back ? diag->mark : 2 * diag->count - 1};
    return entry;
}

/* The entry of (id, file), made when there is none yet; NULL when there is no room for it. */
static struct diag_entry *find_entry(struct diagnostics *diag, enum diag_id id, const char *file)
{
    if (diag->latest < diag->count && entry_is(&diag->entries[diag->latest], id, file))
        return &diag->entries[diag->latest];
    if (diag->slots == NULL)
        diag->slots = calloc(SLOT_COUNT, sizeof *diag->slots);
    if (diag->slots == NULL) {
        diag->out_of_memory = true;
        return NULL;
    }
    size_t slot = hash(id, file);
    for (; diag->slots[slot] != 0; slot = (slot + 1) & (SLOT_COUNT - 1)) {
        size_t index = diag->slots[slot] - 1;
        if (entry_is(&diag->entries[index], id, file)) {
            diag->latest = index;
            return &diag->entries[index];
        }
    }
    if (diag->count == DIAG_MAX_ENTRIES)
        return NULL;
    struct diag_entry *entry = append_entry(diag, id, file);
    if (entry == NULL) {
        diag->out_of_memory = true;
        return NULL;
    }
    diag->slots[slot] = (uint32_t)diag->count;
    diag->latest = diag->count - 1;
    return entry;
}

/* Counts n reports; the entry, or NULL when they are in none. */
static struct diag_entry *count_reports(struct diagnostics *diag, enum diag_id id, const char *file, uint64_t n)
{
    diag->by_severity[infos[id].severity] += n;
    diag->latest_id = id;
    struct diag_entry *entry = find_entry(diag, id, file != NULL ? file : "");
    if (entry == NULL)
        diag->unlisted += n;
    else
        entry->count += n;
    return entry;
}

static const char *as_written(const char *text) __attribute__((format_arg(1)));
static const char *as_written(const char *text)
{
    return text;
}

/* "<file>: record <n>, offset <o>, field <f>: <phrase>; <remedy>" with the parts that are known (free() it), in the
 * language of `say`; NULL when memory ran out. */
static char *compose_line(const struct place *place, const char *phrase, const char *remedy,
                          const char *(*say)(const char *text) __attribute__((format_arg(1))))
{
    struct strbuf line;
    strbuf_init(&line, LINE_MAXIMUM);
    if (place->file != NULL && place->file[0] != '\0')
        strbuf_addf(&line, "%s: ", place->file);
    const char *separator = "";
    if (place->record >= 0) {
        strbuf_addf(&line, say(LANGUAGE_MARK("record %" PRId64)), place->record);
        separator = ", ";
    }
    if (place->offset >= 0) {
        strbuf_adds(&line, separator);
        strbuf_addf(&line, say(LANGUAGE_MARK("offset %" PRId64)), place->offset);
        separator = ", ";
    }
    if (place->field != NULL) {
        strbuf_adds(&line, separator);
        strbuf_addf(&line, say(LANGUAGE_MARK("field %s")), place->field);
        separator = ", ";
    }
    strbuf_addf(&line, "%s%s; %s", separator[0] != '\0' ? ": " : "", phrase, say(remedy));
    char *text = strbuf_detach(&line);
    if (text != NULL)
        utf8_mask(text);
    return text;
}

void diag_report(struct diagnostics *diag, enum diag_id id, const struct place *place, const char *format, ...)
{
    static const struct place nowhere = {.record = -1, .offset = -1};
    if (place == NULL)
        place = &nowhere;
    struct diag_entry *entry = count_reports(diag, id, place->file, 1);
    if (entry == NULL || entry->kept == DIAG_KEPT_IN_FULL)
        return;
    char phrase[PHRASE_SIZE];
    ERR_FORMAT(phrase, format);
    char *text = compose_line(place, phrase, infos[id].remedy, as_written);
    if (text == NULL) {
        diag->out_of_memory = true;
        return;
    }
    entry->texts[entry->kept] = text;
    if (language_is_set()) {
        char said[PHRASE_SIZE];
        ERR_FORMAT_SAID(said, format);
        /* a format of one text: that is the phrase */
        entry->said[entry->kept] = compose_line(place, strcmp(format, "%s") == 0 ? language_said(phrase) : said,
                                                infos[id].remedy, language_said);
    }
    entry->records[entry->kept] = place->record;
    entry->offsets[entry->kept] = place->offset;
    entry->kept++;
}

size_t diag_mark(const struct diagnostics *diag)
{
    return 2 * diag->count;
}

void diag_go_back(struct diagnostics *diag, size_t mark)
{
    diag->back = true;
    diag->mark = mark;
}

ARRAY_COMPARE(by_place, struct diag_entry, ARRAY_BY(order), ARRAY_BY(made))

/* Those that were made meanwhile are at the end: each goes to its place, behind others of that. */
void diag_go_on(struct diagnostics *diag)
{
    size_t sorted = 1;
    diag->back = false;
    while (sorted < diag->count && diag->entries[sorted - 1].order <= diag->entries[sorted].order)
        sorted++;
    if (sorted >= diag->count)
        return;
    for (size_t i = 0; i < diag->count; i++)
        diag->entries[i].made = i;
    qsort(diag->entries, diag->count, sizeof *diag->entries, by_place);
    if (diag->slots == NULL)
        return;
    memset(diag->slots, 0, SLOT_COUNT * sizeof *diag->slots);
    for (size_t i = 0; i < diag->count; i++) {
        size_t slot = hash(diag->entries[i].id, diag->entries[i].file);
        while (diag->slots[slot] != 0)
            slot = (slot + 1) & (SLOT_COUNT - 1);
        diag->slots[slot] = (uint32_t)i + 1;
    }
    diag->latest = diag->count;
}

enum diag_id diag_find(const char *name)
{
    int id = 0;
    while (id < DIAG_COUNT && strcmp(infos[id].id, name) != 0)
        id++;
    return (enum diag_id)id;
}

/* said: the lines in the user's language, each NULL where it is the same; or NULL. */
static void restore(struct diagnostics *diag, enum diag_id id, const char *file, uint64_t count, char *const *lines,
                    char *const *said, size_t line_count)
{
    struct diag_entry *entry = count > 0 || line_count > 0 ? count_reports(diag, id, file, count) : NULL;
    for (size_t i = 0; entry != NULL && i < line_count && entry->kept < DIAG_KEPT_IN_FULL; i++) {
        char *text = strdup(lines[i]);
        if (text == NULL) {
            diag->out_of_memory = true;
            return;
        }
        entry->texts[entry->kept] = text;
        if (said != NULL && said[i] != NULL)
            entry->said[entry->kept] = strdup(said[i]);
        entry->records[entry->kept] = entry->offsets[entry->kept] = -1;
        entry->kept++;
    }
}

void diag_restore(struct diagnostics *diag, enum diag_id id, const char *file, uint64_t count, char *const *lines,
                  size_t line_count)
{
    restore(diag, id, file, count, lines, NULL, line_count);
}

const char *diag_line(const struct diag_entry *entry, size_t k)
{
    return entry->said[k] != NULL ? entry->said[k] : entry->texts[k];
}

void diag_merge(struct diagnostics *diag, const struct diagnostics *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct diag_entry *entry = &from->entries[i];
        restore(diag, entry->id, entry->file, entry->count, entry->texts, entry->said, entry->kept);
    }
    diag->out_of_memory |= from->out_of_memory;
}

bool diag_has(const struct diagnostics *diag, enum diag_id id)
{
    size_t i = 0;
    while (i < diag->count && diag->entries[i].id != id)
        i++;
    return i < diag->count;
}

uint64_t diag_reports(const struct diagnostics *diag)
{
    return diag->by_severity[DIAG_NOTE] + diag_problems(diag);
}

uint64_t diag_problems(const struct diagnostics *diag)
{
    return diag->by_severity[DIAG_WARNING] + diag->by_severity[DIAG_ERROR];
}

bool diag_is_fatal(const struct diagnostics *diag)
{
    return diag->strict && diag_problems(diag) > 0;
}

int diag_fatal_error(const struct diagnostics *diag, struct err *err)
{
    err_set(err, ERR_STRICT, "the capture has data problems");
    for (size_t i = 0; i < diag->count; i++) {
        const struct diag_entry *entry = &diag->entries[i];
        const struct diag_info *info = &infos[entry->id];
        if (info->severity == DIAG_NOTE)
            continue;
        if (entry->kept > 0)
            err_set(err, ERR_STRICT, "%s", diag_line(entry, 0));
        else
            err_set(err, ERR_STRICT, "%s%s%s; %s", entry->file, entry->file[0] != '\0' ? ": " : "",
                    language_said(info->meaning), language_said(info->remedy));
        break;
    }
    err_hint_caller(err, "without strict, intact data is kept");
    return err_hint(err, "without --strict, intact data is kept");
}

bool diag_check_span(struct diagnostics *diag, const struct place *place, const char *what, int64_t start_ns,
                     int64_t end_ns)
{
    const int64_t last_start = INT64_MAX - DURATION_LIMIT_NS;
    struct place at = *place;
    if (span_is_sound(start_ns, end_ns))
        return true;
    at.field = "end_ns";
    if (start_ns < 0 || start_ns > last_start) {
        at.field = "start_ns";
        diag_report(diag, DIAG_RECORD_VALUE, &at, "%s starts at %lld ns; expected 0 to %lld", what, (long long)start_ns,
                    (long long)last_start);
    } else if (end_ns < start_ns) {
        diag_report(diag, DIAG_RECORD_VALUE, &at, "%s ends (%lld ns) before it starts (%lld ns); expected end >= start",
                    what, (long long)end_ns, (long long)start_ns);
    } else {
        diag_report(diag, DIAG_RECORD_VALUE, &at, "%s lasts %lld ns; expected at most %lld", what,
                    (long long)(end_ns - start_ns), (long long)DURATION_LIMIT_NS);
    }
    return false;
}
