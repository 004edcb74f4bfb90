/* SPDX-License-Identifier: Apache-2.0 */
#include "features/diff/diff_output.h"

#include "base/file/fsutil.h"
#include "base/file/large.h"
#include "base/file/outfile.h"
#include "base/format/json_in.h"
#include "base/strbuf.h"
#include "exporters/json_seal.h"
#include "exporters/json_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SCHEMA SCHEMA_BASELINE
#define SCHEMA_NAME "msprof.baseline/"
#define HEAD "{\"schema\":\""

/* The parts of one of the structures in a baseline: the members' names are those in the file. */
/* FORM_PROFILE_TEXT: one of the profile's texts. FORM_FLAG, FORM_NOTE: a truth, an owned text; there when it is true,
 * and when it is not empty. */
enum form {
    FORM_FIXED_TEXT,
    FORM_OWNED_TEXT,
    FORM_PROFILE_TEXT,
    FORM_COUNT,
    FORM_NUMBER,
    FORM_TRUTH,
    FORM_FLAG,
    FORM_NOTE
};
struct part {
    const char *name; /* NULL ends a list */
    enum form form;
    size_t offset, size;
};
#define PART_AS(type, member, form)                                                                                    \
    {                                                                                                                  \
#member, form, offsetof(type, member), sizeof(((type *)NULL)->member)                                          \
    }
/* The form follows from the type; of arrays it is FORM_FIXED_TEXT. */
#define PART(type, member)                                                                                             \
    PART_AS(type, member,                                                                                              \
            _Generic(&((type *)NULL)->member, int64_t *                                                                \
                     : FORM_COUNT, uint64_t *                                                                          \
                     : FORM_COUNT, double *                                                                            \
                     : FORM_NUMBER, bool *                                                                             \
                     : FORM_TRUTH, char **                                                                             \
                     : FORM_OWNED_TEXT, const char **                                                                  \
                     : FORM_PROFILE_TEXT, default                                                                        \
                     : FORM_FIXED_TEXT))

#define OF_SERIES(member) PART(struct series, member)
static const struct part series_parts[] = {
    OF_SERIES(n),       OF_SERIES(median),  OF_SERIES(mad), OF_SERIES(total),
    OF_SERIES(minimum), OF_SERIES(maximum), {.name = NULL},
};
#define FACT(member) PART(struct workload_facts, member)
static const struct part facts_parts[] = {
    FACT(family),    FACT(chip),      FACT(models),     FACT(metrics),  FACT(cube_cores), FACT(vector_cores),
    FACT(clock_khz), FACT(rated_khz), FACT(tick_ns),    FACT(devices),  FACT(problems),   FACT(times_known),
    FACT(placed),    FACT(recorded),  FACT(unrecorded), FACT(interval), {.name = NULL},
};
static const struct part group_parts[] = {PART(struct profile_group, key),
                                          PART(struct profile_group, batch),
                                          PART(struct profile_group, fps),
                                          {.name = NULL}};
#define OF_ROW(member) PART(struct profile_row, member)
static const struct part row_parts[] = {
    OF_ROW(key),    OF_ROW(name),       OF_ROW(type),   OF_ROW(shapes),
    OF_ROW(order),  OF_ROW(conversion), OF_ROW(ai_cpu), PART_AS(struct profile_row, varies, FORM_FLAG),
    {.name = NULL},
};
#define OF_PROFILE(member) PART(struct profile, member)
static const struct part profile_parts[] = {
    OF_PROFILE(steps),
    OF_PROFILE(warmup),
    PART_AS(struct profile, cut_steps, FORM_NOTE),
    OF_PROFILE(executions),
    OF_PROFILE(refused),
    OF_PROFILE(time_ns),
    OF_PROFILE(busy_ns),
    OF_PROFILE(free_ns),
    OF_PROFILE(ai_cpu_ns),
    OF_PROFILE(conversion_ns),
    OF_PROFILE(cube_share),
    OF_PROFILE(read_write_bytes),
    {.name = NULL},
};

