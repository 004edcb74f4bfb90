/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the other tables of 'msprof op': a row of the file is a row of the kind, columns by their names. Those that no
 * one knows are kept in opprof_other. */
#ifndef MSPROF_FEATURES_OPPROF_KINDS_COMMON_PLAIN_CSV_H
#define MSPROF_FEATURES_OPPROF_KINDS_COMMON_PLAIN_CSV_H

#include "features/opprof/kinds/common/metric_csv.h"

struct plain_column {
    const char *name; /* as the file has it; NULL ends the list */
    size_t column;    /* of the kind; a text, or a number of this scale */
    enum metric_scale scale;
};

struct plain_table {
    const struct record_kind *kind;
    const struct plain_column *columns;
    /* After the values of a row; may be NULL. */
    int (*row)(struct decoder *decoder, const struct capture_file *file, struct row *row, struct err *err);
};

/* Columns that every plain kind has in front. */
enum { PLAIN_FILE, PLAIN_LAUNCH, PLAIN_FIRST };

int plain_csv_read(const struct plain_table *table, struct decoder *decoder, const struct capture_file *file,
                   const char *path, struct err *err);

/* Columns and their setting, of files of one core of the simulator: core<core_id>.<core><sub_core>. */
#define PLAIN_CORE_COLUMNS                                                                                             \
    NUMBER_COLUMN("core_id", "Core", "The core, from the file's name."),                                               \
        NAMED_COLUMN("core", "Kind of core", opprof_cores, "Cube or vector, from the file's name."),                   \
        NUMBER_COLUMN("sub_core", "Core of the pair", "Which vector or cube core of it, from the file's name.")
enum { PLAIN_CORE_ID = PLAIN_FIRST, PLAIN_CORE, PLAIN_SUB_CORE, PLAIN_OF_CORE };
int plain_put_core(struct decoder *decoder, const struct capture_file *file, struct row *row, struct err *err);

/* Names of files of a core; the file's name says cube or vector by the placeholder. */
#define PLAIN_CORE_FILES(what)                                                                                         \
    (const char *const[])                                                                                              \
    {                                                                                                                  \
        "core{core_id}.veccore{group_id}_" what ".csv", "core{core_id}.cubecore{model_id}_" what ".csv",               \
            "core{core_id}.veccore{group_id}_" what "_{process_id}.csv",                                               \
            "core{core_id}.cubecore{model_id}_" what "_{process_id}.csv", NULL                                         \
    }

/* A kind of such a table: its columns, map and row hook are defined in front of it. */
#define PLAIN_KIND(id, heading, text, order, files, hook)                                                              \
    static int read_plain(struct decoder *decoder, void *state, const struct capture_file *file, const char *path,     \
                          struct err *err)                                                                             \
    {                                                                                                                  \
        static const struct plain_table table = {&kind_##id, map, hook};                                               \
        (void)state;                                                                                                   \
        return plain_csv_read(&table, decoder, file, path, err);                                                       \
    }                                                                                                                  \
    const struct record_kind kind_##id = {                                                                             \
        OWN_TABLE(#id), .families = FAMILY_OPPROF, .title = heading,          .doc = text, .patterns = files,          \
        .stage = order, COLUMNS_OF(columns),       HOOKS(.file = read_plain),                                          \
    }

#endif
