/* SPDX-License-Identifier: Apache-2.0 */
/* Answers as JSON. */
#include "api/internal.h"

#include "api/listing.h"
#include "base/file/fsutil.h"
#include "exporters/export.h"
#include "exporters/table/choice.h"
#include "features/answers/load/advise.h"
#include "features/diff/sides.h"

#include <stdio.h>

static int answer_summary(struct msprof_capture *capture, FILE *stream, struct err *err)
{
    struct listing listing;
    struct table_sink sink = listing_begin(&listing, stream);
    const struct table_choice all = {.top = 0};
    const struct show_options options = {.database = capture->database, .plain = true, .sink = &sink};
    struct export_result result;
    const int status = give_table(capture->db, "summary", &all, &options, &result, err);
    listing_end(&listing);
    return status;
}

/* ---- advise and diff ---- */

static int answer_advise(struct msprof_capture *capture, FILE *stream, struct err *err)
{
    const char *name = path_name(capture->directory);
    SCOPED(advice_release) struct advice advice = {.elapsed_ns = 0};
    int64_t executions = 0;
    if (advise(capture->db, NULL, &advice, &executions, err) < 0)
        return err_status(err);
    if (executions > 0) {
        advice_print(&advice, name, ADVICE_JSON, stream);
        return 0;
    }
    SCOPED(program_told_release) struct program_told told;
    return advise_program(capture->db, name, &told, err) < 0
               ? err_status(err)
               : advice_print_program(&told.answer, ADVICE_JSON, stream, err);
}

static int add_side(struct profiles *profiles, const struct msprof_capture *capture, struct err *err)
{
    SCOPED_FREE char *path = profile_path(capture->directory, err);
    return path != NULL ? profiles_add(profiles, capture->db, path, err) : err_status(err);
}

static int print_measures(struct profiles *base, struct profiles *new_side, const struct compare_options *options,
                          FILE *stream, struct err *err)
{
    struct measures_comparison comparison;
    if (base->measures.count == 0 || new_side->measures.count == 0)
        return err_set(err, ERR_USAGE, "cannot compare a capture of one operator with a capture of a program");
    int status = measures_compare(&base->measures, &new_side->measures, options->least_change, &comparison, err);
    if (status == 0)
        status = measures_print(&comparison, MEASURES_JSON, 0, true, stream, err);
    free(comparison.rows);
    return status;
}

static int answer_diff(const struct msprof_capture *other, const struct msprof_capture *capture, FILE *stream,
                       struct err *err)
{
    const struct compare_options options = COMPARE_DEFAULTS;
    const unsigned subjects = comparison_subjects(&options, NULL, 0);
    SCOPED(profiles_release) struct profiles base = {.subjects = subjects}, new_side = {.subjects = subjects};
    struct comparison comparison;
    if (add_side(&base, other, err) < 0 || add_side(&new_side, capture, err) < 0)
        return err_status(err);
    if (base.measures.count + new_side.measures.count > 0)
        return print_measures(&base, &new_side, &options, stream, err);
    const struct side sides[] = {{base.items, base.count}, {new_side.items, new_side.count}};
    if (profiles_name_apart(&base, &new_side, err) < 0 ||
        comparison_make(&sides[0], &sides[1], &options, NULL, 0, &comparison, err) < 0)
        return err_status(err);
    const struct diff_output output = {
        .comparison = &comparison, .base = &sides[0], .new_side = &sides[1], .ascii = true};
    int status = diff_print(&output, DIFF_JSON, stream, err);
    comparison_release(&comparison);
    return status;
}

static int answer(struct msprof_capture *capture, const char *question, const struct msprof_capture *other,
                  FILE *stream, struct err *err)
{
    if (strcmp(question, "diff") == 0)
        return other != NULL ? answer_diff(other, capture, stream, err)
                             : err_set(err, ERR_USAGE, "'diff' needs another capture");
    if (other != NULL)
        return err_set(err, ERR_USAGE, "'%s' is about one capture", question);
    if (strcmp(question, "summary") == 0)
        return answer_summary(capture, stream, err);
    if (strcmp(question, "advise") == 0)
        return answer_advise(capture, stream, err);
    return err_set(err, ERR_USAGE, "unknown question '%s'; expected summary, advise or diff", question);
}

int msprof_answer(struct msprof_capture *capture, const char *question, struct msprof_capture *other, char **ret,
                  struct msprof_error **error)
{
    const char *null = NULL_OF_THREE(capture, question, ret);
    if (null != NULL)
        return fail_null(null, error);
    struct visit visit;
    struct err err = ERR_INIT;
    struct answer_text text;

    *ret = NULL;
    enter(&visit, &capture->interrupt);
    if (answer_text_begin(&text, &err) == 0) {
        answer(capture, question, other, text.stream, &err);
        *ret = answer_text_end(&text, &err);
    }
    return leave(&visit, &err, error);
}

void msprof_free(char *text)
{
    free(text);
}