/* ---- writing ---- */

static void put_text(struct strbuf *out, const char *name, const char *text)
{
    strbuf_addf(out, "\"%s\":", name);
    json_text_quote(out, text, strlen(text));
    strbuf_addc(out, ',');
}

static void put_integer(struct strbuf *out, const char *name, int64_t value)
{
    strbuf_addf(out, "\"%s\":\"%" PRId64 "\",", name, value);
}

static void put_parts(struct strbuf *out, const struct part *parts, const void *structure)
{
    for (const struct part *part = parts; part->name != NULL; part++) {
        const void *member = (const char *)structure + part->offset;
        switch (part->form) {
        case FORM_FIXED_TEXT:
            put_text(out, part->name, member);
            break;
        case FORM_OWNED_TEXT:
        case FORM_PROFILE_TEXT:
            put_text(out, part->name, *(char *const *)member);
            break;
        case FORM_COUNT:
            put_integer(out, part->name, *(const int64_t *)member);
            break;
        case FORM_NUMBER:
            strbuf_addf(out, "\"%s\":\"%.17g\",", part->name, *(const double *)member);
            break;
        case FORM_TRUTH:
            put_integer(out, part->name, *(const bool *)member);
            break;
        case FORM_FLAG:
            if (*(const bool *)member)
                put_integer(out, part->name, 1);
            break;
        case FORM_NOTE:
            if (**(char *const *)member != '\0')
                put_text(out, part->name, *(char *const *)member);
            break;
        }
    }
}

static void put_series(struct strbuf *out, const struct series *series)
{
    put_parts(out, series_parts, series);
    strbuf_adds(out, "\"samples\":\"");
    for (size_t i = 0; i < series->sample_count; i++)
        strbuf_addf(out, "%s%" PRId64, i > 0 ? " " : "", series->samples[i]);
    strbuf_adds(out, "\"");
}

static void put_row(struct strbuf *out, const struct profile_row *row)
{
    strbuf_adds(out, "{");
    put_parts(out, row_parts, row);
    put_series(out, &row->durations);
    strbuf_adds(out, "}");
}

static void put_group(struct strbuf *out, const struct profile_group *group)
{
    strbuf_adds(out, "{");
    put_parts(out, group_parts, group);
    for (int m = 0; m < MEASURES; m++) {
        strbuf_addf(out, "%s\n\"%s\":{", m > 0 ? "," : "", profile_measure_name((enum measure)m));
        put_series(out, &group->measures[m]);
        strbuf_adds(out, "}");
    }
    strbuf_adds(out, "}");
}

static void put_profile(struct strbuf *out, const struct profile *profile)
{
    strbuf_adds(out, "{");
    put_text(out, "name", profile->name);
    put_parts(out, facts_parts, &profile->facts);
    put_integer(out, "step_source", profile->step_source);
    put_parts(out, profile_parts, profile);
    strbuf_adds(out, "\n\"groups\":[");
    for (size_t g = 0; g < profile->group_count; g++) {
        strbuf_adds(out, g > 0 ? ",\n" : "\n");
        put_group(out, &profile->groups[g]);
    }
    strbuf_adds(out, "],\n\"tables\":{");
    for (int t = 0; t < SUBJECTS; t++) {
        if (t == BY_LINE && !profile->tables[t].known)
            continue;
        strbuf_addf(out, "%s\n\"%s\":[", t > 0 ? "," : "", profile_subject_name((enum subject)t));
        for (size_t i = 0; i < profile->tables[t].count; i++) {
            strbuf_adds(out, i > 0 ? ",\n" : "\n");
            put_row(out, &profile->tables[t].rows[i]);
        }
        strbuf_adds(out, "]");
    }
    strbuf_adds(out, "}}");
}

