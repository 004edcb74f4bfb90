/* SPDX-License-Identifier: Apache-2.0 */
/* msprof kinds: what can be decoded, from the same tables that decode it. */
#include "cli/command.h"
#include "cli/console.h"
#include "cli/kinds/kinds_output.h"
#include "cli/kinds/layouts.h"
#include "cli/options/options.h"
#include "cli/status.h"

#include <stdlib.h>

/* The kinds that the operands name, all when there are none; ended by NULL. */
static int choose_kinds(const struct settings *settings, const struct record_kind **chosen, struct err *err)
{
    size_t count = 0;

    for (int i = 0; i < settings->operand_count; i++) {
        const struct record_kind *kind = record_kind_find(settings->operands[i]);

        if (kind == NULL)
            return err_set(err, ERR_USAGE, "unknown record kind '%s'; try 'msprof kinds'", settings->operands[i]);
        chosen[count++] = kind;
    }
    for (size_t i = 0; settings->operand_count == 0 && record_kinds[i] != NULL; i++)
        chosen[count++] = record_kinds[i];
    chosen[count] = NULL;
    return 0;
}

/* Returns an exit status. */
static int print_kinds(const struct settings *settings, const struct layout_set *layouts)
{
    static void (*const printers[])(FILE *, const struct record_kind *const *, const struct layout_set *) = {
        [KINDS_TABLE] = kinds_print_table, [KINDS_JSON] = kinds_print_json, [KINDS_MDOC] = kinds_print_mdoc};
    size_t limit = (size_t)settings->operand_count + 1;
    const struct record_kind **chosen;
    struct err err = ERR_INIT;
    int status;

    for (size_t i = 0; record_kinds[i] != NULL; i++)
        limit++;
    chosen = calloc(limit, sizeof *chosen);
    if (chosen == NULL)
        err_set(&err, ERR_NO_MEMORY, "out of memory");
    else
        choose_kinds(settings, chosen, &err);
    if (err.code != ERR_NONE) {
        console_error(&err);
        status = status_of_error(&err);
    } else {
        console_output_begin();
        printers[settings->kinds_format](stdout, chosen, layouts);
        status = console_output_end(false);
    }
    free(chosen);
    return status;
}

static int run_kinds(const struct settings *settings)
{
    struct err err = ERR_INIT;
    struct layout_set layouts;
    int status;

    layout_set_init(&layouts);
    /* the manual tells of what is built in, wherever it is made */
    if ((settings->kinds_format != KINDS_MDOC || settings->layouts.count > 0) &&
        layouts_load(&layouts, settings, &err) != 0) {
        console_error(&err);
        status = status_of_error(&err);
    } else {
        status = print_kinds(settings, &layouts);
    }
    layout_set_release(&layouts);
    return status;
}

static const struct example examples[] = {
    {"one kind with its columns and layouts", "msprof kinds svp_pmu"},
    {"all of them for a program", "msprof kinds --format json"},
    {NULL, NULL},
};

const struct command command_kinds = {
    .path = "kinds",
    .parent = COMMAND_ROOT,
    .summary = "list what can be decoded: files, columns, layouts",
    .description = "Lists the record kinds: the file names that each is read from, its columns with their units,\n"
                   "and the layouts, built in and loaded, that say where the bytes of a column are.\n",
    .operands = "[KIND]...",
    .most_operands = -1,
    .examples = examples,
    .run = run_kinds,
};
