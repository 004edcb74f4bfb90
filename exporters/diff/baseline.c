#include "exporters/diff/baseline.h"

#include "base/file/checksum.h"
#include "base/file/fsutil.h"
#include "base/file/outfile.h"
#include "base/format/json_in.h"
#include "base/strbuf.h"
#include "exporters/json_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "msprof.baseline/1"
#define HEAD "{\"schema\":\""
#define DIGEST ",\n\"sha256\":\""
#define TAIL "\"}\n"
#define DIGEST_BYTES (sizeof DIGEST - 1 + CHECKSUM_TEXT_SIZE - 1 + sizeof TAIL - 1)

static const char *const measure_names[] = {"step_time", "busy", "free", "exposed"};

/* ---- writing ---- */

static void put_text(struct strbuf *out, const char *name, const char *text)
{
    strbuf_addf(out, "\"%s\":\"", name);
    json_text_append(out, text, strlen(text));
    strbuf_adds(out, "\",");
}

static void put_real(struct strbuf *out, const char *name, double value)
{
    strbuf_addf(out, "\"%s\":\"%.17g\",", name, value);
}

static void put_integer(struct strbuf *out, const char *name, int64_t value)
{
    strbuf_addf(out, "\"%s\":\"%" PRId64 "\",", name, value);
}

static void put_series(struct strbuf *out, const struct series *series)
{
    put_integer(out, "n", series->n);
    put_real(out, "median", series->median);
    put_real(out, "mad", series->mad);
    put_real(out, "total", series->total);
    put_real(out, "minimum", series->minimum);
    put_real(out, "maximum", series->maximum);
    strbuf_adds(out, "\"samples\":\"");
    for (size_t i = 0; i < series->sample_count; i++)
        strbuf_addf(out, "%s%" PRId64, i > 0 ? " " : "", series->samples[i]);
    strbuf_adds(out, "\"");
}

static void put_facts(struct strbuf *out, const struct workload_facts *facts)
{
    put_text(out, "family", facts->family);
    put_text(out, "chip", facts->chip);
    put_text(out, "models", facts->models);
    put_text(out, "metrics", facts->metrics);
    put_integer(out, "cube_cores", facts->cube_cores);
    put_integer(out, "vector_cores", facts->vector_cores);
    put_integer(out, "clock_khz", facts->clock_khz);
    put_integer(out, "rated_khz", facts->rated_khz);
    put_integer(out, "tick_ns", facts->tick_ns);
    put_integer(out, "devices", facts->devices);
    put_integer(out, "problems", facts->problems);
    put_integer(out, "times_known", facts->times_known);
    put_integer(out, "placed", facts->placed);
}

static void put_row(struct strbuf *out, const struct profile_row *row)
{
    strbuf_adds(out, "{");
    put_text(out, "key", row->key);
    put_text(out, "name", row->name);
    put_text(out, "type", row->type);
    put_text(out, "shapes", row->shapes);
    put_integer(out, "order", (int64_t)row->order);
    put_integer(out, "conversion", row->conversion);
    put_integer(out, "ai_cpu", row->ai_cpu);
    put_series(out, &row->durations);
    strbuf_adds(out, "}");
}

static void put_profile(struct strbuf *out, const struct profile *profile)
{
    strbuf_adds(out, "{");
    put_text(out, "name", profile->name);
    put_facts(out, &profile->facts);
    put_integer(out, "step_source", profile->step_source);
    put_integer(out, "steps", profile->steps);
    put_integer(out, "warmup", profile->warmup);
    put_integer(out, "executions", profile->executions);
    put_integer(out, "refused", profile->refused);
    put_real(out, "ai_cpu_ns", profile->ai_cpu_ns);
    put_real(out, "conversion_ns", profile->conversion_ns);
    put_real(out, "cube_share", profile->cube_share);
    put_real(out, "read_write_bytes", profile->read_write_bytes);
    for (int m = 0; m < MEASURES; m++) {
        strbuf_addf(out, "\n\"%s\":{", measure_names[m]);
        put_series(out, &profile->measures[m]);
        strbuf_adds(out, "},");
    }
    strbuf_adds(out, "\n\"tables\":{");
    for (int t = 0; t < SUBJECTS; t++) {
        if (t == BY_LINE && !profile->tables[t].known)
            continue;
        strbuf_addf(out, "%s\n\"%s\":[", t > 0 ? "," : "", subject_name((enum subject)t));
        for (size_t i = 0; i < profile->tables[t].count; i++) {
            strbuf_adds(out, i > 0 ? ",\n" : "\n");
            put_row(out, &profile->tables[t].rows[i]);
        }
        strbuf_adds(out, "]");
    }
    strbuf_adds(out, "}}");
}

