/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/session.h"

#include "base/file/large.h"
#include "db/database.h"
#include "db/query/cann_version.h"
#include "db/warm_up.h"
#include "exporters/query_compile.h"

int report_session_open(struct report_session *session, sqlite3 *db, const struct export_options *options,
                        struct export_result *result, struct err *err)
{
    *session = (struct report_session){.db = db, .options = options, .result = result};
    return query_functions_register(db, options->cann_version, err);
}

static void release_texts(struct text_cache *cache)
{
    if (cache->loaded)
        cann_texts_release(&cache->texts);
    cache->loaded = false;
}

void report_session_release(struct report_session *session)
{
    release_texts(&session->names);
    release_texts(&session->tensors);
    release_texts(&session->plain_names);
    release_texts(&session->plain_tensors);
    if (session->communications.loaded)
        cann_communications_release(&session->communications.items);
    cann_communications_release(&session->launched.items);
    if (session->parts.loaded)
        cann_parts_release(&session->parts.items);
    if (session->clocks.loaded)
        cann_clocks_release(&session->clocks.items);
    if (session->reading != NULL)
        session->reading_free(session->reading);
    while (session->idle_count > 0)
        database_close(session->idle[--session->idle_count]);
    *session = (struct report_session){.db = NULL};
}

static int encode(struct report_session *session, struct cann_texts *texts, const char *const *marks, struct err *err)
{
    static const char *const any_title[] = {""};
    SCOPED(row_format_release) struct row_format format;
    return row_format_init(&format, session->options->format, any_title, 1, err) < 0 ||
                   row_format_encode(&format, texts, marks, err) < 0
               ? err_status(err)
               : 0;
}

/* Formats of tensors have the names of the version. */
static int name_formats(const struct report_session *session, struct cann_texts *texts, struct err *err)
{
    enum { FORMATS = 2, EVERY = 3 }; /* of inputs, then of outputs */
    SCOPED(strbuf_release) struct strbuf name;
    strbuf_init(&name, UINT32_MAX);
    int status = 0;
    for (size_t i = FORMATS; status == 0 && i < texts->rows * texts->column_count; i += EVERY) {
        const struct cann_text text = texts->items[i];
        if (text.text == NULL)
            continue;
        strbuf_clear(&name);
        cann_version_formats(session->options->cann_version, text.text, text.length, &name);
        status = name.failed ? err_no_memory(err) : cann_texts_replace(texts, i, name.data, name.length, err);
    }
    return status;
}

static const struct cann_texts *load(struct report_session *session, struct text_cache *cache, bool plain,
                                     int (*read)(sqlite3 *db, struct cann_texts *ret, struct err *err),
                                     const char *const *marks, struct err *err)
{
    if (cache->loaded)
        return &cache->texts;
    if (read(session->db, &cache->texts, err) < 0)
        return NULL;
    cache->loaded = true;
    const bool failed = cache->texts.column_count == CANN_TENSOR_COLUMNS &&
                        cann_version_has(session->options->cann_version, NAMING_FORMAT_ND) &&
                        name_formats(session, &cache->texts, err) < 0;
    if (failed || (!plain && encode(session, &cache->texts, marks, err) < 0)) {
        cann_texts_release(&cache->texts);
        cache->loaded = false;
        return NULL;
    }
    return &cache->texts;
}

const struct cann_texts *report_names(struct report_session *session, bool plain, struct err *err)
{
    return load(session, plain ? &session->plain_names : &session->names, plain, cann_names_load, NULL, err);
}

const struct cann_texts *report_tensors(struct report_session *session, bool plain, struct err *err)
{
    /* Shapes stand in quotes of their own: docs/formats/cann.md 5.4. */
    static const char *const marks[CANN_TENSOR_COLUMNS] = {"\"", "", "", "\"", "", ""};
    struct text_cache *cache = plain ? &session->plain_tensors : &session->tensors;
    return session->quoted_shapes ? load(session, cache, plain, cann_quoted_tensor_sets_load, NULL, err)
                                  : load(session, cache, plain, cann_tensor_sets_load, marks, err);
}

void report_forget_tensors(struct report_session *session)
{
    release_texts(&session->tensors);
    release_texts(&session->plain_tensors);
}

const struct cann_communications *report_communications(struct report_session *session, struct err *err)
{
    if (!session->communications.loaded) {
        if (cann_communications_load(session->db, &session->communications.items, err) < 0)
            return NULL;
        session->communications.loaded = true;
    }
    return &session->communications.items;
}

const struct cann_communications *report_launched_communications(struct report_session *session, struct err *err)
{
    const struct cann_communications *all = report_communications(session, err);
    struct cann_communications *launched = &session->launched.items;
    if (all == NULL || (!session->launched.loaded && large_reserve(launched, all->count + 1, err) < 0))
        return NULL;
    for (size_t i = 0; !session->launched.loaded && i < all->count; i++) {
        if (all->items[i].kernel_row_id == DB_NULL)
            launched->items[launched->count++] = all->items[i];
    }
    session->launched.loaded = true;
    return launched;
}

const struct cann_parts *report_parts(struct report_session *session, struct err *err)
{
    if (!session->parts.loaded) {
        if (cann_parts_load(session->db, &session->parts.items, err) < 0)
            return NULL;
        session->parts.loaded = true;
    }
    return &session->parts.items;
}

const struct cann_clocks *report_clocks(struct report_session *session, struct err *err)
{
    if (!session->clocks.loaded) {
        if (cann_clocks_load(session->db, &session->clocks.items, err) < 0)
            return NULL;
        session->clocks.loaded = true;
    }
    return &session->clocks.items;
}

int report_lend_connection(struct report_session *session, sqlite3 **ret, struct err *err)
{
    if (session->lent && session->idle_count == 0)
        return warm_up_open(session->options->database, ret, err);
    *ret = session->lent ? session->idle[--session->idle_count] : session->db;
    session->lent = true;
    return 0;
}

void report_return_connection(struct report_session *session, sqlite3 *db)
{
    if (db == session->db)
        session->lent = false;
    else if (db != NULL && session->idle_count < PARALLEL_MAX_WORKERS)
        session->idle[session->idle_count++] = db;
    else
        database_close(db);
}
