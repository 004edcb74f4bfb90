/* SPDX-License-Identifier: Apache-2.0 */
/* Damaged data files: what is sound is kept, what is not is named with its place, and never more is lost than was hit.
 */
#include "tests/lib/collect.h"
#include "tests/lib/records.h"
#include "tests/lib/scratch.h"

#include "base/strbuf.h"
#include "parsers/decode/decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MAX_RECORDS 16
#define MAX_BYTES ((MAX_RECORDS + 1) * (size_t)128)

/* The kinds of fixed-size records, with a file of sound ones that tell each other apart. */
struct binary_kind {
    const char *kind, *file, *path, *key; /* key: the column that numbers the records */
    size_t size;
    bool has_magic; /* one that a search can rely on */
    unsigned char *(*put)(unsigned char *p, unsigned number);
};

static unsigned char *put_numbered_pmu(unsigned char *p, unsigned number)
{
    return put_pmu(p, number, 600, 1, 0);
}

static unsigned char *put_numbered_acl(unsigned char *p, unsigned number)
{
    return put_acl(p, "svp_acl_mdl_execute", 1000 * number, 1000 * number + 500);
}

static unsigned char *put_numbered_aicpu(unsigned char *p, unsigned number)
{
    return put_aicpu(p, number, 1000 * number, 1000 * number + 500);
}

static unsigned char *put_numbered_hwts(unsigned char *p, unsigned number)
{
    return put_hwts(p, number & 1, number, 3, 25000 + number / 2, 100 * number);
}

static const struct binary_kind kinds[] = {
    {"svp_pmu", "aicore.0.1.1", "data/aicore.0.1.1", "task_id", PMU_SIZE, false, put_numbered_pmu},
    {"acl_call", "acl_api.0.net.1", "data/acl_api.0.net.1", "start_ns", ACL_SIZE, true, put_numbered_acl},
    {"aicpu_task", "aicpu.0.net.1.1.1.0", "data/aicpu.0.net.1.1.1.0", "task_id", AICPU_SIZE, true, put_numbered_aicpu},
    {"hwts", "hwts.data.0.slice_0", "data/hwts.data.0.slice_0", "counter", HWTS_SIZE, true, put_numbered_hwts},
};
#define KIND_COUNT (sizeof kinds / sizeof *kinds)

static size_t put_records(const struct binary_kind *kind, unsigned char *bytes, unsigned count)
{
    unsigned char *p = bytes;
    for (unsigned i = 0; i < count; i++)
        p = kind->put(p, i);
    return (size_t)(p - bytes);
}

/* Value of the key column in record i of put_records. */
static int64_t key_of(const struct binary_kind *kind, unsigned i)
{
    return strcmp(kind->key, "start_ns") == 0 ? 1000 * (int64_t)i : i;
}

static struct collection *decode_bytes(const struct binary_kind *kind, const unsigned char *bytes, size_t length)
{
    put_file(kind->file, bytes, length);
    return collect(in_scratch("J"), NULL);
}

