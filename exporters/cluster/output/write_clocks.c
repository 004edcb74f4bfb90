/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/cluster/output/write_clocks.h"

#include "base/file/fsutil.h"
#include "exporters/cluster/output/write.h"

#include <stdlib.h>

static void put_rank(struct outfile *out, const struct rank_clock *rank)
{
    write_integer(out, rank->rank);
    write_text(out, ",");
    write_csv(out, rank->host);
    write_text(out, ",");
    write_integer(out, rank->clock);
    write_text(out, ",");
    write_decimal(out, rank->shift_ns, 3);
    write_text(out, ",");
    write_decimal(out, rank->error_ns, 3);
    write_text(out, ",");
    write_integer(out, rank->collectives);
    write_text(out, ",");
    if (rank->compared_with >= 0)
        write_integer(out, rank->compared_with);
    write_text(out, ",");
    write_integer(out, rank->anchor);
    write_text(out, "\n");
}

int write_clocks(const char *directory, const struct rank_clock *ranks, size_t count, struct err *err)
{
    struct outfile out = {.path = NULL};
    char *path = path_join(directory, "clock_alignment.csv");
    int status = path != NULL ? outfile_open(&out, path, err) : err_no_memory(err);

    free(path);
    if (status != 0)
        return status;
    write_text(&out, "Rank,Host,Clock,Shift(us),Error(us),Collectives,Compared With,Anchor\n");
    for (size_t i = 0; i < count; i++)
        put_rank(&out, &ranks[i]);
    return outfile_commit(&out, err);
}
