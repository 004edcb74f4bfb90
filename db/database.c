/* SPDX-License-Identifier: Apache-2.0 */
#include "db/database.h"

#include "base/bytes.h"
#include "base/file/fsutil.h"
#include "base/file/outfile.h"
#include "base/file/temporary.h"
#include "base/language.h"
#include "base/number.h"
#include "base/progress.h"
#include "db/memory_bound.h"
#include "db/pages/format.h"
#include "db/query/take_row.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_CHANGES 24     /* where a file's header counts the transactions that changed it */
#define CHANGES_OF_IMPORT 3 /* the empty file, all that import decodes, and answers about it */

/* A leaf without cells: its kind, and that the cells' part begins behind the page. */
static void put_leaf(unsigned char *to, size_t page_size, bool keyed)
{
    enum { LEAF_OF_INDEX = 10, LEAF_OF_TABLE = 13, CELLS = 5 };
    to[0] = keyed ? LEAF_OF_INDEX : LEAF_OF_TABLE;
    bytes_store(to + CELLS, 2, true, page_size);
}

/* Makes them in an empty file: 0, or an errno. */
static int blank_write(int fd, const struct blank *blank)
{
    enum { HEADER = 100, LEAF = 8 };
    enum { PAGE_SIZE = 16, VERSIONS = 18, FRACTIONS = 21, PAGES = 28, COOKIE = 40, FORMAT = 44 };
    enum { ENCODING = 56, UTF8 = 1, VALID_FOR = 92 };
    unsigned char first[HEADER + LEAF] = "SQLite format 3", leaf[LEAF] = {0};
    bytes_store(first + PAGE_SIZE, 2, true, blank->page_size);
    memcpy(first + VERSIONS, "\1\1", 2);          /* with a rollback journal, if any */
    memcpy(first + FRACTIONS, "\x40\x20\x20", 3); /* as they must be */
    bytes_store(first + FILE_CHANGES, 4, true, 1);
    bytes_store(first + PAGES, 4, true, blank->tables + 1);
    bytes_store(first + COOKIE, 4, true, 1);
    bytes_store(first + FORMAT, 4, true, 4);
    bytes_store(first + ENCODING, 4, true, UTF8);
    bytes_store(first + VALID_FOR, 4, true, 1); /* the number of pages stands since change 1 */
    put_leaf(first + HEADER, blank->page_size, false);
    int failure = file_write_at(fd, first, sizeof first, 0);
    for (size_t i = 0; i < blank->tables && failure == 0; i++) {
        put_leaf(leaf, blank->page_size, blank->keyed[i]);
        failure = file_write_at(fd, leaf, sizeof leaf, (BLANK_ROOT(i) - 1) * blank->page_size);
    }
    if (failure == 0 && ftruncate(fd, (off_t)((blank->tables + 1) * blank->page_size)) != 0)
        failure = errno;
    return failure;
}

/* Temporary files of SQLite that never have a name, so that nothing is left of them however the program ends. */

/* Where SQLite would make a temporary file; false: that is not what it does. */
static bool is_temporary(const char *path, int flags, char *directory, size_t size)
{
    static const char head[] = "etilqs_"; /* of the names that SQLite gives them */
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) : 0;
    if ((flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL) || length == 0 || length >= size ||
        strncmp(slash + 1, head, strlen(head)) != 0)
        return false;
    memcpy(directory, path, length);
    directory[length] = '\0';
    return true;
}

/* SQLite makes a temporary file and then removes its name: killed in between it would leave it. Without a name there is
 * nothing to leave. A file system that cannot do this gets SQLite's way. */
static int open_file(const char *path, int flags, int mode)
{
    char directory[4096];
    int fd = is_temporary(path, flags, directory, sizeof directory)
                 ? open(directory, O_TMPFILE | (flags & O_ACCMODE) | O_CLOEXEC, 0600)
                 : -1;
    return fd >= 0 ? fd : open(path, flags, mode);
}

/* Once, after sqlite3_initialize: SQLITE_OK, or SQLite's error. */
static int temporary_files_setup(void)
{
    sqlite3_vfs *files = sqlite3_vfs_find(NULL);
    if (files == NULL || files->iVersion < 3 || files->xSetSystemCall == NULL)
        return SQLITE_ERROR;
    return files->xSetSystemCall(files, "open", (sqlite3_syscall_ptr)open_file);
}

