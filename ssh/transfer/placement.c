/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/transfer/placement.h"

#include "base/array.h"
#include "base/number.h"
#include "ssh/transfer/removal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANIFEST_LIMIT ((size_t)64 * 1024 * 1024)
#define SWEPT_STAGING PLACEMENT_STAGING ".new"
#define RUN_MANIFEST ".msprof-run"         /* as long as a run goes on, or when it was killed */
#define KEPT_MANIFEST ".brought-by-msprof" /* of runs with --keep */

/* ---- lists of files ---- */

static void sort_list(struct placed_list *list)
{
    paths_sort(list->items, list->count, sizeof *list->items);
}

static struct placed_file *find_placed(const struct placed_list *list, const char *path)
{
    return paths_find(list->items, list->count, sizeof *list->items, path);
}

/* Its list is to be sorted afterwards. */
static int add_placed(struct placed_list *list, const char *path, const char *checksum, bool is_link, uint64_t size,
                      struct err *err)
{
    struct placed_file file = {.path = strdup(path), .is_link = is_link, .size = size};

    if (file.path == NULL || array_reserve(list, 1, err) != 0) {
        free(file.path);
        return err_no_memory(err);
    }
    snprintf(file.checksum, sizeof file.checksum, "%s", checksum);
    list->items[list->count++] = file;
    return 0;
}

static void drop_placed(struct placed_list *list, struct placed_file *file)
{
    size_t index = (size_t)(file - list->items);

    free(file->path);
    free(file->state);
    memmove(file, file + 1, (list->count - index - 1) * sizeof *file);
    list->count--;
}

static void release_list(struct placed_list *list)
{
    while (list->count > 0)
        drop_placed(list, &list->items[list->count - 1]);
    free(list->items);
    *list = (struct placed_list){.items = NULL};
}

void placement_release(struct placement *placement)
{
    free(placement->directory);
    release_list(&placement->ours);
    release_list(&placement->before);
    words_release(&placement->directories);
    words_release(&placement->kept);
    *placement = (struct placement){.directory = NULL};
}

void placement_end_release(struct placement_end *end)
{
    words_release(&end->changed);
    words_release(&end->moved);
    words_release(&end->stays);
}

/* ---- the manifest: lines "made", "f <checksum> <size> <path>", "l <path>", "d <path>" ---- */

static const char *hash_name(const struct board *board)
{
    static const char *const names[] = {"size", "cksum", "md5", "sha256", "sha256"};

    return names[board->hash];
}

static int add_manifest(const struct placement *placement, const struct board *board, const struct placed_list *list,
                        bool is_of_run, struct strbuf *ret, struct err *err)
{
    strbuf_addf(ret, "msprof 1 %s\n", hash_name(board));
    if (is_of_run && placement->made)
        strbuf_adds(ret, "made\n");
    for (size_t i = 0; i < placement->directories.count; i++)
        strbuf_addf(ret, "d %s\n", placement->directories.items[i]);
    for (size_t i = 0; i < list->count; i++) {
        const struct placed_file *file = &list->items[i];

        if (file->is_link)
            strbuf_addf(ret, "l %s\n", file->path);
        else
            strbuf_addf(ret, "f %s %" PRIu64 " %s\n", file->checksum[0] != '\0' ? file->checksum : "-", file->size,
                        file->path);
    }
    return ret->failed ? err_no_memory(err) : 0;
}

/* One piece, then the end. */
struct text_source {
    const char *text;
    size_t length;
};

static int give_text(void *arg, const char **bytes, size_t *length, struct err *err)
{
    struct text_source *source = arg;

    (void)err;
    *bytes = source->text;
    *length = source->length;
    source->length = 0;
    return 0;
}

/* Writes one of the manifests as a whole; sh itself reads the lines, because a board may have no cat. */
static int write_manifest(struct placement *placement, struct board *board, const struct placed_list *list,
                          const char *name, struct err *err)
{
    struct strbuf *script = board_script_in(board, placement->directory), text;
    struct text_source source;
    struct ssh_io io = {
        .input = give_text, .arg = &source, .limits = ssh_limits_for(board->connection, list->count * 256)};
    int result;

    strbuf_init(&text, MANIFEST_LIMIT);
    result = add_manifest(placement, board, list, strcmp(name, RUN_MANIFEST) == 0, &text, err);
    source = (struct text_source){text.data, text.length};
    strbuf_addf(script, "umask 027\n%s >%s.new && mv -f %s.new %s || { rm -f %s.new; exit 1; }\n",
                board->has_cat ? "cat" : "{ while IFS= read -r line; do printf '%s\\n' \"$line\"; done; }", name, name,
                name, name);
    if (result == 0)
        result = board_run(board, "cannot write down what is brought to the board", &io, err);
    strbuf_release(&text);
    return result;
}

