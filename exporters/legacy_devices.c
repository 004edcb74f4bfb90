#include "exporters/legacy_data.h"

struct walk {
    sqlite3 *db;
    const struct export_options *options;
    bool brief;
    int (*each)(void *arg, struct legacy_device *device, struct err *err);
    void *arg;
};

static int visit(void *arg, const struct legacy_part *part, struct err *err)
{
    const struct walk *walk = arg;
    struct legacy_device device = {.brief = walk->brief};
    struct legacy_range range;
    int status = legacy_range_find(&range, walk->db, part, walk->options, err);
    if (status != 0 || !range.exists)
        return status;
    status = legacy_device_load(&device, walk->db, part, &range, err);
    if (status == 0)
        status = walk->each(walk->arg, &device, err);
    legacy_device_release(&device);
    return status;
}

int legacy_each_device(sqlite3 *db, const struct export_options *options, bool brief,
                       int (*each)(void *arg, struct legacy_device *device, struct err *err), void *arg,
                       struct err *err)
{
    struct walk walk = {.db = db, .options = options, .brief = brief, .each = each, .arg = arg};
    return legacy_each_part(db, visit, &walk, err);
}