static void digest_of(const char *text, size_t length, char digest[CHECKSUM_TEXT_SIZE])
{
    struct checksum *sum = checksum_new();

    checksum_add(sum, text, length);
    checksum_finish(sum, digest);
    checksum_free(sum);
}

int baseline_write(const char *path, const struct profile *const *profiles, size_t count, struct err *err)
{
    struct strbuf text;
    struct outfile out = {.path = NULL};
    char digest[CHECKSUM_TEXT_SIZE];
    int status;

    strbuf_init(&text, BASELINE_MAX_BYTES);
    strbuf_adds(&text, HEAD SCHEMA "\",\n\"captures\":[\n");
    for (size_t i = 0; i < count; i++) {
        strbuf_adds(&text, i > 0 ? ",\n" : "");
        put_profile(&text, profiles[i]);
    }
    strbuf_adds(&text, "]");
    digest_of(text.data, text.length, digest);
    strbuf_addf(&text, DIGEST "%s" TAIL, digest);
    if (text.failed) {
        status = err_set(err, ERR_LIMIT, "the baseline would be longer than %zu MB", BASELINE_MAX_BYTES >> 20);
        err_hint(err, "keep fewer captures in one baseline");
    } else if ((status = outfile_open(&out, path, err)) == 0) {
        outfile_add(&out, &text);
        status = outfile_commit(&out, err);
    }
    strbuf_release(&text);
    return status;
}

/* ---- reading ---- */

struct reading {
    struct err *err;
    bool failed;
};