/* A line of a manifest. Nothing in it is trusted: it can only name files below the directory, which are looked at once
 * more before they go. */
static int take_manifest_line(struct placement *placement, struct placed_list *list, char *line, bool is_usable,
                              struct err *err)
{
    char *path = line + 2, *blank, *end;
    uint64_t size;

    if (strcmp(line, "made") == 0)
        placement->made = placement->made || list == &placement->ours;
    if (line[0] == '\0' || line[1] != ' ')
        return 0;
    if (line[0] == 'd' && list == &placement->ours && listing_path_problem(path) == NULL)
        return words_add(&placement->directories, path, err);
    if (line[0] == 'l' && listing_path_problem(path) == NULL)
        return add_placed(list, path, "", true, 0, err);
    blank = strchr(path, ' ');
    if (line[0] != 'f' || blank == NULL || !is_usable)
        return 0;
    *blank = '\0';
    size = strtoull(blank + 1, &end, 10);
    if (*end != ' ' || listing_path_problem(end + 1) != NULL || strlen(path) >= CHECKSUM_TEXT_SIZE)
        return 0;
    return add_placed(list, end + 1, path, false, size, err);
}

/* Both manifests, each behind a line "= <name>". */
static int take_manifests(struct placement *placement, const struct board *board, char *text, struct err *err)
{
    struct placed_list *list = NULL;
    bool is_usable = false;
    char *line;

    while ((line = board_next_line(&text)) != NULL)
        if (strncmp(line, "= ", 2) == 0)
            list = strcmp(line + 2, RUN_MANIFEST) == 0 ? &placement->ours : &placement->before;
        else if (strncmp(line, "msprof 1 ", 9) == 0)
            is_usable = strcmp(line + 9, hash_name(board)) == 0;
        else if (list != NULL && take_manifest_line(placement, list, line, is_usable, err) < 0)
            return err_status(err);
    sort_list(&placement->ours);
    sort_list(&placement->before);
    return 0;
}

/* ---- beginning ---- */

/* Files that were set aside go back where nothing stands. A file of the run that stands there is reported first
 * (changed), and moves aside itself. */
static const char restore[] = "restore() { for f in \"$1\"/* \"$1\"/.[!.]* \"$1\"/..?*; do\n"
                              "if [ -d \"$f\" ] && [ ! -L \"$f\" ]; then restore \"$f\"; continue; fi\n"
                              "[ -e \"$f\" ] || [ -L \"$f\" ] || continue\n"
                              "p=${f#" PLACEMENT_KEPT "/}\n"
                              "if [ -e \"$p\" ] || [ -L \"$p\" ]; then printf 'stays %s\\n' \"$p\"; continue; fi\n"
                              "case $p in */*) mkdir -p \"./${p%/*}\";; esac\n"
                              "mv \"$f\" \"./$p\" || r=1\n"
                              "done; }\n"
                              "r=0\n";

static void add_open_script(struct strbuf *script, const char *directory)
{
    ssh_script_add(script,
                   "umask 027; d=" WORD "\n[ -d \"$d\" ] || { mkdir -p \"$d\" && echo made >\"$d/" RUN_MANIFEST
                   "\"; } || exit 1\ncd \"$d\" || exit 1\n",
                   directory);
    strbuf_adds(script, restore);
    strbuf_adds(script, "rm -rf " SWEPT_STAGING " || exit 1\n"
                        "if [ -d " PLACEMENT_STAGING " ] && [ ! -L " PLACEMENT_STAGING " ]; then echo staged\n"
                        "else rm -rf " PLACEMENT_STAGING " || exit 1; fi\n"
                        "[ ! -e " RUN_MANIFEST " ] || restore " PLACEMENT_KEPT " >/dev/null\n"
                        "for m in " RUN_MANIFEST " " KEPT_MANIFEST "; do\n[ -f $m ] || continue\necho \"= $m\"\n"
                        "while IFS= read -r line; do printf '%s\\n' \"$line\"; done <$m\ndone\nexit $r\n");
}