/* The rows are exactly these records. */
static void assert_records(const struct collection *collection, const struct binary_kind *kind, const unsigned *numbers,
                           size_t count)
{
    assert_int_equal(row_count(collection, kind->kind), count);
    assert_int_equal(collection_file(collection, kind->path)->decoded, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(row_integer(collection, kind->kind, i, kind->key), key_of(kind, numbers[i]));
}

static void a_file_cut_at_any_byte_keeps_its_whole_records_and_reports_the_rest(void **state)
{
    (void)state;
    unsigned char bytes[MAX_BYTES];
    static const unsigned first_three[] = {0, 1, 2};
    make_job();
    for (const struct binary_kind *kind = kinds; kind < kinds + KIND_COUNT; kind++) {
        size_t length = put_records(kind, bytes, 3);
        for (size_t cut = 1; cut <= length; cut++) {
            struct collection *collection = decode_bytes(kind, bytes, cut);
            const struct diagnostics *diag = collection_diagnostics(collection);
            assert_records(collection, kind, first_three, cut / kind->size);
            assert_int_equal(reported(diag, DIAG_RECORD_TRUNCATED, kind->path), cut % kind->size != 0);
            assert_int_equal(collection_file(collection, kind->path)->rejected, cut % kind->size != 0);
            collection_free(collection);
        }
        char path[64];
        snprintf(path, sizeof path, "J/%s", kind->path);
        assert_int_equal(remove(in_scratch(path)), 0);
    }
}

static void the_report_of_a_cut_file_tells_file_offset_expectation_and_remedy(void **state)
{
    (void)state;
    unsigned char bytes[MAX_BYTES];
    make_job();
    put_records(&kinds[1], bytes, 3);
    struct collection *collection = decode_bytes(&kinds[1], bytes, 2 * ACL_SIZE + 17);
    assert_report(collection_diagnostics(collection), DIAG_RECORD_TRUNCATED, "data/acl_api.0.net.1", "record 2",
                  "offset 256", "17 bytes", "expected a record of 128 bytes", "copy the file again", NULL);
    collection_free(collection);
}

static void a_record_without_its_magic_is_the_only_one_lost_wherever_it_stands(void **state)
{
    (void)state;
    unsigned char bytes[MAX_BYTES];
    make_job();
    for (const struct binary_kind *kind = kinds; kind < kinds + KIND_COUNT; kind++) {
        unsigned magic_offset = strcmp(kind->kind, "svp_pmu") == 0 ? 124 : strcmp(kind->kind, "hwts") == 0 ? 2 : 0;
        for (unsigned damaged = 0; damaged < 6; damaged++) {
            unsigned left[5], count = 0;
            size_t length = put_records(kind, bytes, 6);
            bytes[damaged * kind->size + magic_offset] ^= 0xff;
            for (unsigned i = 0; i < 6; i++) {
                if (i != damaged)
                    left[count++] = i;
            }
            struct collection *collection = decode_bytes(kind, bytes, length);
            assert_records(collection, kind, left, count);
            assert_int_equal(reported(collection_diagnostics(collection), DIAG_RECORD_MAGIC, kind->path), 1);
            assert_int_equal(collection_file(collection, kind->path)->rejected, 1);
            collection_free(collection);
        }
        char path[64];
        snprintf(path, sizeof path, "J/%s", kind->path);
        assert_int_equal(remove(in_scratch(path)), 0);
    }
}

static void the_report_of_a_wrong_magic_tells_what_was_found_and_expected(void **state)
{
    (void)state;
    unsigned char bytes[MAX_BYTES];
    make_job();
    size_t length = put_records(&kinds[1], bytes, 4);
    memcpy(bytes + 2 * ACL_SIZE, "\x34\x12", 2);
    struct collection *collection = decode_bytes(&kinds[1], bytes, length);
    assert_report(collection_diagnostics(collection), DIAG_RECORD_MAGIC, "data/acl_api.0.net.1", "record 2",
                  "offset 256", "found 0x1234", "expected 0x5a5a", "128 bytes are skipped", "--layout", NULL);
    collection_free(collection);
}

static void sound_records_between_two_damaged_ones_are_kept(void **state)
{
    (void)state;
    unsigned char bytes[MAX_BYTES];
    static const unsigned left[] = {0, 2, 4};
    make_job();
    size_t length = put_records(&kinds[1], bytes, 6);
    bytes[1 * ACL_SIZE] = bytes[3 * ACL_SIZE] = bytes[5 * ACL_SIZE] = 0;
    struct collection *collection = decode_bytes(&kinds[1], bytes, length);
    assert_records(collection, &kinds[1], left, 3);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_RECORD_MAGIC, NULL), 3);
    collection_free(collection);
}

static void a_file_without_any_magic_is_not_decoded_and_a_layout_is_asked_for(void **state)
{
    (void)state;
    unsigned char bytes[MAX_BYTES];
    make_job();
    for (const struct binary_kind *kind = kinds; kind < kinds + KIND_COUNT; kind++) {
        memset(bytes, 0xa5, sizeof bytes);
        struct collection *collection = decode_bytes(kind, bytes, 4 * kind->size);
        assert_records(collection, kind, NULL, 0);
        assert_report(collection_diagnostics(collection), DIAG_LAYOUT_MISMATCH, kind->path, "offset 0", "expected",
                      "found a5 a5", "--layout", NULL);
        collection_free(collection);
        char path[64];
        snprintf(path, sizeof path, "J/%s", kind->path);
        assert_int_equal(remove(in_scratch(path)), 0);
    }
}

