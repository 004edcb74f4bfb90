/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/collect/cmd_collect_plan.h"

#include "base/file/fsutil.h"
#include "base/language.h"
#include "cli/console.h"
#include "ssh/acl_json.h"
#include "ssh/transfer/placement.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK ".msprof-was-"
#define NONE ".none" /* behind the checksum: there was no file */
#define NEW_FILE_MODE 0640

/* "" when the file cannot be read. */
static void hash_file(const char *path, char ret[CHECKSUM_TEXT_SIZE])
{
    struct err ignored = ERR_INIT;
    SCOPED_FREE char *text = NULL;
    size_t length;

    ret[0] = '\0';
    if (path_read_file(path, ACL_JSON_LIMIT, &text, &length, &ignored) == 0)
        checksum_of(text, length, ret);
}

static void release(struct acl_file *file)
{
    if (file->fd > 0)
        close(file->fd);
    free(file->target);
    free(file->backup);
    *file = (struct acl_file){.target = NULL};
}

/* The file behind links; one that does not exist is its own. */
static int resolve(const char *path, char **ret, struct err *err)
{
    struct stat st;

    *ret = realpath(path, NULL);
    if (*ret == NULL && errno == ENOENT && lstat(path, &st) < 0)
        *ret = scoped_text(path, SIZE_MAX);
    return *ret != NULL ? 0 : err_set_errno(err, errno, "cannot resolve '%s'", path);
}

/* "<directory>/.<name>.msprof-was-" */
static char *backup_head(const char *target)
{
    const char *slash = strrchr(target, '/');
    char *head = NULL;

    return asprintf(&head, "%.*s/.%s" MARK, (int)(slash - target), target, slash + 1) >= 0 ? head : NULL;
}

/* A file of this text takes the place of path as a whole; st is whose mode and owner it gets, NULL: a new file's. */
static int put_text(const char *path, const char *text, size_t length, const struct stat *st, struct err *err)
{
    SCOPED_FREE char *temporary = NULL;

    if (asprintf(&temporary, "%s.msprof-XXXXXX", path) < 0)
        return err_no_memory(err);
    int fd = mkostemp(temporary, O_CLOEXEC);
    int failure = fd < 0 ? errno : file_write_at(fd, text, length, 0);
    if (fd >= 0) {
        if (failure == 0 && fsync(fd) < 0)
            failure = errno;
        if (failure == 0 && st != NULL && fchown(fd, st->st_uid, st->st_gid) < 0 && st->st_uid == geteuid())
            failure = errno; /* another's file becomes this user's, as it would in an editor */
        if (failure == 0 && fchmod(fd, st != NULL ? st->st_mode & 07777 : NEW_FILE_MODE) < 0)
            failure = errno;
        close(fd);
        if (failure == 0 && rename(temporary, path) < 0)
            failure = errno;
        if (failure != 0)
            unlink(temporary);
    }
    return failure == 0 ? 0 : err_set_errno(err, failure, "cannot write '%s'", path);
}

/* The file itself under a second name or, where a file system has no such thing, a copy. */
static int make_backup(const struct acl_file *file, const struct stat *st, struct err *err)
{
    SCOPED_FREE char *text = NULL;
    size_t length;

    if (file->had_none) {
        SCOPED_CLOSE int fd = open(file->backup, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, NEW_FILE_MODE);
        return fd >= 0 || errno == EEXIST ? 0 : err_set_errno(err, errno, "cannot write '%s'", file->backup);
    }
    if (link(file->target, file->backup) == 0 || errno == EEXIST)
        return 0;
    return path_read_file(file->target, ACL_JSON_LIMIT, &text, &length, err) < 0 ||
                   put_text(file->backup, text, length, st, err) < 0
               ? err_status(err)
               : 0;
}

