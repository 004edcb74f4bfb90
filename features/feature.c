/* SPDX-License-Identifier: Apache-2.0 */
#include "features/feature.h"

#include "db/query/query.h"

#define TREE(id) extern const struct feature feature_##id;
#include "tree_list.h"
#undef TREE

#define TREE(id) &feature_##id,
static const struct feature *const features[] = {
#include "tree_list.h"
};
#undef TREE

int feature_of_database(sqlite3 *db, const struct feature **ret, struct err *err)
{
    struct db_facts facts;
    *ret = NULL;
    if (db_read_facts(db, &facts, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        if ((int)features[i]->family == facts.family)
            *ret = features[i];
    }
    return 0;
}