/* Bytes are put into or taken out of record 2 of 6, at every place of it. */
static void shift_bytes(const struct binary_kind *kind, unsigned count, bool insert)
{
    unsigned char bytes[MAX_BYTES], shifted[MAX_BYTES];
    static const unsigned left[] = {0, 1, 3, 4, 5};
    size_t length = put_records(kind, bytes, 6);
    for (size_t at = 2 * kind->size + 4; at + count <= 3 * kind->size; at++) {
        memcpy(shifted, bytes, at);
        memset(shifted + at, 0xee, count);
        if (insert)
            memcpy(shifted + at + count, bytes + at, length - at);
        else
            memcpy(shifted + at, bytes + at + count, length - at - count);
        struct collection *collection = decode_bytes(kind, shifted, insert ? length + count : length - count);
        assert_records(collection, kind, left, 5);
        assert_int_equal(reported(collection_diagnostics(collection), DIAG_RECORD_MAGIC, kind->path), 1);
        assert_int_equal(collection_file(collection, kind->path)->rejected, 1);
        collection_free(collection);
    }
}

static void bytes_inserted_or_removed_cost_only_the_record_they_hit(void **state)
{
    (void)state;
    make_job();
    for (const struct binary_kind *kind = kinds; kind < kinds + KIND_COUNT; kind++) {
        if (!kind->has_magic)
            continue;
        for (unsigned count = 1; count <= 5; count += 2) {
            shift_bytes(kind, count, true);
            shift_bytes(kind, count, false);
        }
        char path[64];
        snprintf(path, sizeof path, "J/%s", kind->path);
        assert_int_equal(remove(in_scratch(path)), 0);
    }
}

static void bytes_removed_from_the_last_but_one_record_leave_the_last(void **state)
{
    (void)state;
    unsigned char bytes[MAX_BYTES];
    static const unsigned left[] = {0, 1, 3};
    make_job();
    size_t length = put_records(&kinds[1], bytes, 4), at = 2 * ACL_SIZE + 40;
    memmove(bytes + at, bytes + at + 9, length - at - 9);
    struct collection *collection = decode_bytes(&kinds[1], bytes, length - 9);
    assert_records(collection, &kinds[1], left, 3);
    assert_int_equal(diag_problems(collection_diagnostics(collection)), 1);
    collection_free(collection);
}

static void garbage_before_the_first_record_is_skipped(void **state)
{
    (void)state;
    unsigned char bytes[MAX_BYTES];
    static const unsigned all[] = {0, 1, 2, 3};
    make_job();
    memset(bytes, 0xee, 45);
    size_t length = put_records(&kinds[3], bytes + 45, 4);
    struct collection *collection = decode_bytes(&kinds[3], bytes, length + 45);
    assert_records(collection, &kinds[3], all, 4);
    assert_report(collection_diagnostics(collection), DIAG_RECORD_MAGIC, "offset 2", "45 bytes are skipped", NULL);
    collection_free(collection);
}

static void damage_across_the_chunks_of_a_long_file_costs_what_it_hits(void **state)
{
    (void)state;
    const unsigned count = 40000; /* 5 MB, several chunks */
    unsigned char *bytes = malloc((size_t)count * ACL_SIZE), *p = bytes;
    assert_non_null(bytes);
    make_job();
    for (unsigned i = 0; i < count; i++)
        p = put_acl(p, "call", i, i + 1);
    /* Every place around the ends of chunks of any power of two up to 1 MB, every 97th record, and a stretch longer
     * than a chunk. */
    uint64_t expected = count;
    for (unsigned i = 8191; i < 20000; i += 97) {
        bytes[(size_t)i * ACL_SIZE + 1] = 0;
        expected--;
    }
    memset(bytes + 25000u * (size_t)ACL_SIZE, 0xcc, 9000u * (size_t)ACL_SIZE);
    expected -= 9000;
    put_file("acl_api.0.net.1", bytes, (size_t)count * ACL_SIZE);
    free(bytes);
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct capture_file *file = collection_file(collection, "data/acl_api.0.net.1");
    assert_int_equal(file->decoded, expected);
    assert_int_equal(file->rejected, count - expected);
    assert_int_equal(row_integer(collection, "acl_call", expected - 1, "start_ns"), count - 1);
    collection_free(collection);
}