#define DATABASE_APPLICATION_ID 0x6d737066 /* "mspf" */

bool database_is_ours(int fd)
{
    enum { APPLICATION = 68 }; /* where the header says it */
    unsigned char header[FILE_HEADER];
    return file_read_at(fd, header, sizeof header, 0) == (ssize_t)sizeof header &&
           memcmp(header, "SQLite format 3", 16) == 0 &&
           bytes_load(header + APPLICATION, 4, true) == DATABASE_APPLICATION_ID;
}

int database_setup(struct err *err)
{
    static bool done;
    if (done)
        return 0;
    /* Each connection stays on one thread, so SQLite needs locks around its globals only; without memory statistics
     * these are next to none. */
    if (sqlite3_config(SQLITE_CONFIG_MULTITHREAD) != SQLITE_OK ||
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) != SQLITE_OK || memory_bound_setup() != SQLITE_OK ||
        sqlite3_initialize() != SQLITE_OK || temporary_files_setup() != SQLITE_OK)
        return err_set(err, ERR_DATABASE, "cannot set up SQLite");
    done = true;
    return 0;
}

/* SQLite asks it every few thousand steps of its machine, also inside one long statement. */
static int stop_when_interrupted(void *arg)
{
    (void)arg;
    return interrupted();
}

void database_poll_interrupts(sqlite3 *db)
{
    sqlite3_progress_handler(db, 10000, stop_when_interrupted, NULL);
}

/* The content of a file is not trusted: its triggers are not run, its functions have no effects, pages are checked
 * when they are read, and no value or statement is larger than those that import writes. */
static void distrust(sqlite3 *db)
{
    static const int switches[][2] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
                                      {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0}};
    static const int limits[][2] = {{SQLITE_LIMIT_LENGTH, 64 * 1024 * 1024},
                                    {SQLITE_LIMIT_SQL_LENGTH, 1024 * 1024},
                                    {SQLITE_LIMIT_ATTACHED, 2},
                                    {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                                    {SQLITE_LIMIT_WORKER_THREADS, 0}};
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        sqlite3_db_config(db, switches[i][0], switches[i][1], NULL);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(db, limits[i][0], limits[i][1]);
    sqlite3_exec(db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
}

int database_write_error(struct err *err, int system, const char *doing)
{
    doing = language_said(doing);
    if (system != ENOSPC && system != EDQUOT)
        return err_set_errno(err, system, "%s", doing);
    err_set(err, ERR_NO_SPACE, "%s: the disk is full", doing);
    err_hint_caller(err, "free some space, or choose another directory for results");
    return err_hint(err, "free some space, or choose another directory with --output DIR");
}

static bool is_of_lock(int code)
{
    return code == SQLITE_IOERR_LOCK || code == SQLITE_IOERR_RDLOCK || code == SQLITE_IOERR_UNLOCK ||
           code == SQLITE_IOERR_CHECKRESERVEDLOCK || code == SQLITE_IOERR_SHMLOCK;
}

static int lock_error(struct err *err, const char *doing)
{
    err_set(err, ERR_DATABASE, "%s: another program holds its lock, or the file system has no locks", doing);
    err_hint_caller(err, "wait until that program has ended, or choose a directory for results on a local disk");
    return err_hint(err, "wait until that program has ended, or choose a local disk with --output DIR");
}

int database_error(struct err *err, sqlite3 *db, const char *doing)
{
    doing = language_said(doing);
    int code = sqlite3_errcode(db), system = sqlite3_system_errno(db);
    const char *text = sqlite3_errmsg(db);
    switch (code & 0xff) {
    case SQLITE_INTERRUPT:
        return interrupt_error(err);
    case SQLITE_FULL:
        return database_write_error(err, ENOSPC, doing);
    case SQLITE_NOMEM:
        return err_set(err, ERR_NO_MEMORY, "%s: out of memory", doing);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return err_set(err, ERR_ACCESS, "%s: %s", doing, text);
    case SQLITE_BUSY: /* also of what a running statement forbids */
        return strcmp(text, "database is locked") == 0 ? lock_error(err, doing)
                                                       : err_set(err, ERR_DATABASE, "%s: %s", doing, text);
    case SQLITE_IOERR:
        if (is_of_lock(sqlite3_extended_errcode(db)))
            return lock_error(err, doing);
        if (system == ENOSPC || system == EDQUOT)
            return database_write_error(err, system, doing);
        return err_set(err, ERR_IO, "%s: %s%s%s", doing, text, system != 0 ? ": " : "",
                       system != 0 ? strerror(system) : "");
    case SQLITE_CANTOPEN:
        return system != 0 ? err_set_errno(err, system, "%s", doing) : err_set(err, ERR_ACCESS, "%s: %s", doing, text);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        err_set(err, ERR_FORMAT, "%s: %s", doing, text);
        err_hint_caller(err, "import the capture again: MSPROF_IMPORT_ALWAYS, or again=True in Python");
        return err_hint(err, "run 'msprof import' to rebuild the database");
    default:
        return err_set(err, ERR_DATABASE, "%s: %s", doing, text);
    }
}

int database_exec(sqlite3 *db, const char *sql, struct err *err)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0
                                                                : database_error(err, db, "database statement failed");
}