int placement_open(struct placement *placement, struct board *board, const char *directory, struct err *err)
{
    *placement =
        (struct placement){.directory = strdup(directory), .has_staging = true /* until the board has answered */};
    if (placement->directory == NULL)
        return err_no_memory(err);
    add_open_script(board_script(board), directory);
    if (board_ask(board, MANIFEST_LIMIT, "cannot make the project's directory", err) < 0)
        return err_status(err);
    placement->has_staging = strncmp(board->answer.data, "staged\n", 7) == 0;
    return take_manifests(placement, board, board->answer.data, err);
}

int64_t placement_staged_kilobytes(struct board *board, const char *directory)
{
    const char *said;
    struct err ignored = ERR_INIT;
    int64_t kilobytes;

    ssh_script_add(board_script(board),
                   "set -- $(du -sk " WORD "/" PLACEMENT_STAGING " 2>/dev/null)\necho \"${1:-0}\"\n", directory);
    if (board_do(board, "cannot ask for space", &ignored) != 0)
        return 0;
    said = board->answer.data;
    return number_parse_integer(said, strcspn(said, "\n"), &kilobytes) == 0 && kilobytes > 0 ? kilobytes : 0;
}

bool placement_knows(const struct placement *placement, const char *path)
{
    return find_placed(&placement->ours, path) != NULL || find_placed(&placement->before, path) != NULL;
}

bool placement_is_ours(const struct placement *placement, const struct project_file *file)
{
    const struct placed_list *lists[] = {&placement->ours, &placement->before};

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const struct placed_file *placed = find_placed(lists[i], file->path);

        if (placed != NULL && !placed->is_link && file->there[0] != '\0' && strcmp(placed->checksum, file->there) == 0)
            return true;
    }
    return false;
}

/* ---- removing ---- */

/* Files of a list, then directories, the innermost first. */
struct removal_source {
    const struct placed_list *list;
    const struct project *without; /* files of it are left out; NULL: none are */
    const struct words *directories;
};

static bool removed_file(void *arg, size_t i, struct known_file *ret)
{
    const struct removal_source *source = arg;
    const struct placed_file *file;

    if (i >= source->list->count) {
        const size_t behind = i - source->list->count + 1;

        *ret = (struct known_file){.path = source->directories->items[source->directories->count - behind],
                                   .is_directory = true};
        return true;
    }
    file = &source->list->items[i];
    *ret = (struct known_file){.path = file->path,
                               .state = file->state,
                               .checksum = file->checksum,
                               .size = file->size,
                               .is_link = file->is_link};
    return source->without == NULL || project_find(source->without, file->path) == NULL;
}

static bool has_all_states(const struct placed_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].state == NULL)
            return false;
    return true;
}

int placement_adopt(struct placement *placement, struct board *board, struct project *project, struct err *err)
{
    struct removal_source source = {.list = &placement->ours, .without = project};
    const struct removal_request request = {.directory = placement->directory,
                                            .known = removed_file,
                                            .arg = &source,
                                            .count = placement->ours.count,
                                            .by_checksum = true};
    struct removal_result removed;
    int result;

    if (placement->ours.count == 0)
        return 0;
    result = board_remove_known(board, &request, &removed, err);
    for (size_t i = placement->ours.count; i > 0 && result == 0; i--) {
        struct placed_file *placed = &placement->ours.items[i - 1];
        const struct project_file *file = project_find(project, placed->path);

        if (file == NULL || (!placed->is_link && strcmp(placed->checksum, file->there) != 0))
            drop_placed(&placement->ours, placed);
    }
    removal_release(&removed);
    return result;
}

/* ---- what an earlier run left half way ---- */

/* "<sign> <path>" of files of a project; those without a sign are left out. */
struct signed_names {
    const struct project *project;
    char (*sign)(const struct project_file *file);
    char line[LISTING_MAX_PATH + 8];
};

static const char *signed_name(void *arg, size_t i)
{
    struct signed_names *names = arg;
    const struct project_file *file = &names->project->files[i];

    snprintf(names->line, sizeof names->line, "%c %s", names->sign(file), file->path);
    return names->line[0] != '\0' ? names->line : NULL;
}