static void files_of_every_length_around_powers_of_two_are_read_whole(void **state)
{
    (void)state;
    const unsigned most = 2 * 1024 * 1024 / ACL_SIZE + 1;
    unsigned char *bytes = malloc((size_t)most * ACL_SIZE), *p = bytes;
    assert_non_null(bytes);
    make_job();
    for (unsigned i = 0; i < most; i++)
        p = put_acl(p, "call", i, i + 1);
    for (unsigned power = 32; power < most; power *= 2) {
        for (unsigned count = power - 1; count <= power + 1; count++) {
            put_file("acl_api.0.net.1", bytes, (size_t)count * ACL_SIZE);
            struct collection *collection = collect(in_scratch("J"), NULL);
            const struct capture_file *file = collection_file(collection, "data/acl_api.0.net.1");
            assert_int_equal(file->decoded, count);
            assert_int_equal(file->rejected, 0);
            for (unsigned i = 0; i<count; i += count> 512 ? count - 512 : 1)
                assert_int_equal(row_integer(collection, "acl_call", i, "start_ns"), i);
            assert_int_equal(row_integer(collection, "acl_call", count - 1, "start_ns"), count - 1);
            collection_free(collection);
        }
    }
    free(bytes);
}

static void values_that_no_board_counts_reject_their_record_only(void **state)
{
    (void)state;
    unsigned char bytes[8 * PMU_SIZE], *p = bytes;
    make_job();
    p = put_pmu(p, 0, UINT64_C(1) << 63, 1, 0);
    p = put_pmu(p, 1, UINT64_MAX, 1, 0);
    p = put_pmu(p, 2, (UINT64_C(1) << 53) + 1, 1, 0);
    p = put_pmu(p, 3, 600, 1, 0);
    memset(p - PMU_SIZE + 32, 0x7f, 8); /* mac_busy */
    p = put_pmu(p, 4, 600, 1, 0);
    memset(p - PMU_SIZE + 112, 0x7f, 8); /* ddr_write */
    p = put_pmu(p, 5, 600, 1, 0);
    struct collection *collection = decode_bytes(&kinds[0], bytes, (size_t)(p - bytes));
    assert_int_equal(row_count(collection, "svp_pmu"), 1);
    assert_int_equal(row_integer(collection, "svp_pmu", 0, "task_id"), 5);
    assert_int_equal(row_integer(collection, "svp_pmu", 0, "duration_ns"), 1000);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_RECORD_VALUE, "data/aicore.0.1.1"), 5);
    assert_report(collection_diagnostics(collection), DIAG_RECORD_VALUE, "record 0", "offset 0", "total_cycle", "2^63",
                  NULL);
    collection_free(collection);
}

static void a_call_that_ends_before_it_starts_or_lasts_for_ages_is_rejected(void **state)
{
    (void)state;
    unsigned char bytes[8 * ACL_SIZE], *p = bytes;
    make_job();
    p = put_acl(p, "backwards", 1001, 1000);
    p = put_acl(p, "endless", 0, INT64_MAX);
    p = put_acl(p, "at the end of time", INT64_MAX, INT64_MAX);
    p = put_acl(p, "unsigned", UINT64_MAX - 1, UINT64_MAX);
    p = put_acl(p, "instant", 1000, 1000);
    p = put_acl(p, "long", 0, UINT64_C(1) << 53);
    struct collection *collection = decode_bytes(&kinds[1], bytes, (size_t)(p - bytes));
    assert_int_equal(row_count(collection, "acl_call"), 2);
    assert_string_equal(row_text(collection, "acl_call", 0, "name"), "instant");
    assert_string_equal(row_text(collection, "acl_call", 1, "name"), "long");
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_RECORD_VALUE, "data/acl_api.0.net.1"), 4);
    assert_report(collection_diagnostics(collection), DIAG_RECORD_VALUE, "end_ns", "1000 ns", "1001 ns",
                  "expected end >= start", NULL);
    collection_free(collection);
}