int baseline_write(const char *path, const struct profile *const *profiles, size_t count, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf text;
    struct outfile out;

    strbuf_init(&text, BASELINE_MAX_BYTES);
    strbuf_adds(&text, HEAD SCHEMA "\",\n\"captures\":[\n");
    for (size_t i = 0; i < count; i++) {
        strbuf_adds(&text, i > 0 ? ",\n" : "");
        put_profile(&text, profiles[i]);
    }
    strbuf_adds(&text, "]");
    json_seal(&text);
    if (text.failed) {
        err_set(err, ERR_LIMIT, "the baseline would be longer than %zu MB", BASELINE_MAX_BYTES >> 20);
        return err_hint(err, "keep fewer captures in one baseline");
    }
    if (outfile_open(&out, path, err) < 0)
        return err_status(err);
    outfile_add(&out, &text);
    return outfile_commit(&out, err);
}

int baseline_check_target(const char *path, struct err *err)
{
    static const char beginning[] = HEAD SCHEMA_NAME, of_operator[] = HEAD SCHEMA_SAMPLES;
    char head[sizeof of_operator - 1];
    struct stat info;
    SCOPED_CLOSE int fd = -1;
    if (stat(path, &info) != 0)
        return errno == ENOENT ? 0 : err_set_errno(err, errno, "cannot read '%s'", path);
    if (!S_ISREG(info.st_mode) || info.st_size == 0)
        return 0; /* nothing is lost, or who opens it says what is wrong */
    if ((fd = path_open_regular(path, err)) < 0)
        return err_status(err);
    if (file_read_at(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
        (memcmp(head, beginning, sizeof beginning - 1) == 0 || memcmp(head, of_operator, sizeof head) == 0))
        return 0;
    err_set(err, ERR_USAGE, "'%s' exists and is not a baseline", path);
    err_hint_caller(err, "choose another file, or remove this one");
    return err_hint(err, "--save replaces only baselines: choose another file, or remove this one");
}

/* ---- reading ---- */

struct reading {
    struct err *err;
    bool failed;
    struct text_blocks *texts; /* of the profile */
};

static void wrong(struct reading *reading, const char *name)
{
    if (!reading->failed)
        err_set(reading->err, ERR_FORMAT, "its '%s' is missing or invalid", name);
    reading->failed = true;
}

static const char *get_text(struct reading *reading, const struct json *object, const char *name)
{
    const char *text = json_string(json_member(object, name));

    if (text == NULL)
        wrong(reading, name);
    return text != NULL ? text : "";
}

static int64_t get_integer(struct reading *reading, const struct json *object, const char *name)
{
    int64_t value = 0;

    if (!json_integer(json_member(object, name), &value))
        wrong(reading, name);
    return value;
}

static double get_real(struct reading *reading, const struct json *object, const char *name)
{
    const char *text = get_text(reading, object, name);
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || !(value >= -1e300 && value <= 1e300)) {
        wrong(reading, name);
        return 0;
    }
    return value;
}

static void get_fixed(struct reading *reading, const struct json *object, const char *name, char *ret, size_t size)
{
    const char *text = get_text(reading, object, name);

    if (strlen(text) >= size)
        wrong(reading, name);
    else
        memcpy(ret, text, strlen(text) + 1);
}

static char *get_copy(struct reading *reading, const struct json *object, const char *name)
{
    char *copy = strdup(get_text(reading, object, name));

    if (copy == NULL)
        wrong(reading, name);
    return copy;
}

static const char *get_kept(struct reading *reading, const struct json *object, const char *name)
{
    const char *text = get_text(reading, object, name), *copy = texts_add(reading->texts, text, strlen(text));

    if (copy == NULL)
        wrong(reading, name);
    return copy;
}

static char *get_note(struct reading *reading, const struct json *member, const char *name)
{
    const char *text = member != NULL ? json_string(member) : "";
    char *copy = text != NULL ? strdup(text) : NULL;

    if (copy == NULL)
        wrong(reading, name);
    return copy;
}