/* Programs, and other files. */
static char sign_of_arrived(const struct project_file *file)
{
    return !file->staged && file->arrived == 0 ? '\0' : file->executable ? 'x' : 'f';
}

int placement_sweep(struct placement *placement, struct board *board, const struct project *project, struct err *err)
{
    struct signed_names signs = {.project = project, .sign = sign_of_arrived};
    const struct name_source names = {signed_name, &signs, project->count, project_bytes(project)};

    strbuf_adds(board_script_in(board, placement->directory),
                "umask 027\nrm -rf " SWEPT_STAGING " && mkdir " SWEPT_STAGING " || exit 1\n"
                "while IFS= read -r line; do\n"
                "line=${line#./}; f=${line#??} m=640\n"
                "case $line in x*) m=750;; esac\n"
                "case $f in */*) mkdir -p \"" SWEPT_STAGING "/${f%/*}\" || exit 1;; esac\n"
                "chmod $m \"" PLACEMENT_STAGING "/$f\" &&\n"
                "mv \"" PLACEMENT_STAGING "/$f\" \"" SWEPT_STAGING "/$f\" || exit 1\n"
                "done\nrm -rf " PLACEMENT_STAGING " && mv " SWEPT_STAGING " " PLACEMENT_STAGING "\n");
    placement->has_staging = false;
    return board_do_with_names(board, 0, "cannot use what an earlier upload left", &names, '\n', err);
}

/* ---- putting ---- */

static int keep_placed(struct placement *placement, const struct project *project, struct err *err)
{
    for (size_t i = 0; i < project->count; i++) {
        struct placed_file *placed = find_placed(&placement->ours, project->files[i].path);

        if (!project->files[i].present && placed != NULL)
            drop_placed(&placement->ours, placed);
    }
    for (size_t i = 0; i < project->count; i++) {
        const struct project_file *file = &project->files[i];
        if (!file->present &&
            add_placed(&placement->ours, file->path, file->checksum, file->link != NULL, file->size, err) < 0)
            return err_status(err);
    }
    sort_list(&placement->ours);
    return 0;
}

/* Programs get names with "./" in front: one that begins with "-" would be an option. */
static void add_put_script(struct strbuf *script)
{
    strbuf_adds(script, "umask 027\n"
                        "keep() { k=" PLACEMENT_KEPT "/$1; mkdir -p \"${k%/*}\" || return\n"
                        "while [ -e \"$k\" ] || [ -L \"$k\" ]; do k=$k~; done\n"
                        "mv \"./$1\" \"$k\" && printf 'kept %s\\n' \"$1\"; }\n"
                        "make() { case $1 in */*) [ -d \"${1%/*}\" ] || make \"${1%/*}\" || return;; esac\n"
                        "[ ! -e \"$1\" ] && [ ! -L \"$1\" ] || keep \"$1\" || return\n"
                        "mkdir \"./$1\" && printf 'd %s\\n' \"$1\" >>" RUN_MANIFEST " &&\n"
                        "printf 'made %s\\n' \"$1\"; }\n"
                        "while IFS= read -r line; do\n"
                        "line=${line#./}; f=${line#??} s=" PLACEMENT_STAGING "/${line#??}\n"
                        "case $f in */*) [ -d \"${f%/*}\" ] || make \"${f%/*}\" || exit 1;; esac\n"
                        "if [ -L \"$s\" ] && [ -L \"$f\" ] && t=$(readlink \"./$f\") && [ -n \"$t\" ] &&\n"
                        "[ \"$t\" = \"$(readlink \"$s\")\" ]; then printf 'same %s\\n' \"$f\"; continue; fi\n"
                        "case $line in n*) [ ! -e \"$f\" ] && [ ! -L \"$f\" ] || keep \"$f\" || exit 1;; esac\n"
                        "mv -f \"$s\" \"./$f\" || exit 1\n"
                        "done\nrm -rf " PLACEMENT_STAGING "\n");
}

/* Those that stand on the board and are ours, and others. */
static char sign_of_put(const struct project_file *file)
{
    return file->present ? '\0' : file->replaces_ours ? 'o' : 'n';
}

