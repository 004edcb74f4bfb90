/* SPDX-License-Identifier: Apache-2.0 */
#include "features/diff/sides.h"

#include "features/answers/load/load.h"
#include "features/feature.h"

#include <stdlib.h>
#include <string.h>

/* Names of captures in an answer: the last parts of their paths, as many as distinguish them. */

/* Where the last `parts` parts of a path begin. */
static const char *tail(const char *path, size_t parts)
{
    const char *at = path + strlen(path);

    while (at > path)
        if (at[-1] != '/' || --parts > 0)
            at--;
        else
            break;
    return at;
}

static bool is_alone(const char *const *paths, size_t count, size_t i, size_t parts)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(paths[k], paths[i]) != 0 && strcmp(tail(paths[k], parts), tail(paths[i], parts)) == 0)
            return false;
    return true;
}

/* The least tail of whole parts in which paths[i] differs from every other path that is not equal to it; the last part
 * where none does. Points into paths[i]. */
static const char *capture_name(const char *const *paths, size_t count, size_t i)
{
    for (size_t parts = 1; tail(paths[i], parts) > paths[i]; parts++)
        if (is_alone(paths, count, i, parts))
            return tail(paths[i], parts);
    return paths[i];
}

char *profile_path(const char *path, struct err *err)
{
    char *real = realpath(path, NULL);

    if (real == NULL)
        real = scoped_text(path, SIZE_MAX);
    if (real == NULL)
        err_no_memory(err);
    return real;
}

void profiles_release(struct profiles *profiles)
{
    for (size_t i = 0; i < profiles->count; i++) {
        struct profile *profile = (struct profile *)(uintptr_t)profiles->items[i];
        profile_release(profile);
        free(profile);
    }
    free((void *)profiles->items);
    free(profiles->taken.items);
    measures_release(&profiles->measures);
}

int profiles_keep(struct profiles *profiles, const struct profile *content, struct err *err)
{
    struct profile *copy = malloc(sizeof *copy);

    if (copy == NULL || array_reserve(profiles, 1, err) != 0) {
        free(copy);
        return err_no_memory(err);
    }
    *copy = *content;
    profiles->items[profiles->count++] = copy;
    return 0;
}

void profile_rename(const struct profile *profile, char *name)
{
    struct profile *own = (struct profile *)(uintptr_t)profile;

    free(own->name);
    own->name = name;
}

int profiles_name_apart(const struct profiles *base, const struct profiles *new_side, struct err *err)
{
    const size_t count = base->count + new_side->count;
    SCOPED_FREE const char **paths = scoped_memory(count + 1, sizeof *paths);
    SCOPED_FREE char **names = scoped_memory(count + 1, sizeof *names);
    int result = paths == NULL || names == NULL ? err_no_memory(err) : 0;

    for (size_t i = 0; result == 0 && i < count; i++)
        paths[i] = (i < base->count ? base->items[i] : new_side->items[i - base->count])->name;
    for (size_t i = 0; result == 0 && i < count; i++) {
        names[i] = strdup(capture_name(paths, count, i));
        if (names[i] == NULL)
            result = err_no_memory(err);
    }
    for (size_t i = 0; names != NULL && i < count; i++)
        if (result == 0)
            profile_rename(i < base->count ? base->items[i] : new_side->items[i - base->count], names[i]);
        else
            free(names[i]);
    return result;
}

int profiles_add(struct profiles *profiles, sqlite3 *db, const char *path, struct err *err)
{
    const struct profile_choice choice = {.subjects = profiles->subjects};
    struct workload workload;
    struct profile profile;
    const struct feature *feature;

    if (feature_of_database(db, &feature, err) != 0)
        return err_status(err);
    if (feature != NULL)
        return feature->measure(db, &profiles->measures, err);
    if (workload_load(db, WITH_COUNTERS, &workload, err) != 0)
        return err_status(err);
    int result = profile_make(&workload, path, &choice, &profile, err);
    workload_release(&workload);
    if (result != 0 ||
        ((profiles->subjects & SUBJECT_BIT(BY_API)) != 0 && workload_load_calls(db, &profile, err) != 0) ||
        ((profiles->subjects & SUBJECT_BIT(BY_LINE)) != 0 && workload_load_lines(db, &profile, err) != 0) ||
        profiles_keep(profiles, &profile, err) != 0)
        return err_status(err);
    return 0;
}