int database_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret, struct err *err)
{
    return sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, ret, NULL) == SQLITE_OK
               ? 0
               : database_error(err, db, "cannot prepare a database query");
}

int database_step(sqlite3_stmt *statement, bool *ret_row, struct err *err)
{
    const int code = sqlite3_step(statement);
    *ret_row = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE
               ? 0
               : database_error(err, sqlite3_db_handle(statement), "cannot read the database");
}

static int open_own(const char *name, const char *doing, sqlite3 **ret, struct err *err)
{
    sqlite3 *db = NULL;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(name, &db, flags, NULL) == SQLITE_OK && take_row_register(db) == SQLITE_OK) {
        *ret = db;
        return 0;
    }
    int status = database_error(err, db, doing);
    sqlite3_close(db);
    return status;
}

int database_open_empty(sqlite3 **ret, struct err *err)
{
    if (open_own(":memory:", "cannot create a database in memory", ret, err) < 0)
        return err_status(err);
    const int attached = sqlite3_limit(*ret, SQLITE_LIMIT_ATTACHED, -1);
    database_poll_interrupts(*ret);
    distrust(*ret);
    sqlite3_limit(*ret, SQLITE_LIMIT_ATTACHED, attached);
    return 0;
}

int database_open_memory(sqlite3 **ret, struct err *err)
{
    return open_own(":memory:", "cannot create a database in memory", ret, err);
}

int database_open_scratch(sqlite3 **ret, struct err *err)
{
    /* A name of no characters: a file of SQLite's own, which nobody else sees. */
    if (open_own("", "cannot make a temporary database", ret, err) < 0)
        return err_status(err);
    database_poll_interrupts(*ret);
    return database_exec(*ret, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384", err);
}

void database_close(sqlite3 *db)
{
    sqlite3_close(db);
}

/* Files that SQLite puts beside a database that it changes. Ours are made without: such a file was left by another
 * program, and would take effect when the database is opened. */
static const char *const journals[] = {"-journal", "-wal", "-shm"};

#define JOURNAL_COUNT (sizeof journals / sizeof *journals)

static bool journal_path(const char *database, const char *suffix, char path[PATH_MAX])
{
    int length = snprintf(path, PATH_MAX, "%s%s", database, suffix);
    return length > 0 && length < PATH_MAX;
}

/* They are those of a database that was moved or removed; what another program left is kept beside. 0, or an errno. */
static int remove_journals(const char *database)
{
    char path[PATH_MAX];
    int failure = 0;
    for (size_t i = 0; i < JOURNAL_COUNT && failure == 0; i++)
        if (journal_path(database, journals[i], path))
            failure = outfile_free_name(path);
    return failure;
}

/* Opening a database of which this is true may change it, and makes files beside it. */
static bool is_journalled(const char *database)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < JOURNAL_COUNT; i++)
        if (journal_path(database, journals[i], path) && access(path, F_OK) == 0)
            return true;
    return false;
}

bool database_is_as_made(const char *path)
{
    struct err ignored = ERR_INIT;
    unsigned char header[FILE_HEADER];
    SCOPED_CLOSE int fd = path_open_regular(path, &ignored);
    return fd >= 0 && database_is_ours(fd) && !is_journalled(path) &&
           file_read_at(fd, header, sizeof header, 0) == (ssize_t)sizeof header &&
           bytes_load(header + FILE_CHANGES, 4, true) <= CHANGES_OF_IMPORT;
}