static int take_put_line(struct placement *placement, const char *line, struct err *err)
{
    struct placed_file *placed;

    if (strncmp(line, "kept ", 5) == 0)
        return words_add(&placement->kept, line + 5, err);
    if (strncmp(line, "made ", 5) == 0)
        return words_add(&placement->directories, line + 5, err);
    placed = strncmp(line, "same ", 5) == 0 ? find_placed(&placement->ours, line + 5) : NULL;
    if (placed != NULL)
        drop_placed(&placement->ours, placed);
    return 0;
}

/* Calls take for each line of a text, which is cut up. */
static int each_line(char *text, struct placement *placement,
                     int (*take)(struct placement *placement, const char *line, struct err *err), struct err *err)
{
    char *line;
    int result = 0;

    while (result == 0 && (line = board_next_line(&text)) != NULL)
        result = take(placement, line, err);
    return result;
}

static int move_staged(struct placement *placement, struct board *board, const struct project *project, struct err *err)
{
    struct signed_names signs = {.project = project, .sign = sign_of_put};
    const struct name_source names = {signed_name, &signs, project->count, project_bytes(project)};
    int result;

    add_put_script(board_script_in(board, placement->directory));
    result = board_do_with_names(board, MANIFEST_LIMIT, "cannot move the uploaded files into place", &names, '\n', err);
    return result == 0 ? each_line(board->answer.data, placement, take_put_line, err) : result;
}

static const char *placed_name(void *arg, size_t i)
{
    return ((struct placed_list *)arg)->items[i].path;
}

static int take_state(struct placement *placement, const char *line, struct err *err)
{
    const char *name = strstr(line, " ./");
    struct placed_file *placed = name != NULL ? find_placed(&placement->ours, name + 3) : NULL;

    if (placed == NULL)
        return 0;
    free(placed->state);
    placed->state = strdup(line);
    return placed->state != NULL ? 0 : err_no_memory(err);
}

/* By which files are known unchanged later. Without stat their checksums serve. */
static int ask_states(struct placement *placement, struct board *board, struct err *err)
{
    const struct name_source names = {.name = placed_name, .arg = &placement->ours, .count = placement->ours.count};
    int result;

    if (!board->has_stat || placement->ours.count == 0)
        return 0;
    strbuf_adds(board_script_in(board, placement->directory),
                board->has_xargs ? "exec xargs -0 stat -c '" LISTING_FORMAT "'\n"
                                 : "while IFS= read -r f; do stat -c '" LISTING_FORMAT "' \"$f\" || exit 1; done\n");
    result = board_do_with_names(board, LISTING_LIMIT, "cannot check the uploaded files", &names,
                                 board_separator(board), err);
    return result == 0 ? each_line(board->answer.data, placement, take_state, err) : result;
}

static bool has_unplaced(const struct project *project)
{
    for (size_t i = 0; i < project->count; i++)
        if (!project->files[i].present)
            return true;
    return false;
}

int placement_put(struct placement *placement, struct board *board, struct project *project, struct err *err)
{
    if (has_unplaced(project) && (keep_placed(placement, project, err) != 0 ||
                                  write_manifest(placement, board, &placement->ours, RUN_MANIFEST, err) != 0 ||
                                  move_staged(placement, board, project, err) != 0))
        return err_status(err);
    return ask_states(placement, board, err);
}

/* ---- ending ---- */

static const char *last_word(void *arg, size_t i)
{
    const struct words *words = arg;

    return words->items[words->count - 1 - i];
}

static void add_undo_script(const struct placement *placement, struct strbuf *script)
{
    ssh_script_add(script, "d=" WORD "\ncd \"$d\" 2>/dev/null || { echo 'left 0'; exit 0; }\n", placement->directory);
    strbuf_adds(script, board_tidy_functions);
    strbuf_adds(script, restore);
    if (placement->has_staging)
        strbuf_adds(script, "s=''; [ ! -d " PLACEMENT_STAGING " ] || { s=yes; echo staged; }\n");
    else
        strbuf_adds(script, "s=''; rm -rf " PLACEMENT_STAGING " || r=1\n");
    strbuf_adds(script, "while IFS= read -r f; do\nf=${f#./}\n"
                        "[ -e \"" PLACEMENT_KEPT "/$f\" ] || [ -L \"" PLACEMENT_KEPT "/$f\" ] || continue\n"
                        "[ ! -e \"$f.after-run\" ] && mv \"./$f\" \"./$f.after-run\" && printf 'moved %s\\n' \"$f\"\n"
                        "done\n"
                        "[ ! -d " PLACEMENT_KEPT " ] || { restore " PLACEMENT_KEPT "; prune " PLACEMENT_KEPT "; }\n"
                        "[ $r -ne 0 ] || [ -n \"$s\" ] || rm -f " RUN_MANIFEST "\n");
    strbuf_addf(script, "cd / && %s \"$d\" 2>/dev/null\necho \"left $(count \"$d\")\"\nexit $r\n",
                placement->made ? "prune" : ":");
}