static void an_ai_cpu_task_that_ends_before_it_starts_is_rejected(void **state)
{
    (void)state;
    unsigned char bytes[2 * AICPU_SIZE];
    make_job();
    put_aicpu(put_aicpu(bytes, 1, 50, 49), 2, 50, 51);
    struct collection *collection = decode_bytes(&kinds[2], bytes, sizeof bytes);
    assert_int_equal(row_count(collection, "aicpu_task"), 1);
    assert_int_equal(row_integer(collection, "aicpu_task", 0, "task_id"), 2);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_RECORD_VALUE, NULL), 1);
    collection_free(collection);
}

static void a_name_without_a_final_nul_is_read_to_the_end_of_its_field(void **state)
{
    (void)state;
    unsigned char bytes[ACL_SIZE];
    char name[65];
    make_job();
    memset(name, 'n', 64);
    name[64] = '\0';
    put_acl(bytes, name, 1, 2);
    memset(bytes + 96, 'x', 32); /* the reserved bytes after it */
    struct collection *collection = decode_bytes(&kinds[1], bytes, sizeof bytes);
    assert_string_equal(row_text(collection, "acl_call", 0, "name"), name);
    collection_free(collection);
}

static void an_empty_data_file_is_reported_and_the_others_are_decoded(void **state)
{
    (void)state;
    unsigned char bytes[MAX_BYTES];
    static const unsigned all[] = {0, 1};
    make_job();
    put_file("acl_api.0.net.1", "", 0);
    put_file("net.1.layer.info", "", 0);
    struct collection *collection = decode_bytes(&kinds[0], bytes, put_records(&kinds[0], bytes, 2));
    assert_records(collection, &kinds[0], all, 2);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_FILE_EMPTY, "data/acl_api.0.net.1"), 1);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_FILE_EMPTY, "data/net.1.layer.info"), 1);
    collection_free(collection);
}

/* ---- text ---- */

static const char layer_table[] =
    "[{\"layer_id\":0,\"name\":\"a]}\\\"\",\"type\":\"T\",\"ori_name\":\"x\",\"task_id\":0,\"engine\":\"AI_CORE\"},\n"
    " {\"layer_id\":1,\"name\":\"b\",\"type\":\"T\",\"ori_name\":\"[{\",\"task_id\":0,\"engine\":\"AI_CPU\"},\n"
    " {\"layer_id\":2,\"name\":\"c\",\"type\":\"T\",\"ori_name\":\"z\",\"task_id\":1,\"engine\":\"AI_CORE\"}]\n";

static void a_layer_table_cut_at_any_byte_keeps_its_whole_layers(void **state)
{
    (void)state;
    make_job();
    const char *ends[3] = {strstr(layer_table, ",\n") + 0, NULL, strstr(layer_table, "]\n")};
    ends[1] = strstr(ends[0] + 1, ",\n");
    for (size_t cut = 1; cut < sizeof layer_table; cut++) {
        size_t whole = 0;
        for (size_t i = 0; i < 3; i++)
            whole += layer_table + cut >= ends[i];
        put_file("net.1.layer.info", layer_table, cut);
        struct collection *collection = collect(in_scratch("J"), NULL);
        bool complete = cut >= sizeof layer_table - 2;
        assert_int_equal(row_count(collection, "layer"), whole);
        assert_int_equal(reported(collection_diagnostics(collection), DIAG_TEXT_LINE, "data/net.1.layer.info"),
                         !complete);
        assert_int_equal(collection_file(collection, "data/net.1.layer.info")->rejected, !complete);
        collection_free(collection);
    }
}

static void a_layer_table_with_a_broken_layer_keeps_the_others(void **state)
{
    (void)state;
    make_job();
    put_text("net.1.layer.info", "[{\"layer_id\":0,\"task_id\":0},{\"layer_id\":1,\"task_id\" 0},"
                                 "{\"layer_id\":2,\"task_id\":0,\"name\":\"\\ud800\"},{\"layer_id\":3,\"task_id\":1}]");
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "layer"), 2);
    assert_int_equal(row_integer(collection, "layer", 1, "layer_id"), 3);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_TEXT_LINE, "data/net.1.layer.info"), 3);
    assert_int_equal(collection_file(collection, "data/net.1.layer.info")->rejected, 2);
    collection_free(collection);
}