/* Reads the file's header through SQLite's own handle, because to close another one of the file drops the locks that
 * the process has. false: there is none. */
static bool read_header(sqlite3 *db, unsigned char header[FILE_HEADER])
{
    sqlite3_file *file = NULL;
    return sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK && file->pMethods != NULL &&
           file->pMethods->xRead(file, header, FILE_HEADER, 0) == SQLITE_OK;
}

bool database_is_unchanged(sqlite3 *db)
{
    unsigned char header[FILE_HEADER];
    return read_header(db, header) && bytes_load(header + FILE_CHANGES, 4, true) <= CHANGES_OF_IMPORT;
}

/* Whether the first statement would make them, too. */
static bool has_log(sqlite3 *db)
{
    enum { VERSIONS = 18 }; /* where the header says which journal there is: 1 of each, 2 a write-ahead log */
    unsigned char header[FILE_HEADER];
    return read_header(db, header) && (header[VERSIONS] > 1 || header[VERSIONS + 1] > 1);
}

static int fail_journalled(const char *path, struct err *err)
{
    err_set(err, ERR_FORMAT, "another program changed '%s' or is changing it: it has a journal", path);
    err_hint_caller(err, "import the capture again: MSPROF_IMPORT_ALWAYS, or again=True in Python");
    return err_hint(err, "run 'msprof import' to rebuild it");
}

/* How SQLite opens a file that needs no locks: it is under a name of its own until it is whole. File systems may have
 * none: Lustre without "flock", NFS without a lock manager. */
#define WITHOUT_LOCKS DATABASE_WITHOUT_LOCKS

/* Asked after a lock was refused only: to close a descriptor drops the locks that the process has on the file. */
bool database_has_locks(const char *path)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    SCOPED_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return fd < 0 || fcntl(fd, F_GETLK, &lock) == 0 ||
           (errno != ENOLCK && errno != ENOSYS && errno != EOPNOTSUPP && errno != EINVAL);
}

/* Whether the file can be locked as every statement locks it. */
static bool can_lock(sqlite3 *db)
{
    sqlite3_file *file = NULL;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || file->pMethods == NULL)
        return true;
    const bool locked = file->pMethods->xLock(file, SQLITE_LOCK_SHARED) == SQLITE_OK;
    file->pMethods->xUnlock(file, SQLITE_LOCK_NONE);
    return locked;
}

/* Opens a file for reading, with locks where the file system has them. Returns SQLite's code. */
static int open_reading(const char *path, sqlite3 **ret)
{
    int code = sqlite3_open_v2(path, ret, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK || can_lock(*ret) || database_has_locks(path))
        return code;
    sqlite3_close(*ret);
    return sqlite3_open_v2(path, ret, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, WITHOUT_LOCKS);
}

/* blank: NULL: without tables. */
static int build_create(struct database_build *build, const char *path, const struct blank *blank, struct err *err)
{
    *build = (struct database_build){.path = strdup(path), .fd = -1};
    if (build->path == NULL)
        return err_no_memory(err);
    /* Made here and not by SQLite: for the mode, the lock, and the system's own reason when it cannot be. */
    int status = temporary_create(path, &build->temporary, err);
    if (status < 0)
        return status;
    build->fd = status;
    int failure = blank != NULL ? blank_write(build->fd, blank) : 0;
    return failure != 0 ? database_write_error(err, failure, "cannot write the database") : 0;
}

int database_build_connect(struct database_build *build, bool ours, struct err *err)
{
    static const char settings[] =
        "PRAGMA page_size = 32768; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
        "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -2048; PRAGMA temp_store = FILE;"
        "BEGIN; PRAGMA application_id = " /* filled in below */;
    if (sqlite3_open_v2(build->temporary, &build->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, WITHOUT_LOCKS) !=
        SQLITE_OK) {
        database_error(err, build->db, "cannot create the database");
        return err_wrap(err, "cannot create '%s'", build->path);
    }
    database_poll_interrupts(build->db);
    char sql[sizeof settings + 128];
    snprintf(sql, sizeof sql, "%s%d; PRAGMA user_version = %d", settings, ours ? DATABASE_APPLICATION_ID : 0,
             ours ? DATABASE_USER_VERSION : 0);
    if (database_exec(build->db, sql, err) < 0)
        return err_status(err);
    distrust(build->db); /* what will be attached; not before, because it forbids to do without a journal */
    return 0;
}

