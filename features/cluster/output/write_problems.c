/* SPDX-License-Identifier: Apache-2.0 */
/* data_problems.csv: what the results lack, and why, as all processes of a team found it. */
#include "base/array.h"
#include "features/cluster/cluster.h"
#include "features/cluster/output/write.h"

#include <stdlib.h>
#include <string.h>

struct head {
    uint64_t count;
    int32_t id, kept;
};

/* Appends all entries. */
static int give(void *arg, struct strbuf *bytes, struct err *err)
{
    const struct diagnostics *diag = arg;
    (void)err;
    for (size_t i = 0; i < diag->count; i++) {
        const struct diag_entry *entry = &diag->entries[i];
        const struct head head = {entry->count, (int32_t)entry->id, (int32_t)entry->kept};
        strbuf_add(bytes, &head, sizeof head);
        strbuf_add(bytes, entry->file, strlen(entry->file) + 1);
        for (size_t k = 0; k < entry->kept; k++)
            strbuf_add(bytes, entry->texts[k], strlen(entry->texts[k]) + 1);
    }
    return 0;
}

static int take(void *arg, const void *bytes, size_t length, struct err *err)
{
    struct team_message rest = {bytes, (const char *)bytes + length};
    while (team_message_rest(&rest) > 0) {
        char *texts[DIAG_KEPT_IN_FULL];
        struct head head;
        const char *file = team_message_next(&rest, &head, sizeof head) ? team_message_text(&rest) : NULL;
        if (file == NULL || head.id < 0 || head.id >= DIAG_COUNT || head.kept < 0 || head.kept > DIAG_KEPT_IN_FULL)
            return team_message_wrong(err);
        for (int32_t k = 0; k < head.kept; k++)
            if ((texts[k] = (char *)(uintptr_t)team_message_text(&rest)) == NULL)
                return team_message_wrong(err);
        diag_restore(arg, (enum diag_id)head.id, file, head.count, texts, (size_t)head.kept);
    }
    return 0;
}

ARRAY_COMPARE(by_id_and_file, struct diag_entry, ARRAY_BY(id), ARRAY_BY_TEXT(file))

/* Each is there once: the diagnostics end here, so that their order is no longer needed. */
static int write_entries(const char *directory, struct diagnostics *diag, struct err *err)
{
    struct outfile out;
    array_sort(diag->entries, diag->count, sizeof *diag->entries, by_id_and_file);
    if (write_open(&out, directory, CLUSTER_PROBLEMS, "Problem,Severity,File,Occurrences,Message\n", err) < 0)
        return err_status(err);
    for (size_t i = 0; i < diag->count; i++) {
        const struct diag_entry *entry = &diag->entries[i];
        const struct diag_info *info = diag_info(entry->id);
        for (size_t k = 0; info->severity != DIAG_NOTE && k < entry->kept; k++)
            csv_row(&out, TEXT(info->id), TEXT(diag_severity_name(info->severity)), TEXT(entry->file),
                    INTEGER((int64_t)entry->count), TEXT(entry->texts[k]));
    }
    return outfile_commit(&out, err);
}

int cluster_problems_write(const char *directory, struct team *team, struct diagnostics *diag, struct err *err)
{
    if (team_reduce(team, NULL, give, take, diag, err) < 0)
        return err_status(err);
    return team->me == 0 ? write_entries(directory, diag, err) : 0;
}
