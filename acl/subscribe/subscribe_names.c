/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/subscribe/subscribe_names.h"

#include "acl/message.h"
#include "acl/subscribe/operator_names.h"
#include "acl/subscribe/operator_record.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct names_table {
    struct names_table *next;
    uint32_t model_id; /* of a replay's table */
    char *path;        /* of a file's table, else NULL */
    struct stat file;  /* as it was when it was read */
    struct operator_names names;
    unsigned char *bytes; /* what names points into; NULL: the file has not been read or cannot be used */
};

static struct {
    pthread_mutex_t lock;
    struct names_table *tables;
    bool files_listed;  /* the paths of MSPROF_OP_NAMES are among the tables */
    size_t record_size; /* 0: not decided */
    uint64_t next_index;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .next_index = 1};

/* ---- reading ---- */

static int read_exactly(int fd, unsigned char *bytes, size_t length, struct err *err)
{
    size_t done = 0;
    while (done < length) {
        ssize_t n = read(fd, bytes + done, length - done);
        if (n == 0)
            return err_set(err, ERR_IO, "the table of operator names is truncated");
        if (n < 0 && errno != EINTR)
            return err_set_errno(err, errno, "cannot read the table of operator names");
        done += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

static int refuse(struct err *err, const char *wrong)
{
    return err_set(err, ERR_FORMAT, "the table of operator names cannot be used: %s", wrong);
}

static void clear_content(struct names_table *table)
{
    free(table->bytes);
    table->bytes = NULL;
}

/* Fills the content of a table that has none. file_size: what fd holds; UNKNOWN_SIZE when it is a pipe. */
#define UNKNOWN_SIZE UINT64_MAX
static int read_content(struct names_table *table, int fd, uint64_t file_size, struct err *err)
{
    unsigned char head[OPERATOR_NAMES_HEADER_SIZE];
    struct operator_names_header header;
    if (read_exactly(fd, head, sizeof head, err) < 0)
        return err_status(err);
    const char *wrong = operator_names_read_header(head, &header);
    if (wrong == NULL && file_size != UNKNOWN_SIZE && header.size != file_size)
        wrong = header.size > file_size ? "it is truncated" : "it is longer than its header says";
    if (wrong == NULL && state.record_size != 0 && header.record_size != state.record_size)
        wrong = "its records have another size than this process reads";
    if (wrong != NULL)
        return refuse(err, wrong);
    table->bytes = malloc((size_t)header.size);
    if (table->bytes == NULL)
        return err_no_memory(err);
    memcpy(table->bytes, head, sizeof head);
    int status = read_exactly(fd, table->bytes + sizeof head, (size_t)header.size - sizeof head, err);
    if (status == 0 && (wrong = operator_names_read(table->bytes, (size_t)header.size, &table->names)) != NULL)
        status = refuse(err, wrong);
    if (status < 0)
        clear_content(table);
    return status;
}

/* ---- files ---- */

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void read_file(struct names_table *table)
{
    struct err err = ERR_INIT;
    struct stat now;
    int status, fd;
    /* Not blocking: a pipe must not hold the caller up. */
    fd = open(table->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return;
    if (fstat(fd, &now) < 0)
        status = err_set_errno(&err, errno, "cannot read its state");
    else if (!S_ISREG(now.st_mode))
        status = err_set(&err, ERR_FORMAT, "it is not a regular file");
    else
        status = read_content(table, fd, (uint64_t)now.st_size, &err);
    close(fd);
    table->file = now;
    if (status < 0)
        acl_note("MSPROF_OP_NAMES: '%s': %s", table->path, err_message(&err));
}

/* A replay that is started anew puts a new table in the place of the one before: what the records at hand mean is in
 * the file that is there now. */
static void update_file(struct names_table *table)
{
    struct stat now;
    if (stat(table->path, &now) < 0 || is_same_file(&now, &table->file))
        return;
    clear_content(table);
    read_file(table);
}

/* The paths stay in the order of the list. */
static void list_files(void)
{
    const char *list = secure_getenv("MSPROF_OP_NAMES");
    struct names_table **end = &state.tables;
    state.files_listed = true;
    while (*end != NULL)
        end = &(*end)->next;
    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, ":");
        struct names_table *table = length > 0 ? calloc(1, sizeof *table) : NULL;
        if (table != NULL && (table->path = strndup(list, length)) != NULL) {
            *end = table;
            end = &table->next;
        } else {
            free(table);
        }
        list += length + (list[length] == ':');
    }
}

static void update_files(void)
{
    if (!state.files_listed)
        list_files();
    for (struct names_table *table = state.tables; table != NULL; table = table->next) {
        if (table->path != NULL)
            update_file(table);
    }
}

/* ---- what the process asks ---- */

static size_t decide_record_size(void)
{
    if (state.record_size != 0)
        return state.record_size;
    update_files();
    for (struct names_table *table = state.tables; table != NULL && state.record_size == 0; table = table->next) {
        if (table->bytes != NULL)
            state.record_size = table->names.header.record_size;
    }
    if (state.record_size == 0)
        state.record_size = OPERATOR_RECORD_SIZE;
    return state.record_size;
}

size_t subscribe_record_size(void)
{
    pthread_mutex_lock(&state.lock);
    size_t size = decide_record_size();
    pthread_mutex_unlock(&state.lock);
    return size;
}

static void free_table(struct names_table *table)
{
    clear_content(table);
    free(table->path);
    free(table);
}

static void drop_of_model(uint32_t model_id)
{
    for (struct names_table **place = &state.tables; *place != NULL;) {
        struct names_table *table = *place;
        if (table->path != NULL || table->model_id != model_id) {
            place = &table->next;
            continue;
        }
        *place = table->next;
        free_table(table);
    }
}

int subscribe_names_read(int fd, uint32_t model_id, uint64_t first, struct err *err)
{
    struct names_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        return err_no_memory(err);
    table->model_id = model_id;
    /* The table may be long in coming: nobody else has to wait for it. */
    (void)subscribe_record_size();
    bool failed = read_content(table, fd, UNKNOWN_SIZE, err) < 0 ||
                  (table->names.header.first != first && refuse(err, "its first operator is another one") < 0);
    if (failed) {
        free_table(table);
        return err_status(err);
    }
    pthread_mutex_lock(&state.lock);
    drop_of_model(model_id);
    table->next = state.tables;
    state.tables = table;
    state.next_index = first + table->names.header.count;
    pthread_mutex_unlock(&state.lock);
    return 0;
}

uint64_t subscribe_names_next(void)
{
    pthread_mutex_lock(&state.lock);
    uint64_t next = state.next_index;
    pthread_mutex_unlock(&state.lock);
    return next;
}

/* With the lock held; NULL: no table has it. */
static const char *find_text(uint64_t index, enum operator_text which)
{
    update_files();
    for (struct names_table *table = state.tables; table != NULL; table = table->next) {
        if (table->bytes == NULL || index < table->names.header.first ||
            index - table->names.header.first >= table->names.header.count)
            continue;
        return operator_names_text(&table->names, index - table->names.header.first, which);
    }
    return NULL;
}

static const char *word_for(enum operator_text which)
{
    return which == OPERATOR_TYPE ? "type" : "name";
}

static aclError not_found(uint64_t index, enum operator_text which)
{
    return acl_fail(ACL_ERROR_INVALID_PARAM, "EK9999",
                    "Failed to get the %s of operator %" PRIu64
                    ": no table of names (MSPROF_OP_NAMES, MSPROF_REPLAY) has it.",
                    word_for(which), index);
}

aclError subscribe_names_length(uint64_t index, enum operator_text which, size_t *ret)
{
    pthread_mutex_lock(&state.lock);
    const char *text = find_text(index, which);
    if (text != NULL)
        *ret = strlen(text) + 1;
    pthread_mutex_unlock(&state.lock);
    return text != NULL ? ACL_SUCCESS : not_found(index, which);
}

aclError subscribe_names_get(uint64_t index, enum operator_text which, char *buffer, size_t size)
{
    pthread_mutex_lock(&state.lock);
    const char *text = find_text(index, which);
    if (text != NULL) {
        size_t length = strnlen(text, size);
        length = length < size ? length : utf8_cut(text, size - 1);
        memcpy(buffer, text, length);
        buffer[length] = '\0';
    }
    pthread_mutex_unlock(&state.lock);
    return text != NULL ? ACL_SUCCESS : not_found(index, which);
}

void subscribe_names_reset(void)
{
    pthread_mutex_lock(&state.lock);
    while (state.tables != NULL) {
        struct names_table *table = state.tables;
        state.tables = table->next;
        free_table(table);
    }
    state.files_listed = false;
    state.record_size = 0;
    state.next_index = 1;
    pthread_mutex_unlock(&state.lock);
}
