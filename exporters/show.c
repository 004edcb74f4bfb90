#include "exporters/show.h"

#include <errno.h>

void show_title(const struct show *show, const char *title)
{
    show_text(show, show->options->color ? "\033[36m" : "");
    show_text(show, title);
    show_text(show, show->options->color ? "\033[0m" : "");
}

void show_text(const struct show *show, const char *text)
{
    fputs(text, show->stream);
}

void show_number(const struct show *show, int64_t value, unsigned decimals)
{
    char buffer[NUMBER_MAX];
    size_t length;
    const struct table_cell cell = cell_number(value, decimals);
    const char *text = cell_as_text(&cell, buffer, &length);
    fwrite(text, 1, length, show->stream);
}

void show_device(const struct show *show, int64_t device_id)
{
    if (device_id == 0)
        return;
    show_text(show, " Device id: ");
    show_number(show, device_id, 0);
}

int show_capture(sqlite3 *db, FILE *stream, const struct show_options *options, struct export_result *ret,
                 struct err *err)
{
    struct show show = {.db = db, .stream = stream, .options = options, .result = ret};
    *ret = (struct export_result){.files = 0};
    struct db_facts facts;
    int result = db_read_facts(db, &facts, err);
    if (result == 0)
        result = facts.family == DB_FAMILY_JOB ? job_show(&show, err) : svp_show(&show, err);
    if (result == 0 && (fflush(stream) != 0 || ferror(stream)))
        return err_set_errno(err, errno, "cannot write the tables");
    return result;
}