static int lock_backup(struct acl_file *file, struct err *err)
{
    file->fd = open(file->backup, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file->fd < 0 || (flock(file->fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK)) {
        err_set_errno(err, errno, "cannot save the original of '%s'", file->target);
        return err_status(err);
    }
    return 0;
}

/* The backup of target of this number that lies beside it (free() it); NULL: there are not so many, or err is set. */
static char *find_backup(const char *target, size_t number, struct err *err)
{
    SCOPED_FREE char *head = backup_head(target);
    char *slash = head != NULL ? strrchr(head, '/') : NULL, *found = NULL;
    const struct dirent *item;

    if (slash == NULL) {
        err_no_memory(err);
        return NULL;
    }
    *slash = '\0';
    SCOPED_DIRECTORY DIR *stream = opendir(head);
    while (stream != NULL && found == NULL && err->code == ERR_NONE && (item = readdir(stream)) != NULL)
        if (strncmp(item->d_name, slash + 1, strlen(slash + 1)) == 0 && number-- == 0)
            found = path_joined(head, item->d_name, err);
    return found;
}

/* Position of the checksum in the name of a backup. */
static const char *checksum_of_backup(const char *backup, const char *target)
{
    return backup + strlen(target) + strlen("." MARK);
}

/* Another run may have patched it: to the same text, then both need it; or to another one. */
static int find_other(const struct acl_file *file, bool *ret_shared, struct err *err)
{
    char now[CHECKSUM_TEXT_SIZE], *backup;

    *ret_shared = false;
    for (size_t i = 0; (backup = find_backup(file->target, i, err)) != NULL; i++) {
        hash_file(file->target, now);
        *ret_shared = strncmp(checksum_of_backup(backup, file->target), file->checksum, CHECKSUM_TEXT_SIZE - 1) == 0 &&
                      strcmp(now, file->checksum) == 0;
        free(backup);
        if (*ret_shared)
            continue;
        err_set(err, ERR_FAILED, "another run has patched '%s' for a board that mounts the project", file->target);
        return err_hint(err, "wait until it ends, or use --transfer=upload");
    }
    return err_status(err);
}

static int name_backup(struct acl_file *file, bool has_file, bool is_shared, struct err *err)
{
    SCOPED_FREE char *head = backup_head(file->target);

    file->had_none = !has_file;
    if (head == NULL || asprintf(&file->backup, "%s%s%s", head, file->checksum, has_file ? "" : NONE) < 0)
        file->backup = NULL;
    if (file->backup == NULL)
        return err_no_memory(err);
    if (is_shared && access(file->backup, F_OK) != 0) { /* the other run's backup is named so if there was no file */
        char *none = NULL;

        if (asprintf(&none, "%s" NONE, file->backup) < 0)
            return err_no_memory(err);
        free(file->backup);
        file->backup = none;
        file->had_none = true;
    }
    return 0;
}

static int put_patched(const struct acl_file *file, const char *text, size_t length, const struct stat *st,
                       struct err *err)
{
    if (put_text(file->target, text, length, st, err) == 0)
        return 0;
    unlink(file->backup);
    return err_status(err);
}

int acl_file_replace(struct acl_file *file, const char *path, const char *text, size_t length, struct err *err)
{
    bool has_file, is_shared = false;
    struct stat st;

    *file = (struct acl_file){.target = NULL};
    checksum_of(text, length, file->checksum);
    if (resolve(path, &file->target, err) != 0)
        return err_status(err);
    has_file = stat(file->target, &st) == 0;
    if (find_other(file, &is_shared, err) == 0 && name_backup(file, has_file, is_shared, err) == 0 &&
        (is_shared || make_backup(file, has_file ? &st : NULL, err) == 0) && lock_backup(file, err) == 0 &&
        (is_shared || put_patched(file, text, length, has_file ? &st : NULL, err) == 0))
        return 0;
    release(file);
    return err_status(err);
}

#define MOST_KEPT 10000

/* Sets the old content aside, beside the new; what an earlier run set aside stays. */
static int set_aside(const struct acl_file *file, struct err *err)
{
    int failure = EEXIST;

    if (file->had_none)
        return unlink(file->backup) == 0 || errno == ENOENT
                   ? 0
                   : err_set_errno(err, errno, "cannot remove '%s'", file->backup);
    for (int i = 1; failure == EEXIST && i < MOST_KEPT; i++) {
        SCOPED_FREE char *name = NULL;
        char number[16] = "";
        if (i > 1)
            snprintf(number, sizeof number, "-%d", i);
        if (asprintf(&name, "%s.before-msprof%s", file->target, number) < 0)
            return err_no_memory(err);
        failure = path_move(file->backup, name);
    }
    return failure == 0 ? 0 : err_set_errno(err, failure, "cannot write '%s.before-msprof'", file->target);
}

static int end_patch(const struct acl_file *file, enum acl_file_end *ret, struct err *err)
{
    char now[CHECKSUM_TEXT_SIZE];

    if (flock(file->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        *ret = ACL_FILE_IN_USE;
        return 0;
    }
    hash_file(file->target, now);
    if (strcmp(now, file->checksum) != 0) {
        *ret = ACL_FILE_EDITED;
        return set_aside(file, err);
    }
    if (!file->had_none && rename(file->backup, file->target) < 0)
        return err_set_errno(err, errno, "cannot restore '%s'", file->target);
    if (file->had_none && (unlink(file->target) < 0 || unlink(file->backup) < 0))
        return err_set_errno(err, errno, "cannot remove '%s'", file->target);
    return 0;
}

int acl_file_restore(struct acl_file *file, enum acl_file_end *ret, struct err *err)
{
    *ret = ACL_FILE_RESTORED;
    if (file->target == NULL)
        return 0;
    int result = end_patch(file, ret, err);
    release(file);
    return result;
}

/* One that a killed run left; one that a living run needs is none. */
static int recover_backup(const char *target, const char *backup, enum acl_file_end *ret, struct err *err)
{
    SCOPED(release) struct acl_file file = {.target = strdup(target), .backup = strdup(backup)};
    size_t length = strlen(backup);
    int result = 0;

    *ret = ACL_FILE_RESTORED;
    snprintf(file.checksum, sizeof file.checksum, "%s", checksum_of_backup(backup, target));
    file.had_none = length > sizeof NONE && strcmp(backup + length - (sizeof NONE - 1), NONE) == 0;
    file.fd = open(backup, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file.target == NULL || file.backup == NULL)
        result = err_no_memory(err);
    else if (file.fd < 0)
        result = err_set_errno(err, errno, "cannot read '%s'", backup);
    else
        result = end_patch(&file, ret, err);
    return result;
}

int acl_file_recover(const char *path, bool *ret_found, enum acl_file_end *ret, struct err *err)
{
    SCOPED_FREE char *target = NULL, *backup = NULL;

    *ret_found = false;
    *ret = ACL_FILE_RESTORED;
    if (resolve(path, &target, err) == 0)
        backup = find_backup(target, 0, err);
    if (backup != NULL) {
        *ret_found = true;
        recover_backup(target, backup, ret, err);
    }
    return err_status(err);
}

#define DEFAULT_OUTPUT "profiling"
#define RUN_DIRECTORY "out"
#define COMMAND_LINE_LIMIT ((size_t)1024 * 1024)

/* "MAIN" or "MAIN arguments", and what stands behind "--"; a file whose name has blanks is taken as a whole. */
static int split_program(struct collect_plan *plan, struct err *err)
{
    const struct settings *settings = plan->settings;
    const char *text = settings->collect.program;
    int result =
        access(text, F_OK) == 0 ? words_add(&plan->arguments, text, err) : words_split(&plan->arguments, text, err);

    for (int i = 0; i < settings->operand_count && result == 0; i++)
        result = words_add(&plan->arguments, settings->operands[i], err);
    if (result != 0)
        return err_wrap(err, "cannot read --main '%s'", text);
    SCOPED_FREE char *path = words_take_first(&plan->arguments);
    plan->main = path_absolute(path != NULL ? path : "", err);
    if (plan->main != NULL)
        return 0;
    err_wrap(err, "no program to run");
    return err_hint(err, "--main is a path on this machine, usually <project>/out/main");
}

static int check_program(struct collect_plan *plan, struct err *err)
{
    struct stat st;

    if (stat(plan->main, &st) < 0)
        return err_set_errno(err, errno, "cannot read the program '%s'", plan->main);
    if (!S_ISREG(st.st_mode))
        return err_set(err, ERR_FAILED, "'%s' is not an executable file", plan->main);
    if ((st.st_mode & 0111) == 0) {
        err_set(err, ERR_FAILED, "'%s' is not executable", plan->main);
        return err_hint(err, "chmod +x '%s'", plan->main);
    }
    return elf_machines(plan->main, &plan->machines, err);
}

/* The root is the parent of out/, which holds the program, unless the ini file names it. */
static int find_root(struct collect_plan *plan, struct err *err)
{
    SCOPED_FREE char *directory = scoped_text(plan->main, SIZE_MAX);
    char *slash = directory != NULL ? strrchr(directory, '/') : NULL;

    if (slash == NULL)
        return err_no_memory(err);
    plan->program = strdup(slash + 1);
    *slash = '\0';
    slash = strrchr(directory, '/');
    if (plan->target->project != NULL) {
        plan->root = path_absolute(plan->target->project, err);
        if (plan->root == NULL)
            return err_wrap(err, "cannot use the project of the ini file");
    } else if (slash != NULL && slash != directory && strcmp(slash + 1, RUN_DIRECTORY) == 0) {
        plan->root = strndup(directory, (size_t)(slash - directory));
    } else {
        err_set(err, ERR_USAGE, "'%s' is not in the " RUN_DIRECTORY "/ directory of a project", plan->main);
        return err_hint(err, "put it there, or name the root of the project in the ini file ('project = DIR')");
    }
    if (plan->root == NULL || plan->program == NULL)
        return err_no_memory(err);
    size_t length = strlen(plan->root);
    if (strncmp(directory, plan->root, length) != 0 || (directory[length] != '\0' && directory[length] != '/'))
        return err_set(err, ERR_USAGE, "'%s' is not inside the project '%s'", plan->main, plan->root);
    plan->directory = strdup(directory + length + (directory[length] == '/'));
    return plan->directory != NULL ? 0 : err_no_memory(err);
}

/* Without --output captures go where the project has them, or, without a project, into the working directory. */
static char *output_base(const struct collect_plan *plan, struct err *err)
{
    const char *project = plan->root != NULL ? plan->root : plan->target->project;

    if (plan->settings->output != NULL)
        return path_from_here(plan->settings->output, err);
    if (project == NULL)
        return path_absolute(".", err);
    SCOPED_FREE char *root = path_from_here(project, err);
    return root != NULL ? path_joined(root, DEFAULT_OUTPUT, err) : NULL;
}

static int choose_output(struct collect_plan *plan, struct err *err)
{
    char *base = output_base(plan, err);

    if (base != NULL && plan->settings->collect.boards.count > 1) {
        plan->output = path_joined(base, plan->target->name, err);
        free(base);
    } else {
        plan->output = base;
    }
    return plan->output != NULL ? 0 : err_status(err);
}

static int make_command_line(struct collect_plan *plan, struct err *err)
{
    struct strbuf text;

    strbuf_init(&text, COMMAND_LINE_LIMIT);
    strbuf_addf(&text, "./%s", plan->program);
    words_show(&plan->arguments, &text);
    plan->command_line = strbuf_detach(&text);
    return plan->command_line != NULL ? 0 : err_no_memory(err);
}

/* Earlier captures and version control stay here, and so does --output when it is inside the project. */
static int open_project(struct collect_plan *plan, struct err *err)
{
    const struct value_list *given = &plan->settings->collect.exclude;
    static const char *const standard[] = {DEFAULT_OUTPUT,  ".git",           ".svn",
                                           ".msprof.*.tmp", ACL_FILE_BACKUPS, ".partial-*"};
    const size_t standard_count = sizeof standard / sizeof standard[0];
    SCOPED_FREE const char **patterns = scoped_memory(given->count + standard_count + 1, sizeof *patterns);
    size_t count = standard_count, length = strlen(plan->root);
    char *inside = NULL;

    if (patterns == NULL)
        return err_no_memory(err);
    memcpy(patterns, standard, sizeof standard);
    for (size_t i = 0; i < given->count; i++)
        patterns[count++] = given->values[i];
    if (strncmp(plan->output, plan->root, length) == 0 && plan->output[length] == '/')
        inside = plan->output + length + 1;
    if (inside != NULL)
        patterns[count++] = inside;
    return project_open(&plan->project, plan->root, patterns, count, err);
}

static bool is_acl_json(const char *path)
{
    return strcmp(path_name(path), "acl.json") == 0;
}

/* Restores the project (NFS) after a run that was killed, and reports it. *ret_any: the project has changed. */
static int recover_acl_json(const struct collect_plan *plan, const char *path, bool *ret_any, struct err *err)
{
    SCOPED_FREE char *absolute_path = path_join(plan->root, path);
    enum acl_file_end end;
    bool found = false;
    int result = absolute_path != NULL ? acl_file_recover(absolute_path, &found, &end, err) : err_no_memory(err);

    if (result != 0)
        return err_wrap(err, "cannot restore files that a killed run left");
    if (found && end == ACL_FILE_EDITED)
        console_warning("'%s' was patched by a killed run and changed since; it is kept, and the original is beside it "
                        "as '<name>.before-msprof'",
                        path);
    else if (found && end == ACL_FILE_RESTORED)
        console_warning("'%s' is restored to its state before a killed run", path);
    *ret_any = *ret_any || (found && end != ACL_FILE_IN_USE);
    return 0;
}

static char *default_acl_json(const struct collect_plan *plan)
{
    return plan->directory[0] != '\0' ? path_join(plan->directory, "acl.json") : scoped_text("acl.json", SIZE_MAX);
}

static int recover_project(struct collect_plan *plan, struct err *err)
{
    char *path = default_acl_json(plan);
    bool any = false;
    int result = path != NULL ? recover_acl_json(plan, path, &any, err) : err_no_memory(err);

    free(path);
    for (size_t i = 0; i < plan->project.count && result == 0; i++)
        if (is_acl_json(plan->project.files[i].path))
            result = recover_acl_json(plan, plan->project.files[i].path, &any, err);
    if (result == 0 && any) {
        project_release(&plan->project);
        result = open_project(plan, err);
    }
    return result;
}

int collect_check_nfs_address(const char *address, struct err *err)
{
    if (strncmp(address, "127.", 4) != 0 && strcmp(address, "::1") != 0 && strcmp(address, "[::1]") != 0 &&
        strcmp(address, "localhost") != 0)
        return 0;
    err_set(err, ERR_USAGE, "the board cannot mount from '%s': it is the board's own loopback address", address);
    return err_hint(err, "pass this machine's network address with --nfs-server; if /etc/hosts maps its name to "
                         "127.0.1.1, correct that");
}

/* Checks what can be wrong already without asking the board. */
static int check_places(const struct collect_plan *plan, struct err *err)
{
    const struct collect_settings *collect = &plan->settings->collect;
    const char *remote = plan->target->remote_dir, *host = plan->target->ssh.host;
    char problem = remote != NULL ? acl_path_problem(remote) : 0;

    if (problem == 0)
        problem = acl_path_problem(plan->directory);
    if (problem != 0) {
        err_set(err, ERR_USAGE, "the board's profiler does not support '%c' in the path '%s/profiling/%s'", problem,
                remote != NULL ? remote : "<home>", plan->directory);
        return err_hint(err, "only letters, digits, '_', '-', '.' and '/' are allowed; rename the directory, or choose "
                             "another 'remote_dir' in the ini file");
    }
    if (collect->transfer != TRANSFER_NFS)
        return 0;
    /* who reaches a board by loopback is reached by it in no other way */
    return collect_check_nfs_address(collect->nfs_server != NULL ? collect->nfs_server : host, err);
}

static int check_included(struct collect_plan *plan, struct err *err)
{
    SCOPED_FREE char *path =
        plan->directory[0] != '\0' ? path_join(plan->directory, plan->program) : scoped_text(plan->program, SIZE_MAX);
    int result = 0;

    if (path == NULL)
        return err_no_memory(err);
    if (project_find(&plan->project, path) == NULL)
        result = err_set(err, ERR_USAGE, "'%s' is excluded by --exclude", path);
    return result;
}

int collect_plan_make(struct collect_plan *plan, const struct settings *settings, const struct collect_target *target,
                      struct err *err)
{
    *plan = (struct collect_plan){.settings = settings, .target = target, .machines = ""};
    if (settings->collect.fetch_only != NULL)
        return choose_output(plan, err);
    if (split_program(plan, err) == 0 && check_program(plan, err) == 0 && find_root(plan, err) == 0 &&
        make_command_line(plan, err) == 0 && choose_output(plan, err) == 0 && check_places(plan, err) == 0 &&
        open_project(plan, err) == 0 && (settings->collect.dry_run || recover_project(plan, err) == 0) &&
        check_included(plan, err) == 0)
        return 0;
    collect_plan_release(plan);
    return err_status(err);
}

void collect_plan_release(struct collect_plan *plan)
{
    free(plan->main);
    words_release(&plan->arguments);
    free(plan->command_line);
    free(plan->root);
    free(plan->directory);
    free(plan->program);
    free(plan->output);
    project_release(&plan->project);
    *plan = (struct collect_plan){.settings = NULL};
}

/* text NULL: there is no such file yet. */
static int patch(struct collect_plan *plan, const char *path, const char *text, size_t length,
                 const char *run_directory, struct err *err)
{
    const struct collect_settings *collect = &plan->settings->collect;
    size_t metrics_length;
    const char *metrics = choice_word(COLLECT_METRICS, collect->metrics, &metrics_length);
    SCOPED_FREE char *metrics_name = scoped_text(metrics, metrics_length);
    const struct acl_settings wanted = {.output = run_directory,
                                        .ai_cpu = collect->ai_cpu == 0,
                                        .acl_api = collect->acl_api == 0,
                                        .enabled = collect->profiling == 0,
                                        .metrics = metrics_name,
                                        .interval = collect->interval};
    struct acl_dump dump;
    SCOPED(strbuf_release) struct strbuf patched;

    strbuf_init(&patched, 2 * ACL_JSON_LIMIT);
    if (metrics_name == NULL)
        return err_no_memory(err);
    int result = acl_json_patch(text, length, &wanted, &patched, &dump, err);
    if (result != 0) {
        err_wrap(err, "cannot patch '%s'", path);
    } else if (dump.on && wanted.enabled) {
        err_set(err, ERR_USAGE, "'%s' turns a dump on, which cannot be combined with profiling", path);
        result = err_hint(err, "remove the \"dump\" object, or run with --switch off");
    } else {
        if (collect->metrics >= COLLECT_METRICS_FOREIGN)
            console_warning("boards count only ArithmeticUtilization: --aac_metrics %s turns collection off",
                            wanted.metrics);
        if (dump.present)
            console_warning("'%s' has a \"dump\" object: dump and profiling exclude each other", path);
        result = project_set_content(&plan->project, path, patched.data, patched.length, err);
    }
    return result;
}

static int patch_file(struct collect_plan *plan, const char *path, const char *run_directory, struct err *err)
{
    SCOPED_FREE char *absolute_path = path_joined(plan->root, path, err), *text = NULL;
    size_t length;

    return absolute_path == NULL || path_read_file(absolute_path, ACL_JSON_LIMIT, &text, &length, err) != 0 ||
                   patch(plan, path, text, length, run_directory, err) != 0
               ? err_status(err)
               : 0;
}

int collect_plan_acl_json(struct collect_plan *plan, const char *run_directory, struct err *err)
{
    bool any = false;
    int result = 0;

    for (size_t i = 0; i < plan->project.count && result == 0; i++)
        if (is_acl_json(plan->project.files[i].path)) {
            any = true;
            result = patch_file(plan, plan->project.files[i].path, run_directory, err);
        }
    if (any || result != 0)
        return result;
    SCOPED_FREE char *path = default_acl_json(plan);
    return path != NULL ? patch(plan, path, NULL, 0, run_directory, err) : err_no_memory(err);
}

static void print_connection(const struct collect_plan *plan, int step)
{
    const struct ssh_target *ssh = &plan->target->ssh;

    if (plan->target->name != NULL)
        printf(language_shown("board %s:\n"), plan->target->name);
    printf(language_shown("%2d. connect to '%s', port %d, as '%s'; check its host key against '%s'\n"), step, ssh->host,
           ssh->port, ssh->user, ssh->known_hosts);
}

static void print_all(const struct collect_plan *plan, int step)
{
    if (plan->settings->collect.all)
        printf(language_shown("%2d. import the capture, export its timeline and its summary\n"), step);
}

void collect_plan_print_fetch(const struct collect_plan *plan)
{
    const struct collect_settings *collect = &plan->settings->collect;
    int step = 0;

    print_connection(plan, ++step);
    printf(language_shown("%2d. fetch '%s' into '%s'; files already here are verified and not sent again\n"), ++step,
           collect->fetch_only, plan->output);
    printf("%2d. %s\n", ++step,
           collect->remove_remote
               ? language_shown("remove fetched, verified and unchanged files from the board, unless a run is active")
               : language_shown("leave it on the board"));
    print_all(plan, ++step);
}

static void print_upload(const struct collect_plan *plan, int *step)
{
    const char *base = plan->target->remote_dir != NULL ? plan->target->remote_dir : "<home>";

    printf(language_shown("%2d. upload '%s' (%zu files, %" PRIu64
                          " bytes; files that the board already has are not sent)\n"),
           ++*step, plan->root, plan->project.count, project_bytes(&plan->project));
    printf(language_shown("%2d. move different files of the same names in '%s/profiling' to '" PLACEMENT_KEPT
                          "' there; they are %s\n"),
           ++*step, base,
           plan->settings->collect.keep ? language_shown("restored when a run without --keep ends")
                                        : language_shown("restored at the end"));
}

static void print_end(const struct collect_plan *plan, int step)
{
    const struct collect_settings *collect = &plan->settings->collect;

    if (collect->transfer == TRANSFER_NFS)
        printf(language_shown("%2d. unmount the project and restore acl.json\n"), step);
    else if (collect->keep)
        printf(language_shown(
                   "%2d. leave on the board (--keep): the project, with its patched acl.json, and the capture\n"),
               step);
    else
        printf(
            language_shown(
                "%2d. remove the uploaded project from the board (files changed since are kept), and the capture once "
                "it is fetched, verified and unchanged\n"),
            step);
}

void collect_plan_print(struct collect_plan *plan, const char *run_directory)
{
    const struct collect_settings *collect = &plan->settings->collect;
    int step = 0;

    print_connection(plan, ++step);
    printf(language_shown("%2d. check the board: free space, write permission, architecture%s%s, lock\n"), ++step,
           plan->machines[0] != '\0' ? " of " : "", plan->machines);
    if (collect->transfer == TRANSFER_NFS)
        printf(language_shown("%2d. mount '%s' by NFS and put acl.json into it\n"), ++step, plan->root);
    else
        print_upload(plan, &step);
    for (size_t i = 0; i < plan->project.count; i++)
        if (plan->project.files[i].content != NULL)
            printf(language_shown(
                       "%2d. with the profiler's settings in '%s': switch %s, interval %d, acl_api %s, aacpu %s\n"),
                   ++step, plan->project.files[i].path, collect->profiling == 0 ? "on" : "off", collect->interval,
                   collect->acl_api == 0 ? "on" : "off", collect->ai_cpu == 0 ? "on" : "off");
    printf(language_shown("%2d. run %s in '%s'"), ++step, plan->command_line, run_directory);
    if (collect->timeout > 0)
        printf(language_shown(", for at most %d s"), collect->timeout);
    putchar('\n');
    if (collect->profiling != 0)
        printf(language_shown("%2d. fetch nothing: profiling is off\n"), ++step);
    else
        printf(language_shown("%2d. fetch the new JOB directory into '%s'\n"), ++step, plan->output);
    print_end(plan, ++step);
    print_all(plan, ++step);
}