static void layers_that_lack_what_they_need_are_skipped_one_by_one(void **state)
{
    (void)state;
    make_job();
    put_text("net.1.layer.info", "[1, null, {}, {\"layer_id\":5}, {\"layer_id\":\"x\",\"task_id\":1},"
                                 " {\"layer_id\":-1,\"task_id\":1}, {\"layer_id\":6,\"task_id\":2,\"engine\":\"GPU\"},"
                                 " {\"layer_id\":\"7\",\"task_id\":3}]");
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "layer"), 2);
    assert_int_equal(row_integer(collection, "layer", 0, "layer_id"), 6);
    assert_string_equal(row_text(collection, "layer", 0, "engine"), "AI_CORE");
    assert_int_equal(row_integer(collection, "layer", 1, "layer_id"), 7);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_TEXT_LINE, NULL), 7);
    collection_free(collection);
}

/* Cuts text at every byte: the lines before the cut are kept, and only they. */
static void cut_lines(const char *file, const char *kind, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "data/%s", file);
    for (size_t cut = 1; cut <= strlen(text); cut++) {
        size_t whole = 0;
        for (size_t i = 0; i < cut; i++)
            whole += text[i] == '\n';
        put_file(file, text, cut);
        struct collection *collection = collect(in_scratch("J"), NULL);
        assert_int_equal(row_count(collection, kind), whole);
        assert_int_equal(reported(collection_diagnostics(collection), DIAG_RECORD_TRUNCATED, path),
                         text[cut - 1] != '\n');
        collection_free(collection);
    }
}

static void descriptions_cut_at_any_byte_keep_their_whole_lines(void **state)
{
    (void)state;
    make_job();
    cut_lines("Framework.host.vm.task_desc_info.0.slice_0", "task_desc",
              "Default/Mul-op1 1 25000 9\nAdd op2 4 25001 10\n");
    cut_lines("Framework.host.vm.graph_desc_info.0.slice_0", "graph_desc",
              "op_name:Default/Mul-op1 op_type:Mul input_id:0 input_shape:\"2,3\"\nop_name:Add op2 op_type:Add\n");
}

static void lines_that_make_no_sense_are_named_and_the_others_kept(void **state)
{
    (void)state;
    make_job();
    put_text("Framework.host.vm.task_desc_info.0.slice_0",
             "good 1 25000 9\nnonsense\n 1 2 3\nx 1 2 99999999999999999999\nx -1 2 3\n\nCRLF 1 25002 9\r\n");
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "task_desc"), 2);
    assert_string_equal(row_text(collection, "task_desc", 1, "name"), "CRLF");
    assert_int_equal(row_integer(collection, "task_desc", 1, "stream_id"), 9);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_TEXT_LINE, NULL), 4);
    assert_report(collection_diagnostics(collection), DIAG_TEXT_LINE, "record 2", "offset 15", "'nonsense'",
                  "expected <operator> <block dim> <task id> <stream id>", NULL);
    collection_free(collection);
}

static void texts_longer_than_a_cell_are_cut_on_a_character(void **state)
{
    (void)state;
    size_t length = DECODED_TEXT_MAX + 100;
    char *text = malloc(length + 64);
    assert_non_null(text);
    make_job();
    text[0] = 'x';
    for (size_t i = 1; i + 2 < length; i += 3)
        memcpy(text + i, "\xe4\xba\xba", 3);
    memcpy(text + length - 1, " 1 25000 9\n", 12);
    put_text("Framework.host.vm.task_desc_info.0.slice_0", text);
    free(text);
    struct collection *collection = collect(in_scratch("J"), NULL);
    size_t kept = strlen(row_text(collection, "task_desc", 0, "name"));
    assert_true(kept <= DECODED_TEXT_MAX && kept > DECODED_TEXT_MAX - 3 && kept % 3 == 1);
    assert_report(collection_diagnostics(collection), DIAG_TEXT_CUT, "task_desc_info.0.slice_0", "field name",
                  "expected at most 65536", NULL);
    assert_int_equal(collection_file(collection, "data/Framework.host.vm.task_desc_info.0.slice_0")->rejected, 0);
    collection_free(collection);
}