static int take_undo_answer(char *text, struct placement_end *ret, struct err *err)
{
    char *line;
    int result = 0;

    while (result == 0 && (line = board_next_line(&text)) != NULL) {
        if (strncmp(line, "moved ", 6) == 0)
            result = words_add(&ret->moved, line + 6, err);
        else if (strcmp(line, "staged") == 0)
            ret->keeps_staging = true;
        else if (strncmp(line, "stays ", 6) == 0)
            result = words_add(&ret->stays, line + 6, err);
        else if (strncmp(line, "left ", 5) == 0)
            ret->left = strtoll(line + 5, NULL, 10);
    }
    return result;
}

static int restore_kept(struct placement *placement, struct board *board, struct placement_end *ret, struct err *err)
{
    const struct name_source names = {.name = last_word, .arg = &ret->changed, .count = ret->changed.count};
    int result;

    add_undo_script(placement, board_script(board));
    result = board_do_with_names(board, MANIFEST_LIMIT, "cannot restore the files of the board", &names, '\n', err);
    return result == 0 ? take_undo_answer(board->answer.data, ret, err) : result;
}

static int remove_manifest(struct placement *placement, struct board *board, const char *name, struct err *err)
{
    ssh_script_add(board_script(board), "rm -f " WORD "/" WORD "\n", placement->directory, name);
    return board_do(board, "cannot leave the project's directory", err);
}

/* Updates the files that runs with --keep left: those that this one has replaced are gone. */
static int update_before(struct placement *placement, struct board *board, struct err *err)
{
    bool any = false;

    for (size_t i = placement->before.count; i > 0; i--) {
        struct placed_file *file = &placement->before.items[i - 1];

        if (find_placed(&placement->ours, file->path) != NULL) {
            drop_placed(&placement->before, file);
            any = true;
        }
    }
    if (!any)
        return 0;
    words_release(&placement->directories);
    if (placement->before.count == 0)
        return remove_manifest(placement, board, KEPT_MANIFEST, err);
    return write_manifest(placement, board, &placement->before, KEPT_MANIFEST, err);
}

int placement_undo(struct placement *placement, struct board *board, struct placement_end *ret, struct err *err)
{
    struct removal_source source = {.list = &placement->ours, .directories = &placement->directories};
    const struct removal_request request = {.directory = placement->directory,
                                            .known = removed_file,
                                            .arg = &source,
                                            .count = placement->ours.count + placement->directories.count,
                                            .by_checksum = !has_all_states(&placement->ours)};
    struct removal_result removed = {.left = 0};
    bool failed = placement->ours.count > 0 && board_remove_known(board, &request, &removed, err) != 0;

    *ret = (struct placement_end){.changed = removed.changed};
    if (failed || (placement->before.count > 0 && update_before(placement, board, err) != 0))
        return err_status(err);
    return restore_kept(placement, board, ret, err);
}

int placement_leave(struct placement *placement, struct board *board, struct err *err)
{
    const size_t sorted_count = placement->ours.count;

    for (size_t i = 0; i < placement->before.count; i++) {
        const struct placed_file *file = &placement->before.items[i];
        const struct placed_list sorted = {.items = placement->ours.items, .count = sorted_count};
        if (find_placed(&sorted, file->path) == NULL &&
            add_placed(&placement->ours, file->path, file->checksum, file->is_link, file->size, err) < 0)
            return err_status(err);
    }
    sort_list(&placement->ours);
    if (write_manifest(placement, board, &placement->ours, KEPT_MANIFEST, err) < 0)
        return err_status(err);
    return remove_manifest(placement, board, RUN_MANIFEST, err);
}
