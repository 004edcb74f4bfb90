/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/track.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/language.h"
#include "db/query/query.h"
#include "db/warm_up.h"
#include "exporters/cann_report.h"
#include "exporters/export.h"
#include "exporters/report_scopes.h"
#include "exporters/timeline/answers.h"
#include "exporters/timeline/sink.h"
#include "exporters/timeline/timeline_svp.h"
#include "exporters/tree_outputs.h"
#include "features/earlier/timeline/timeline_earlier.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- which tracks there are ---- */

#define TRACK(name) extern const struct track track_##name;
#include "track_list.h"
#undef TRACK

#define TRACK(name) &track_##name,
const struct track *const tracks[] = {
#include "track_list.h"
    NULL};
#undef TRACK

static bool is_shown(const struct track_run *run, const struct track *track)
{
    if (run->only_answers && !track->is_answer)
        return false;
    if (track->is_answer && (run->guest != NULL || run->is_part || (run->run->options->layers == NULL && run->compat)))
        return false;
    return track_shows(run, track->name, track->also);
}

static int find_layer(void *name, const struct record_kind *kind, const struct series_report *series)
{
    (void)kind;
    return strcmp(name, series_layer(series)) == 0;
}

bool export_has_layer(const char *name)
{
    char copy[64];
    if (strcmp(name, TRACK_ALL) == 0)
        return true;
    for (size_t i = 0; tracks[i] != NULL; i++) {
        if (track_is_named(name, tracks[i]->name, tracks[i]->also))
            return true;
    }
    return snprintf(copy, sizeof copy, "%s", name) < (int)sizeof copy && series_each(find_layer, copy) != 0;
}

struct telling {
    void (*each)(void *arg, const char *name);
    void *arg;
};

static int tell_layer(void *opaque, const struct record_kind *kind, const struct series_report *series)
{
    const struct telling *telling = opaque;
    (void)kind;
    telling->each(telling->arg, series_layer(series));
    return 0;
}

void export_each_layer(void (*each)(void *arg, const char *name), void *arg)
{
    struct telling telling = {each, arg};
    for (size_t i = 0; tracks[i] != NULL; i++)
        each(arg, tracks[i]->name);
    each(arg, TRACK_ALL);
    (void)series_each(tell_layer, &telling);
}

static int compare_tracks(const void *a, const void *b)
{
    const struct track *x = *(const struct track *const *)a, *y = *(const struct track *const *)b;
    const int first = track_order(x), second = track_order(y);
    return first != second ? (first > second) - (first < second) : strcmp(x->name, y->name);
}

