/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/user_files.h"

#include "base/file/fsutil.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "cli/console.h"
#include "parsers/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where a user keeps what is read at every run. */

/* $XDG_CONFIG_HOME/<below>, by default ~/.config/<below> (free() it); *ret NULL when there is no home. */
static int user_directory(const char *below, char **ret, struct err *err)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    bool by_config = config != NULL && config[0] == '/'; /* a relative one is to be ignored */

    *ret = NULL;
    if (!by_config && (home == NULL || home[0] == '\0'))
        return 0;
    char *place = by_config ? strdup(config) : path_join(home, ".config");
    *ret = place != NULL ? path_join(place, below) : NULL;
    free(place);
    return *ret != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
}

/* false when there is none, or with a warning when it cannot be read. */
static bool user_directory_is_readable(const char *path)
{
    if (access(path, R_OK | X_OK) == 0)
        return true;
    if (errno != ENOENT && errno != ENOTDIR)
        console_warning("'%s' cannot be read and is passed over: %s", path, strerror(errno));
    return false;
}

/* A directory that is there and cannot be read costs its reports, not the command. */
static int load_report_directory(struct report_files *files, const char *path, struct err *err)
{
    if (!user_directory_is_readable(path))
        return 0;
    return report_files_load_directory(files, path, err);
}

int user_reports_load(struct report_files *files, const struct settings *settings, struct err *err)
{
    char *directory = NULL;
    files->seconds = settings->report_seconds;
    int result = load_report_directory(files, MSPROF_PREFIX "/share/msprof/reports", err);

    if (result == 0)
        result = user_directory("msprof/reports", &directory, err);
    if (result == 0 && directory != NULL)
        result = load_report_directory(files, directory, err);
    for (size_t i = 0; result == 0 && i < settings->report_files.count; i++)
        result = report_files_load(files, settings->report_files.values[i], err);
    free(directory);
    return result != 0 ? err_wrap(err, "cannot load your reports") : 0;
}

#define FINGERPRINT_LIMIT ((size_t)64 * 1024 * 1024)

/* A directory that is there and cannot be read costs its layouts, not the command. */
static int load_layout_directory(struct layout_set *set, const char *path, struct err *err)
{
    return user_directory_is_readable(path) ? layout_set_load_directory(set, path, err) : 0;
}

int layouts_load(struct layout_set *set, const struct settings *settings, struct err *err)
{
    char *directory = NULL;

    int result = load_layout_directory(set, MSPROF_PREFIX "/share/msprof/layouts", err);
    layout_set_mark_shipped(set);
    if (result == 0)
        result = user_directory("msprof/layouts", &directory, err);
    if (result == 0 && directory != NULL)
        result = load_layout_directory(set, directory, err);
    for (size_t i = 0; result == 0 && i < settings->layouts.count; i++)
        result = layout_set_load_named(set, settings->layouts.values[i], err);
    free(directory);
    return result != 0 ? err_wrap(err, "cannot load the record layouts") : 0;
}

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

int layouts_fingerprint(const struct layout_set *set, char ret[CHECKSUM_TEXT_SIZE], struct err *err)
{
    struct checksum *sum = checksum_new();
    struct strbuf text;
    int result = 0;

    strbuf_init(&text, FINGERPRINT_LIMIT);
    for (const struct record_kind *const *kind = record_kinds; *kind != NULL; kind++) {
        const struct layout *layout;

        strbuf_addf(&text, "kind %s\n", (*kind)->name);
        for (size_t i = 0; (layout = layout_candidate(set, *kind, i)) != NULL; i++)
            describe_layout(&text, layout);
    }
    if (sum == NULL || text.failed)
        result = err_set(err, ERR_NO_MEMORY, "out of memory");
    if (result == 0) {
        checksum_add(sum, text.data, text.length);
        checksum_finish(sum, ret);
    }
    strbuf_release(&text);
    checksum_free(sum);
    return result;
}