static void wrong(struct reading *reading, const char *name)
{
    if (!reading->failed)
        err_set(reading->err, ERR_FORMAT, "it has no sound '%s'", name);
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

static void get_samples(struct reading *reading, const struct json *object, struct series *series)
{
    const char *text = get_text(reading, object, "samples");

    if (*text == '\0')
        return;
    series->samples = calloc(SAMPLES_MAX, sizeof *series->samples);
    while (series->samples != NULL && !reading->failed) {
        char *end;
        errno = 0;
        long long value = strtoll(text, &end, 10);
        if (end == text || errno != 0 || series->sample_count == SAMPLES_MAX || (*end != ' ' && *end != '\0') ||
            (series->sample_count > 0 && value < series->samples[series->sample_count - 1])) {
            wrong(reading, "samples");
            return;
        }
        series->samples[series->sample_count++] = value;
        if (*end == '\0')
            return;
        text = end + 1;
    }
    wrong(reading, "samples");
}

static void get_series(struct reading *reading, const struct json *object, struct series *series)
{
    series->n = get_integer(reading, object, "n");
    series->median = get_real(reading, object, "median");
    series->mad = get_real(reading, object, "mad");
    series->total = get_real(reading, object, "total");
    series->minimum = get_real(reading, object, "minimum");
    series->maximum = get_real(reading, object, "maximum");
    get_samples(reading, object, series);
    if (series->n < 0 || (series->n == 0) != (series->sample_count == 0) || series->n < (int64_t)series->sample_count)
        wrong(reading, "n");
}

static void get_facts(struct reading *reading, const struct json *object, struct workload_facts *facts)
{
    get_fixed(reading, object, "family", facts->family, sizeof facts->family);
    get_fixed(reading, object, "chip", facts->chip, sizeof facts->chip);
    get_fixed(reading, object, "models", facts->models, sizeof facts->models);
    get_fixed(reading, object, "metrics", facts->metrics, sizeof facts->metrics);
    facts->cube_cores = get_integer(reading, object, "cube_cores");
    facts->vector_cores = get_integer(reading, object, "vector_cores");
    facts->clock_khz = get_integer(reading, object, "clock_khz");
    facts->rated_khz = get_integer(reading, object, "rated_khz");
    facts->tick_ns = get_integer(reading, object, "tick_ns");
    facts->devices = get_integer(reading, object, "devices");
    facts->problems = get_integer(reading, object, "problems");
    facts->times_known = get_integer(reading, object, "times_known") != 0;
    facts->placed = get_integer(reading, object, "placed") != 0;
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
    row->key = get_copy(reading, object, "key");
    row->name = get_copy(reading, object, "name");
    row->type = get_copy(reading, object, "type");
    row->shapes = get_copy(reading, object, "shapes");
    row->order = (uint64_t)get_integer(reading, object, "order");
    row->conversion = get_integer(reading, object, "conversion") != 0;
    row->ai_cpu = get_integer(reading, object, "ai_cpu") != 0;
    get_series(reading, object, &row->durations);
}

static void get_table(struct reading *reading, const struct json *array, const char *name, struct profile_table *table)
{
    size_t count = count_of(array);

    table->rows = json_is_array(array) ? calloc(count + 1, sizeof *table->rows) : NULL;
    if (table->rows == NULL) {
        wrong(reading, name);
        return;
    }
    table->known = count > 0;
    for (const struct json *item = json_first(array); item != NULL && !reading->failed; item = json_next(item)) {
        get_row(reading, item, &table->rows[table->count++]);
        if (!reading->failed && table->count > 1 &&
            strcmp(table->rows[table->count - 2].key, table->rows[table->count - 1].key) >= 0)
            wrong(reading, name);
    }
}

static void get_profile(struct reading *reading, const struct json *object, struct profile *profile)
{
    int64_t source = get_integer(reading, object, "step_source");

    profile->name = get_copy(reading, object, "name");
    get_facts(reading, object, &profile->facts);
    if (source < STEPS_NONE || source > STEPS_PERIOD)
        wrong(reading, "step_source");
    else
        profile->step_source = (enum step_source)source;
    profile->steps = get_integer(reading, object, "steps");
    profile->warmup = get_integer(reading, object, "warmup");
    profile->executions = get_integer(reading, object, "executions");
    profile->refused = get_integer(reading, object, "refused");
    profile->ai_cpu_ns = get_real(reading, object, "ai_cpu_ns");
    profile->conversion_ns = get_real(reading, object, "conversion_ns");
    profile->cube_share = get_real(reading, object, "cube_share");
    profile->read_write_bytes = get_real(reading, object, "read_write_bytes");
    for (int m = 0; m < MEASURES; m++)
        get_series(reading, json_member(object, measure_names[m]), &profile->measures[m]);
    for (int t = 0; t < SUBJECTS; t++) {
        const struct json *table = json_member(json_member(object, "tables"), subject_name((enum subject)t));
        if (t != BY_LINE || table != NULL)
            get_table(reading, table, subject_name((enum subject)t), &profile->tables[t]);
    }
}

/* What stands in front of the digest is as it was written. */
static int check_text(const char *text, size_t length, struct err *err)
{
    char digest[CHECKSUM_TEXT_SIZE];
    const char *end = length > DIGEST_BYTES ? text + length - DIGEST_BYTES : NULL, *version = text + sizeof HEAD - 1;

    if (length < sizeof HEAD + sizeof SCHEMA || memcmp(text, HEAD, sizeof HEAD - 1) != 0 ||
        memcmp(version, SCHEMA, strlen("msprof.baseline/")) != 0)
        return err_set(err, ERR_FORMAT, "it is no baseline, expected a file that 'msprof diff --save' wrote");
    if (memcmp(version, SCHEMA "\"", sizeof SCHEMA) != 0)
        return err_set(err, ERR_FORMAT, "it is of the version '%.*s', this program reads '" SCHEMA "'",
                       (int)strcspn(version, "\"\n"), version);
    if (end == NULL || memcmp(end, DIGEST, sizeof DIGEST - 1) != 0)
        return err_set(err, ERR_FORMAT, "its end is missing: it was cut after %zu bytes", length);
    digest_of(text, (size_t)(end - text), digest);
    if (memcmp(end + sizeof DIGEST - 1, digest, CHECKSUM_TEXT_SIZE - 1) != 0)
        return err_set(err, ERR_FORMAT, "its digest is not that of its content: it was edited or damaged");
    return 0;
}

static int parse(const char *text, size_t length, struct profile **ret, size_t *ret_count, struct err *err)
{
    struct reading reading = {err, false};
    struct json *root = json_parse(text, length, err);
    const struct json *captures = json_member(root, "captures");
    size_t count = count_of(captures);

    if (root == NULL)
        return -(int)err->code;
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
    return -(int)err->code;
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
    char *text = NULL;
    size_t length = 0;
    int status = read_whole_file(path, BASELINE_MAX_BYTES, &text, &length, err);

    *ret = NULL;
    *ret_count = 0;
    if (status == 0)
        status = baseline_parse(text, length, ret, ret_count, err);
    free(text);
    if (status != 0) {
        err_wrap(err, "cannot use '%s' as a baseline", path);
        err_hint(err, "write it anew with 'msprof diff --save %s --base CAPTURE'", path);
    }
    return status;
}