static void get_parts(struct reading *reading, const struct json *object, const struct part *parts, void *structure)
{
    for (const struct part *part = parts; part->name != NULL; part++) {
        void *member = (char *)structure + part->offset;
        switch (part->form) {
        case FORM_FIXED_TEXT:
            get_fixed(reading, object, part->name, member, part->size);
            break;
        case FORM_OWNED_TEXT:
            *(char **)member = get_copy(reading, object, part->name);
            break;
        case FORM_PROFILE_TEXT:
            *(const char **)member = get_kept(reading, object, part->name);
            break;
        case FORM_COUNT:
            *(int64_t *)member = get_integer(reading, object, part->name);
            break;
        case FORM_NUMBER:
            *(double *)member = get_real(reading, object, part->name);
            break;
        case FORM_TRUTH:
            *(bool *)member = get_integer(reading, object, part->name) != 0;
            break;
        case FORM_FLAG:
            *(bool *)member = json_member(object, part->name) != NULL;
            break;
        case FORM_NOTE:
            *(char **)member = get_note(reading, json_member(object, part->name), part->name);
            break;
        }
    }
}

/* Returns how many there are. */
static size_t read_samples(struct reading *reading, const struct json *object, int64_t samples[SAMPLES_MAX])
{
    const char *text = get_text(reading, object, "samples");
    size_t count = 0;

    if (*text == '\0')
        return 0;
    for (;;) {
        char *end;
        errno = 0;
        long long value = strtoll(text, &end, 10);
        if (end == text || errno != 0 || count == SAMPLES_MAX || (*end != ' ' && *end != '\0') ||
            (count > 0 && value < samples[count - 1])) {
            wrong(reading, "samples");
            return 0;
        }
        samples[count++] = value;
        if (*end == '\0')
            return count;
        text = end + 1;
    }
}

/* The samples are the profile's, or of the series itself. */
static void get_series(struct reading *reading, const struct json *object, struct series *series, bool own_samples)
{
    int64_t samples[SAMPLES_MAX];

    get_parts(reading, object, series_parts, series);
    const size_t count = read_samples(reading, object, samples), size = count * sizeof *samples;
    if (count > 0) {
        series->samples = own_samples ? malloc(size) : texts_numbers(reading->texts, count);
        if (series->samples == NULL) {
            wrong(reading, "samples");
            return;
        }
        memcpy(series->samples, samples, size);
        series->sample_count = count;
    }
    if (series->n < 0 || (series->n == 0) != (series->sample_count == 0) || series->n < (int64_t)series->sample_count)
        wrong(reading, "n");
}

static size_t count_of(const struct json *array)
{
    size_t count = 0;

    for (const struct json *item = json_first(array); item != NULL; item = json_next(item))
        count++;
    return count;
}

static void get_row(struct reading *reading, const struct json *object, struct profile_row *row)
{
    get_parts(reading, object, row_parts, row);
    get_series(reading, object, &row->durations, false);
}

static void get_table(struct reading *reading, const struct json *array, const char *name, struct profile_table *table)
{
    size_t count = count_of(array);

    struct err why = ERR_INIT;
    table->rows = json_is_array(array) ? large_new(count + 1, sizeof *table->rows, &why) : NULL;
    if (table->rows == NULL) {
        wrong(reading, name);
        return;
    }
    table->known = count > 0;
    for (const struct json *item = json_first(array); item != NULL && !reading->failed; item = json_next(item)) {
        struct profile_row *row = &table->rows[table->count++];
        get_row(reading, item, row);
        if (row->key == NULL || (table->count > 1 && strcmp(row[-1].key, row->key) >= 0))
            wrong(reading, name);
    }
}

static void get_groups(struct reading *reading, const struct json *array, struct profile *profile)
{
    profile->groups = json_is_array(array) ? calloc(count_of(array) + 1, sizeof *profile->groups) : NULL;
    if (profile->groups == NULL) {
        wrong(reading, "groups");
        return;
    }
    for (const struct json *item = json_first(array); item != NULL && !reading->failed; item = json_next(item)) {
        struct profile_group *group = &profile->groups[profile->group_count++];
        get_parts(reading, item, group_parts, group);
        for (int m = 0; m < MEASURES; m++)
            get_series(reading, json_member(item, profile_measure_name((enum measure)m)), &group->measures[m], true);
        if (group->key == NULL)
            wrong(reading, "key");
    }
}