int database_build_open(struct database_build *build, const char *path, bool ours, struct err *err)
{
    if (build_create(build, path, NULL, err) == 0 && database_build_connect(build, ours, err) == 0)
        return 0;
    database_build_abort(build);
    return err_status(err);
}

int database_build_create_blank(struct database_build *build, const char *path, const struct blank *blank,
                                struct err *err)
{
    int status = build_create(build, path, blank, err);
    if (status < 0)
        database_build_abort(build);
    return status;
}

/* Rows on their way are not closed one by one: see database_build_commit. */
static void finalize_all(sqlite3 *db)
{
    for (sqlite3_stmt *statement; db != NULL && (statement = sqlite3_next_stmt(db, NULL)) != NULL;)
        sqlite3_finalize(statement);
}

int database_build_settle(struct database_build *build, struct err *err)
{
    finalize_all(build->db);
    /* The file counts a transaction that changes its first page, as this setting does: always one more. */
    return database_exec(build->db, "COMMIT; BEGIN; PRAGMA user_version = " SQL_NUMBER(DATABASE_USER_VERSION), err);
}

int database_build_commit(struct database_build *build, struct err *err)
{
    finalize_all(build->db);
    int status = database_exec(build->db, "COMMIT", err);
    if (status == 0 && sqlite3_close(build->db) != SQLITE_OK)
        status = database_error(err, build->db, "cannot close the database");
    else if (status == 0)
        build->db = NULL;
    int failure = status == 0 ? outfile_put_in_place(build->temporary, build->path) : 0;
    if (failure != 0)
        status = err_set_errno(err, failure, "cannot rename '%s' to '%s'", build->temporary, build->path);
    else if (status == 0 && (failure = remove_journals(build->path)) != 0)
        status = err_set_errno(err, failure, "cannot remove the journal of an earlier '%s'", build->path);
    database_build_abort(build); /* releases; after the rename there is nothing to remove */
    return status;
}

void database_build_abort(struct database_build *build)
{
    finalize_all(build->db);
    sqlite3_close(build->db);
    if (build->temporary != NULL)
        unlink(build->temporary);
    if (build->temporary != NULL && build->fd >= 0)
        close(build->fd);
    free(build->temporary);
    free(build->path);
    *build = (struct database_build){.path = NULL, .fd = -1};
}

/* The first value of a statement; -1: there is none. */
static int64_t pragma_integer(sqlite3 *db, const char *sql)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    int64_t value = -1;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        return -1;
    if (sqlite3_step(statement) == SQLITE_ROW)
        value = sqlite3_column_int64(statement, 0);
    return value;
}

int64_t database_page_size(sqlite3 *db)
{
    return pragma_integer(db, "PRAGMA page_size");
}

int64_t database_bytes(sqlite3 *db)
{
    return pragma_integer(db, "PRAGMA page_count") * database_page_size(db);
}

/* The like, without SQLite reading the schema where the header is sure of it. */
static int64_t bytes_by_header(sqlite3 *db)
{
    enum { VALID_FOR = 92, COUNTER = 4 };
    unsigned char header[FILE_HEADER];
    if (!read_header(db, header) || memcmp(header + FILE_CHANGES, header + VALID_FOR, COUNTER) != 0)
        return database_bytes(db);
    return (int64_t)(bytes_load(header + FILE_PAGES, 4, true) * file_page_size(header));
}

int database_open_foreign(const char *path, sqlite3 **ret, struct err *err)
{
    sqlite3 *db = NULL;
    struct stat info;
    int status = 0;
    *ret = NULL;
    if (stat(path, &info) != 0)
        return err_set_errno(err, errno, "cannot open database '%s'", path);
    if (!S_ISREG(info.st_mode)) /* opening a pipe would wait */
        return err_set(err, ERR_FORMAT, "'%s' is not a regular file; expected a database", path);
    if (open_reading(path, &db) == SQLITE_OK) {
        database_poll_interrupts(db);
        distrust(db);
        status = database_exec(db, "PRAGMA query_only = ON; SELECT count(*) FROM sqlite_schema", err);
    } else {
        status = database_error(err, db, "cannot open the database");
    }
    if (status < 0) {
        sqlite3_close(db);
        return err_wrap(err, "cannot read '%s'", path);
    }
    *ret = db;
    return 0;
}