static void a_list_of_tensors_is_cut_behind_its_last_whole_item_and_told(void **state)
{
    (void)state;
    enum { SHAPE = 9, KEPT = (DECODED_TEXT_MAX + 1) / (SHAPE + 1), TENSORS = KEPT + 10 };
    struct strbuf text;
    strbuf_init(&text, 1 << 20);
    make_job();
    strbuf_adds(&text, "op_name:Default/Concat-op1 op_type:Concat");
    for (int i = 0; i < TENSORS; i++) /* the shortest, which come last, would find room behind the cut */
        strbuf_addf(&text, " input_id:%d input_data_type:40 input_shape:\"%s\"", i, i <= KEPT ? "1024,1024" : "1");
    strbuf_adds(&text, "\nop_name:Default/Add-op2 op_type:Add input_id:0 input_shape:\"2\"\n");
    assert_false(text.failed);
    put_text("Framework.host.vm.graph_desc_info.0.slice_0", text.data);
    strbuf_release(&text);
    struct collection *collection = collect(in_scratch("J"), NULL);
    const char *shapes = row_text(collection, "graph_desc", 0, "input_shapes");
    size_t length = strlen(shapes);
    assert_int_equal(length, KEPT * (SHAPE + 1) - 1);
    assert_string_equal(shapes + length - 20, ";1024,1024;1024,1024");
    assert_string_equal(row_text(collection, "graph_desc", 1, "input_shapes"), "2");
    assert_report(collection_diagnostics(collection), DIAG_TEXT_CUT, "graph_desc_info.0.slice_0", "record 1",
                  "more than 65536 bytes", NULL);
    collection_free(collection);
}

static void a_text_file_beyond_its_limit_is_not_read(void **state)
{
    (void)state;
    make_job();
    put_text("net.1.layer.info", "[");
    assert_int_equal(truncate(in_scratch("J/data/net.1.layer.info"), INT64_C(100) << 20), 0);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_report(collection_diagnostics(collection), DIAG_FILE_LIMIT, "net.1.layer.info",
                  "expected a text file of at most", NULL);
    collection_free(collection);
}

#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(a_file_cut_at_any_byte_keeps_its_whole_records_and_reports_the_rest),
        SCRATCH_TEST(the_report_of_a_cut_file_tells_file_offset_expectation_and_remedy),
        SCRATCH_TEST(a_record_without_its_magic_is_the_only_one_lost_wherever_it_stands),
        SCRATCH_TEST(the_report_of_a_wrong_magic_tells_what_was_found_and_expected),
        SCRATCH_TEST(sound_records_between_two_damaged_ones_are_kept),
        SCRATCH_TEST(a_file_without_any_magic_is_not_decoded_and_a_layout_is_asked_for),
        SCRATCH_TEST(bytes_inserted_or_removed_cost_only_the_record_they_hit),
        SCRATCH_TEST(bytes_removed_from_the_last_but_one_record_leave_the_last),
        SCRATCH_TEST(garbage_before_the_first_record_is_skipped),
        SCRATCH_TEST(damage_across_the_chunks_of_a_long_file_costs_what_it_hits),
        SCRATCH_TEST(files_of_every_length_around_powers_of_two_are_read_whole),
        SCRATCH_TEST(values_that_no_board_counts_reject_their_record_only),
        SCRATCH_TEST(a_call_that_ends_before_it_starts_or_lasts_for_ages_is_rejected),
        SCRATCH_TEST(an_ai_cpu_task_that_ends_before_it_starts_is_rejected),
        SCRATCH_TEST(a_name_without_a_final_nul_is_read_to_the_end_of_its_field),
        SCRATCH_TEST(an_empty_data_file_is_reported_and_the_others_are_decoded),
        SCRATCH_TEST(a_layer_table_cut_at_any_byte_keeps_its_whole_layers),
        SCRATCH_TEST(a_layer_table_with_a_broken_layer_keeps_the_others),
        SCRATCH_TEST(layers_that_lack_what_they_need_are_skipped_one_by_one),
        SCRATCH_TEST(descriptions_cut_at_any_byte_keep_their_whole_lines),
        SCRATCH_TEST(lines_that_make_no_sense_are_named_and_the_others_kept),
        SCRATCH_TEST(texts_longer_than_a_cell_are_cut_on_a_character),
        SCRATCH_TEST(a_list_of_tensors_is_cut_behind_its_last_whole_item_and_told),
        SCRATCH_TEST(a_text_file_beyond_its_limit_is_not_read),
    };
    return cmocka_run_group_tests_name("damaged records", tests, NULL, NULL);
}