static void get_profile(struct reading *reading, const struct json *object, struct profile *profile)
{
    int64_t source = get_integer(reading, object, "step_source");

    reading->texts = &profile->texts;
    profile->name = get_copy(reading, object, "name");
    get_parts(reading, object, facts_parts, &profile->facts);
    if (source < STEPS_NONE || source >= STEP_SOURCES)
        wrong(reading, "step_source");
    else
        profile->step_source = (enum step_source)source;
    get_parts(reading, object, profile_parts, profile);
    get_groups(reading, json_member(object, "groups"), profile);
    for (int t = 0; t < SUBJECTS; t++) {
        const struct json *table = json_member(json_member(object, "tables"), profile_subject_name((enum subject)t));
        if (t != BY_LINE || table != NULL)
            get_table(reading, table, profile_subject_name((enum subject)t), &profile->tables[t]);
    }
}

/* Checks that the text in front of the digest is as it was written. */
static int check_text(const char *text, size_t length, struct err *err)
{
    const char *version = text + sizeof HEAD - 1;

    if (length < sizeof HEAD + sizeof SCHEMA || memcmp(text, HEAD, sizeof HEAD - 1) != 0 ||
        memcmp(version, SCHEMA_NAME, sizeof SCHEMA_NAME - 1) != 0)
        return err_set(err, ERR_FORMAT, "not a baseline, expected a file written by 'msprof diff --save'");
    if (memcmp(version, SCHEMA "\"", sizeof SCHEMA) != 0)
        return err_set(err, ERR_FORMAT,
                       "it is of the version '%.*s', this program reads '" SCHEMA
                       "': the meaning of 'free', 'fps' and 'cube_util' has changed",
                       (int)strcspn(version, "\"\n"), version);
    return json_seal_check(text, length, err);
}

static int parse(const char *text, size_t length, struct profile **ret, size_t *ret_count, struct err *err)
{
    struct reading reading = {.err = err};
    struct json *root = json_parse(text, length, err);
    const struct json *captures = json_member(root, "captures");
    size_t count = count_of(captures);

    if (root == NULL)
        return err_status(err);
    *ret = calloc(count + 1, sizeof **ret);
    if (*ret == NULL || count == 0)
        wrong(&reading, "captures");
    for (const struct json *item = json_first(captures); item != NULL && !reading.failed; item = json_next(item))
        get_profile(&reading, item, &(*ret)[(*ret_count)++]);
    json_free(root);
    if (!reading.failed)
        return 0;
    for (size_t i = 0; i < *ret_count; i++)
        profile_release(&(*ret)[i]);
    free(*ret);
    *ret = NULL;
    *ret_count = 0;
    return err_status(err);
}

int baseline_parse(const char *text, size_t length, struct profile **ret, size_t *ret_count, struct err *err)
{
    int status = check_text(text, length, err);

    *ret = NULL;
    *ret_count = 0;
    return status == 0 ? parse(text, length, ret, ret_count, err) : status;
}

int baseline_read(const char *path, struct profile **ret, size_t *ret_count, struct err *err)
{
    SCOPED_FREE char *text = NULL;
    size_t length = 0;

    *ret = NULL;
    *ret_count = 0;
    if (path_read_file(path, BASELINE_MAX_BYTES, &text, &length, err) == 0 &&
        baseline_parse(text, length, ret, ret_count, err) == 0)
        return 0;
    err_wrap(err, "cannot use '%s' as a baseline", path);
    err_hint_caller(err, "create the baseline again");
    return err_hint(err, "create it again with 'msprof diff --save %s --base CAPTURE'", path);
}