int database_open(const char *path, sqlite3 **ret, struct err *err)
{
    sqlite3 *db = NULL;
    struct stat info;
    int status = 0;
    if (stat(path, &info) != 0)
        return err_set_errno(err, errno, "cannot open database '%s'", path);
    if (!S_ISREG(info.st_mode)) { /* opening a pipe would wait */
        err_set(err, ERR_FORMAT, "'%s' is not a regular file; expected a database", path);
        err_hint_caller(err, "move it away, and import the capture again");
        return err_hint(err, "move it away and run 'msprof import'");
    }
    if (is_journalled(path))
        return fail_journalled(path, err);
    if (open_reading(path, &db) != SQLITE_OK) {
        status = database_error(err, db, "cannot open the database");
        err_wrap(err, "cannot open '%s'", path);
        goto out;
    }
    if (has_log(db)) {
        status = fail_journalled(path, err);
        goto out;
    }
    database_poll_interrupts(db);
    distrust(db);
    if (take_row_register(db) != SQLITE_OK) {
        status = database_error(err, db, "cannot prepare queries");
        goto out;
    }
    /* One read transaction for the connection's life: else SQLite looks for a journal before every small query. */
    sqlite3_exec(db, "PRAGMA query_only = ON; BEGIN", NULL, NULL, NULL);
    int64_t application = pragma_integer(db, "PRAGMA application_id");
    int code = sqlite3_errcode(db) & 0xff;
    if (code == SQLITE_BUSY || code == SQLITE_IOERR || code == SQLITE_NOMEM) {
        status = database_error(err, db, "cannot read the database");
        err_wrap(err, "cannot open '%s'", path);
        goto out;
    }
    int64_t version = pragma_integer(db, "PRAGMA user_version");
    if (application != DATABASE_APPLICATION_ID || version != DATABASE_USER_VERSION) {
        err_set(err, ERR_FORMAT,
                "'%s' is not a database of this version: application id 0x%llx, version %lld; expected 0x%x, %d", path,
                (unsigned long long)application, (long long)version, DATABASE_APPLICATION_ID, DATABASE_USER_VERSION);
        err_hint_caller(err, "import the capture again: MSPROF_IMPORT_ALWAYS, or again=True in Python");
        status = err_hint(err, "run 'msprof import' to rebuild it");
        goto out;
    }
    int64_t bytes = bytes_by_header(db);
    if (bytes != info.st_size) {
        err_set(err, ERR_FORMAT, "'%s' is truncated: %lld bytes; expected %lld", path, (long long)info.st_size,
                (long long)bytes);
        err_hint_caller(err, "import the capture again: MSPROF_IMPORT_ALWAYS, or again=True in Python");
        status = err_hint(err, "run 'msprof import' to rebuild it");
    }
out:
    if (status < 0)
        sqlite3_close(db);
    else
        *ret = db;
    return status;
}

int database_meta(sqlite3 *db, const char *key, char **ret, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    int status = database_prepare(db, "SELECT value FROM meta WHERE key = ?1", &statement, err);
    if (status < 0)
        return status;
    int code = sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    char *copy = text != NULL ? strdup(text) : NULL;
    if (code == SQLITE_DONE)
        status = err_set(err, ERR_FORMAT, "the database has no value %s", key);
    else if (code != SQLITE_ROW)
        status = database_error(err, db, "cannot read the database");
    else if (copy == NULL)
        status = err_no_memory(err);
    else
        *ret = copy;
    return status;
}

int database_meta_integer(sqlite3 *db, const char *key, int64_t *ret, struct err *err)
{
    char *text = NULL;
    int status = database_meta(db, key, &text, err);
    if (text == NULL)
        return status;
    if (number_parse_integer(text, strlen(text), ret) != 0)
        status = err_set(err, ERR_FORMAT, "the database's %s is '%s'; expected a number", key, text);
    free(text);
    return status;
}
