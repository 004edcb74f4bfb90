#include "exporters/trace.h"

#include "db/database.h"
#include "exporters/json_text.h"

/* An otherData of a model name that came from one file name, escaped, fits many times over. */
#define OTHER_DATA_MAX (1024 * 1024)

static void write_literal(struct outfile *out, const char *text)
{
    outfile_write(out, text, strlen(text));
}

static void write_process(struct outfile *out, int64_t pid)
{
    char *start = outfile_reserve(out, TRACE_SLICE_MAX);
    char *p = trace_put_literal(start, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":");
    p = number_put_signed(p, pid);
    p = trace_put_literal(p, ",\"tid\":0,\"args\":{\"name\":\"Task Scheduler\"}},\n"
                             "{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":");
    p = number_put_signed(p, pid);
    p = trace_put_literal(p, ",\"tid\":0,\"args\":{\"sort_index\":");
    p = number_put_signed(p, pid);
    p = trace_put_literal(p, "}}");
    outfile_advance(out, (size_t)(p - start));
}

void trace_begin(struct outfile *out)
{
    write_literal(out, "{\"traceEvents\":[\n");
    write_process(out, 0);
}

void trace_process(struct outfile *out, int64_t pid)
{
    write_literal(out, ",\n");
    write_process(out, pid);
}

static char *put_thread_event(char *p, const char *event, int64_t pid, int64_t tid)
{
    p = trace_put_literal(p, ",\n{\"name\":\"");
    p = trace_put_bytes(p, event, strlen(event));
    p = trace_put_literal(p, "\",\"ph\":\"M\",\"pid\":");
    p = number_put_signed(p, pid);
    p = trace_put_literal(p, ",\"tid\":");
    p = number_put_signed(p, tid);
    return trace_put_literal(p, ",\"args\":{");
}

void trace_thread(struct outfile *out, int64_t pid, int64_t tid, int64_t sort_index, const char *name)
{
    char escaped[TRACE_THREAD_NAME_MAX * JSON_TEXT_EXPANSION];
    size_t length = json_text_piece(name, strlen(name), TRACE_THREAD_NAME_MAX);
    length = json_text_escape(escaped, name, length);
    char *start = outfile_reserve(out, 2 * TRACE_SLICE_MAX + sizeof(escaped));
    char *p = put_thread_event(start, "thread_name", pid, tid);
    p = trace_put_literal(p, "\"name\":\"");
    p = trace_put_bytes(p, escaped, length);
    p = trace_put_literal(p, "\"}}");
    p = put_thread_event(p, "thread_sort_index", pid, tid);
    p = trace_put_literal(p, "\"sort_index\":");
    p = number_put_signed(p, sort_index);
    p = trace_put_literal(p, "}}");
    outfile_advance(out, (size_t)(p - start));
}

static void append_number(struct strbuf *buf, const char *key, int64_t value)
{
    if (value != DB_NULL && value != -1)
        strbuf_addf(buf, ",\"%s\":%lld", key, (long long)value);
}

int trace_end(struct outfile *out, const struct trace_info *info, struct err *err)
{
    struct strbuf other;
    strbuf_init(&other, OTHER_DATA_MAX);
    strbuf_addf(&other, "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"tool\":\"msprof\",\"version\":\"%s\"",
                MSPROF_VERSION);
    strbuf_addf(&other, ",\"clock\":\"%s\",\"origin_ns\":\"%lld\"", info->clock, (long long)info->origin_ns);
    append_number(&other, "device_id", info->device_id);
    if (info->model != NULL) {
        strbuf_adds(&other, ",\"model\":\"");
        json_text_append(&other, info->model, strlen(info->model));
        strbuf_adds(&other, "\"");
        append_number(&other, "model_id", info->model_id);
        append_number(&other, "batch_num", info->batch_num);
    }
    strbuf_adds(&other, "}}\n");
    int result = 0;
    if (other.failed)
        result = err_set(err, ERR_NO_MEMORY, "out of memory while ending a timeline");
    else
        outfile_write(out, other.data, other.length);
    strbuf_release(&other);
    return result;
}

int trace_append_name(struct strbuf *buf, const char *name, size_t length)
{
    size_t before = buf->length;
    if (strbuf_adds(buf, ",\n{\"name\":\"") == 0 && json_text_append(buf, name, length) == 0 &&
        strbuf_addc(buf, '"') == 0)
        return 0;
    buf->length = before;
    return -1;
}

char *trace_put_id(char *p, int64_t id)
{
    return id == DB_NULL ? trace_put_literal(p, "\"N/A\"") : number_put_signed(p, id);
}