/* Those of a file: of the timeline of everything what is shown, of another report what it is made of. */
static int choose_tracks(struct track_run *run, const char *report, struct err *err)
{
    size_t count = 0;
    while (tracks[count] != NULL)
        count++;
    run->tracks = calloc(count + 1, sizeof *run->tracks);
    run->states = calloc(count + 1, sizeof *run->states);
    if (run->tracks == NULL || run->states == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu tracks", count);
    for (size_t i = 0; i < count; i++) {
        if (report == NULL ? is_shown(run, tracks[i])
                           : tracks[i]->report != NULL && strcmp(tracks[i]->report, report) == 0)
            run->tracks[run->track_count++] = tracks[i];
    }
    array_sort(run->tracks, run->track_count, sizeof *run->tracks, compare_tracks);
    run->shows_calls = track_is_there(run, "cann");
    run->shows_tasks = track_is_there(run, "ascend");
    for (size_t i = 0; i < run->track_count; i++) {
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
        run->states[i] = calloc(1, run->tracks[i]->state_size + sizeof(struct series_track));
        if (run->states[i] == NULL)
            return err_set(err, ERR_NO_MEMORY, "out of memory for a track");
    }
    return 0;
}

static void release_tracks(struct track_run *run)
{
    for (size_t i = 0; i < run->track_count; i++) {
        const struct track *track = run->tracks[i];
        void *state = run->states[i];
        if (state != NULL && track->events != NULL)
            series_track_release(state);
        if (state != NULL && track->word != NULL)
            trace_lanes_release(state);
        if (state != NULL && track->release != NULL)
            track->release(state);
        free(state);
    }
    free(run->tracks);
    free(run->states);
    run->tracks = NULL;
    run->states = NULL;
    run->track_count = 0;
    map_release(&run->processes);
    run->next_hardware_thread = 0;
    run->shows_calls = run->shows_tasks = false;
}

/* ---- what tracks share ---- */

/* Whether a layer is shown that is made of answers. */
static bool needs_answers(const struct track_run *run)
{
    size_t i = 0;
    while (tracks[i] != NULL && !(tracks[i]->is_answer && is_shown(run, tracks[i])))
        i++;
    return tracks[i] != NULL;
}

/* Files of Ascend's tools and of frameworks' say of operators what these say; without a layer of tasks nothing does. */
static int load_names(struct track_run *run, sqlite3 *db, struct err *err)
{
    if (cann_names_load(db, &run->names, err) < 0 || (needs_answers(run) && track_answers_load(run, err) < 0))
        return err_status(err);
    run->facts = !run->compat && run->guest == NULL;
    const bool operators = run->facts && track_shows(run, track_ascend.name, track_ascend.also);
    const struct workload *workload = run->answers != NULL ? &run->answers->workload : NULL;
    return slice_operators_load(&run->operators, db, run->run->options->database, &run->names, workload, operators,
                                err);
}

static int load(struct track_run *run, struct err *err)
{
    sqlite3 *db = run->run->db;
    run->hides = warm_up_hides(db);
    if (cann_parts_load(db, &run->parts, err) < 0 || cann_clocks_load(db, &run->clocks, err) < 0 ||
        load_names(run, db, err) < 0 || cann_communications_load(db, &run->communications, err) < 0 ||
        ((run->compat || run->hides) && launch_calls_load(db, &run->launches, err) < 0))
        return err_status(err);
    for (size_t i = 0; i < run->parts.count && run->process_id <= 0; i++) {
        int64_t process_id = run->parts.parts[i].process_id;
        if (process_id > 0 && process_id <= UINT32_MAX)
            run->process_id = process_id;
    }
    return 0;
}

static struct track_run run_of(struct timeline_run *timeline)
{
    return (struct track_run){.run = timeline,
                              .compat = timeline->options->trace_compat,
                              .lock = PTHREAD_MUTEX_INITIALIZER,
                              .processes = MAP_OF(struct named_process, pid)};
}

static void release(struct track_run *run)
{
    cann_parts_release(&run->parts);
    cann_clocks_release(&run->clocks);
    launch_calls_release(&run->launches);
    cann_texts_release(&run->names);
    slice_operators_release(&run->operators);
    cann_communications_release(&run->communications);
    track_answers_release(run->answers);
}

/* ---- files ---- */

/* Reports a layer of answers that is asked for by its name, and has nothing to show. */
static void tell_absent(const struct track_run *run, const char *name)
{
    char text[160];
    const char *const *layer = run->run->options->layers;
    while (layer != NULL && *layer != NULL && strcmp(*layer, name) != 0)
        layer++;
    if (layer == NULL || *layer == NULL || run->run->options->absent == NULL)
        return;
    snprintf(text, sizeof text, language_said("the layer '%s' is empty: %s"), name,
             track_answers_absence(run->answers));
    run->run->options->absent(text);
}

static int begin_tracks(struct track_run *run, struct err *err)
{
    for (size_t i = 0; i < run->track_count; i++) {
        const struct track *track = run->tracks[i];
        const uint64_t before = run->trace.events;
        if (track->word != NULL)
            trace_lanes_init(run->states[i], &run->trace.style, track->word, track->first_free, run->run->db);
        const int status = track->begin != NULL ? track->begin(run, run->states[i], err) : 0;
        if (status < 0 || (track->events != NULL && status != TRACK_HAS_NONE &&
                           (series_track_write(run, track, run->states[i], err) < 0 ||
                            (track->end != NULL && track->end(run, run->states[i], err) < 0))))
            return err_status(err);
        if (track->is_answer && run->trace.events == before)
            tell_absent(run, track->name);
    }
    return 0;
}

static int name_threads(struct track_run *run, struct err *err)
{
    int status = 0;
    for (size_t i = 0; i < run->track_count && status == 0; i++) {
        const struct track *track = run->tracks[i];
        if (track->events != NULL)
            status = series_track_name_threads(run->states[i], err);
        else if (track->word != NULL)
            status = trace_lanes_name(run->states[i], &run->trace, track->name_thread, run->states[i], err);
    }
    return status;
}

static int write_tracks(struct track_run *run, struct err *err)
{
    const struct trace_guest *guest = run->guest;
    if ((guest != NULL && guest->begin(guest->arg, &run->trace, err) < 0) || begin_tracks(run, err) < 0 ||
        (run->everything && series_write(run, err) < 0) || tracks_walk(run, err) < 0 || name_threads(run, err) < 0)
        return err_status(err);
    return guest != NULL && guest->end != NULL ? guest->end(guest->arg, &run->trace, err) : 0;
}

/* report NULL: of everything. Takes the path over. */
static int write_file(struct track_run *run, const char *report, const char *clock, char *path, struct err *err)
{
    const char *name = report != NULL ? report : run->only_answers ? "analysis" : "msprof";
    const struct trace_info info = {.clock = clock, .device_id = DB_NULL};
    run->everything = report == NULL && !run->only_answers;
    int status = choose_tracks(run, report, err);
    if (status == 0)
        status = trace_open_path(&run->trace, run->run, run->compat ? &trace_style_2023 : &trace_style_msprof, name,
                                 path, err);
    else
        free(path);
    if (status == 0)
        status = trace_close(&run->trace, write_tracks(run, err), &info, err);
    release_tracks(run);
    return status;
}

/* A file of everything, and for each other report that tracks name one with these. */
static int each_report(void *arg, int (*write)(void *arg, const char *report, struct err *err), struct err *err)
{
    if (write(arg, NULL, err) < 0)
        return err_status(err);
    for (size_t i = 0; tracks[i] != NULL; i++) {
        const char *report = tracks[i]->report;
        size_t k = 0;
        while (report != NULL && (tracks[k]->report == NULL || strcmp(tracks[k]->report, report) != 0))
            k++;
        if (report != NULL && k == i && write(arg, report, err) < 0)
            return err_status(err);
    }
    return 0;
}

static int write_report(void *run, const char *report, struct err *err)
{
    const struct export_options *options = ((const struct track_run *)run)->run->options;
    if (report != NULL && options->trace_format == TRACE_TAKEN)
        return 0;
    const char *name = report != NULL ? report : "msprof";
    return write_file(run, report, "unix", cann_report_path(options, name, -1, ".json", err), err);
}

/* Writes msprof_<timestamp>.json with all tracks that the options show, and the other reports. No file without events.
 */
static int tracks_write(struct timeline_run *timeline, struct err *err)
{
    SCOPED(release) struct track_run run = run_of(timeline);
    const bool failed = load(&run, err) < 0 || each_report(&run, write_report, err) < 0;
    return failed ? err_status(err) : 0;
}

int tracks_write_with(struct timeline_run *timeline, const struct trace_guest *guest, const char *name, bool compat,
                      struct err *err)
{
    SCOPED(release) struct track_run run = run_of(timeline);
    run.compat = compat;
    run.guest = guest;
    const bool failed =
        load(&run, err) < 0 || write_file(&run, NULL, "unix", path_join(timeline->options->directory, name), err) < 0;
    return failed ? err_status(err) : 0;
}

/* Writes layers of answers of a capture whose timelines are not made of tracks: a file of their own, where --reports
 * names any. */
static int answers_write(struct timeline_run *timeline, const char *clock, struct err *err)
{
    const struct export_options *options = timeline->options;
    if (options->layers == NULL || options->trace_compat)
        return 0;
    SCOPED(release) struct track_run run = run_of(timeline);
    run.only_answers = true;
    const bool failed =
        needs_answers(&run) && (track_answers_load(&run, err) < 0 ||
                                write_file(&run, NULL, clock, path_join(options->directory, "analysis.json"), err) < 0);
    return failed ? err_status(err) : 0;
}

/* ---- several captures in one file ---- */

#define ARROWS_OF_A_PART (INT64_C(1) << 40)
#define PLACES_OF_A_PART 1000

/* State that the parts of a file share. */
struct merging {
    const struct merge_part *parts;
    size_t count;
    struct export_result *result;
    struct timeline_run timeline; /* of the part that is being written */
    struct export_options options;
    struct trace trace;
    int64_t origin_ns;    /* of the file */
    struct map processes; /* of programs that parts before had */
};

/* Another number for a program that an earlier part had, too: its processes must not become one. */
static int choose_process(struct merging *merging, struct track_run *run, struct err *err)
{
    enum { LARGEST_OF_LINUX = 1 << 22 };
    bool added = false;
    int64_t process_id = run->process_id;
    for (int64_t other = LARGEST_OF_LINUX; !added; other--) {
        if (map_add(&merging->processes, &process_id, &added, err) == NULL)
            return err_status(err);
        run->process_id = process_id;
        process_id = other;
    }
    return 0;
}

static int write_part(struct merging *merging, size_t i, const char *report, struct err *err)
{
    merging->options.database = merging->parts[i].database;
    merging->timeline.db = merging->parts[i].db;
    SCOPED(release) struct track_run run = run_of(&merging->timeline);
    run.everything = report == NULL;
    run.is_part = true;
    run.host = merging->parts[i].names_device ? merging->parts[i].host : NULL;
    run.first_place = merging->parts[i].by_itself ? (int64_t)i * PLACES_OF_A_PART : 0;
    bool failed = load(&run, err) < 0 || choose_process(merging, &run, err) < 0 || choose_tracks(&run, report, err) < 0;
    run.trace = merging->trace;
    run.trace.style.first_arrow = (int64_t)i * ARROWS_OF_A_PART;
    run.trace.style.origin_ns = number_subtract(merging->origin_ns, merging->parts[i].shift_ns);
    failed = failed || write_tracks(&run, err) < 0;
    trace_forget_texts(&run.trace);
    merging->trace = run.trace;
    release_tracks(&run);
    return failed ? err_status(err) : 0;
}

static int write_merged(void *arg, const char *report, struct err *err)
{
    struct merging *merging = arg;
    const char *name = report != NULL ? report : "msprof";
    const struct trace_info info = {.clock = "unix", .device_id = DB_NULL};
    int status = trace_open_path(&merging->trace, &merging->timeline,
                                 merging->options.trace_compat ? &trace_style_2023 : &trace_style_msprof, name,
                                 cann_report_path(&merging->options, name, -1, ".json", err), err);
    if (status < 0)
        return status;
    merging->origin_ns = merging->trace.style.origin_ns;
    for (size_t i = 0; status == 0 && i < merging->count; i++)
        status = write_part(merging, i, report, err);
    map_clear(&merging->processes);
    return trace_close(&merging->trace, status, &info, err);
}

static int draw_merged(void *arg, const struct export_options *options, struct err *err)
{
    struct merging *merging = arg;
    merging->options = *options;
    merging->timeline = (struct timeline_run){.options = &merging->options, .result = merging->result};
    for (size_t i = 0; i < merging->count; i++) {
        const struct merge_part *part = &merging->parts[i];
        struct capture_origin origin;
        if (query_origin(part->db, CAPTURE_CANN, &origin, err) < 0)
            return err_status(err);
        origin.time_ns = number_add(origin.time_ns, part->shift_ns);
        if (origin.origin_unix_ns != DB_NULL)
            origin.origin_unix_ns = number_add(origin.origin_unix_ns, part->shift_ns);
        if (i == 0 || origin.time_ns < merging->timeline.origin.time_ns)
            merging->timeline.origin = origin;
    }
    return each_report(merging, write_merged, err);
}

static int no_steps(void *arg, struct cut_borders *ret, struct err *err)
{
    (void)arg;
    (void)ret;
    return err_set(err, ERR_USAGE, "--split iteration cannot be combined with --merge");
}

int export_merged_timeline(const struct merge_part *parts, size_t count, const struct export_options *options,
                           struct export_result *ret, struct err *err)
{
    struct merging merging = {
        .parts = parts, .count = count, .result = ret, .processes = MAP_OF(struct named_process, pid)};
    *ret = (struct export_result){0};
    const int status = trace_cuts_draw(options, draw_merged, no_steps, &merging, err);
    map_release(&merging.processes);
    return status;
}

/* ---- one layer in a file of its own: marks of programs in captures before 2023, captures that are trees ---- */

static int write_layer(struct track_run *run, const struct track *track, const char *name, struct err *err)
{
    const struct trace_info info = {.clock = "system monotonic", .device_id = DB_NULL};
    struct series_track marks = {.runs = NULL};
    int status = trace_open(&run->trace, run->run, run->compat ? &trace_style_2022 : &trace_style_msprof, track->report,
                            name, err);
    if (status < 0)
        return status;
    const bool failed = series_track_write(run, track, &marks, err) < 0 || series_track_name_threads(&marks, err) < 0;
    status = trace_close(&run->trace, failed ? err_status(err) : 0, &info, err);
    series_track_release(&marks);
    return status;
}

static int marks_timeline(struct timeline_run *timeline, struct err *err)
{
    char name[TX_REPORT_NAME_MAX];
    struct track_run run = run_of(timeline);
    run.own_numbers = true;
    const bool failed = report_tx_name(name, timeline->db, timeline->options, ".json", err) < 0 ||
                        write_layer(&run, &track_msproftx, name, err) < 0;
    map_release(&run.processes);
    return failed ? err_status(err) : 0;
}

static int tree_timeline(struct timeline_run *timeline, const struct track *track, struct err *err)
{
    char name[64];
    struct track_run run = run_of(timeline);
    run.own_numbers = run.own_names = run.plain = true;
    snprintf(name, sizeof name, "%s.json", track->report);
    const int status = write_layer(&run, track, name, err);
    map_release(&run.processes);
    return status;
}

/* ---- of every family ---- */

static int cann_timeline(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    struct timeline_run run = {.db = db, .options = options, .result = ret};
    return query_origin(db, CAPTURE_CANN, &run.origin, err) < 0 || tracks_write(&run, err) < 0 ? err_status(err) : 0;
}

/* Draws them once. */
static int draw_timelines(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    struct db_facts facts;
    int result = db_read_facts(db, &facts, err);
    if (result != 0)
        return result;
    if (facts.family == CAPTURE_CANN)
        return cann_export_iterations(cann_timeline, db, options, ret, err);
    struct timeline_run run = {.db = db, .options = options, .result = ret};
    result = query_origin(db, facts.family, &run.origin, err);
    if (result != 0)
        return result;
    const struct tree_outputs *tree = tree_outputs_of(facts.family);
    if (tree != NULL)
        return tree_timeline(&run, tree->track, err);
    const bool svp = facts.family == CAPTURE_SVP, job = facts.family == CAPTURE_JOB;
    if (answers_write(&run, job ? "system counter" : "system monotonic", err) < 0)
        return err_status(err);
    if (svp)
        return svp_timeline(&run, err);
    result = job ? timeline_of_job(&run, err) : timeline_of_2022(&run, err);
    return result == 0 ? marks_timeline(&run, err) : result;
}

/* A call of trace_cuts_draw. */
struct drawing {
    sqlite3 *db;
    struct export_result *result;
};

static int draw(void *arg, const struct export_options *options, struct err *err)
{
    struct drawing *drawing = arg;
    return draw_timelines(drawing->db, options, drawing->result, err);
}

static int read_steps(void *arg, struct cut_borders *ret, struct err *err)
{
    struct drawing *drawing = arg;
    struct db_facts facts;
    struct capture_origin origin;
    if (db_read_facts(drawing->db, &facts, err) != 0 || query_origin(drawing->db, facts.family, &origin, err) != 0)
        return err_status(err);
    if (trace_cuts_read_steps(drawing->db, origin.time_ns, ret, err) != 0)
        return err_status(err);
    if (ret->count > 0)
        return 0;
    err_set(err, ERR_NOT_FOUND, "it has no iterations or steps to split at");
    err_hint_caller(err, "choose parts by time or size");
    return err_hint(err, "leave --split out, or choose parts by time or size");
}

int export_timeline(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    struct drawing drawing = {.db = db, .result = ret};
    *ret = (struct export_result){0};
    return trace_cuts_draw(options, draw, read_steps, &drawing, err);
}
