/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that programs divide by themselves and report with mstx: *.additional.mstx_memory, which the recorder of this
 * project writes. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/sample.h"

static const struct value_name events[] = {
    {1, "heap registered"}, {2, "heap unregistered"}, {3, "region registered"}, {4, "region unregistered"}, {0, NULL}};

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(EVENT, "event", "Event", NAMES(PLAIN, events), "How a heap changed, or a region of one.", AT(4, 4))         \
    STORED(HEAP, "heap", "Heap", NUMBER, "Number of the heap, or its address; 0: not said.", SIGNED_AT(24, 8))         \
    STORED(REGION, "region", "Region", NUMBER, "Number of the region; 0: not said.", SIGNED_AT(32, 8))                 \
    STORED(ADDRESS, "address", "Address", NUMBER, "Where the memory begins.", SIGNED_AT(40, 8))                        \
    STORED(BYTES, "bytes", "Size", INTEGER(BYTE, PLAIN), "How much is registered.", SIGNED_AT(48, 8))                  \
    STORED(DOMAIN_HASH, "domain_hash", "Domain hash", INTEGER(NONE, TRANSIENT), "The domain.", SIGNED_AT(56, 8))       \
    MADE(DOMAIN_ID, "domain_id", "Domain", MADE_NUMBER, "The domain (name.id).")                                       \
    STORED(MEMORY_DEVICE, "memory_device", "Device", NUMBER, "The device that the memory is on.", AT(64, 4))           \
    STORED(PROCESS, "process_id", "Process ID", NUMBER, "The process.", AT(68, 4))

HOST_RECORD_TABLES;

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    int status = host_record_take(decoder, state, row, keep, err);
    return status == 0 ? record_stream_find_name(state, row, DOMAIN_HASH, DOMAIN_ID, err) : status;
}

/* Events by time, numbered; heaps, with the event that ends them; regions, with their heaps, which a program may name
 * by their addresses, too. */
#define HEAPS                                                                                                          \
    "e AS MATERIALIZED (SELECT *, row_number() OVER (ORDER BY time_ns, id) AS n FROM mstx_memory),"                    \
    " h AS MATERIALIZED (SELECT a.heap, a.n, a.address, a.bytes, a.memory_device, a.domain_id,"                        \
    " (SELECT min(b.n) FROM e b WHERE b.event = 2 AND b.heap IN (a.heap, a.address) AND b.n > a.n) AS end_n"           \
    " FROM e a WHERE a.event = 1),"                                                                                    \
    " r AS MATERIALIZED (SELECT m.n, m.region, m.address, m.bytes, coalesce(h.heap, (SELECT x.heap FROM h x"           \
    " WHERE x.address = m.heap AND x.n < m.n ORDER BY x.n DESC LIMIT 1)) AS heap FROM e m"                             \
    " LEFT JOIN h ON h.heap = m.heap AND h.n < m.n WHERE m.event = 3)"

/* A region ends with the next event at its address: that it is unregistered, or registered anew. */
#define ENDS                                                                                                           \
    "o AS (SELECT n, address, event FROM e WHERE event = 3 UNION ALL"                                                  \
    " SELECT u.n, coalesce(r.address, u.address), u.event FROM e u"                                                    \
    " LEFT JOIN r ON u.region <> 0 AND r.region = u.region WHERE u.event = 4),"                                        \
    " w AS (SELECT n, event, lag(n) OVER a AS before_n, lag(event) OVER a AS before_event FROM o"                      \
    " WINDOW a AS (PARTITION BY address ORDER BY n)),"                                                                 \
    " m AS MATERIALIZED (SELECT w.n AS end_n, w.event, r.n, r.heap, r.bytes FROM w JOIN r ON r.n = w.before_n"         \
    " LEFT JOIN h ON h.heap = r.heap WHERE w.before_event = 3 AND (h.end_n IS NULL OR w.n < h.end_n))"

/* The bytes in use that each event adds. With a heap all of its regions go. */
#define CHANGES                                                                                                        \
    "d AS (SELECT n, heap, 0 AS bytes FROM h UNION ALL SELECT n, heap, bytes FROM r WHERE heap IS NOT NULL"            \
    " UNION ALL SELECT end_n, heap, -bytes FROM m WHERE heap IS NOT NULL"                                              \
    " UNION ALL SELECT h.end_n, h.heap, -coalesce((SELECT sum(r.bytes) FROM r WHERE r.heap = h.heap"                   \
    " AND r.n < h.end_n AND r.n NOT IN (SELECT n FROM m)), 0) FROM h WHERE h.end_n IS NOT NULL),"                      \
    " c AS MATERIALIZED (SELECT n, heap, sum(sum(bytes)) OVER (PARTITION BY heap ORDER BY n) AS allocated FROM d"      \
    " GROUP BY n, heap)"

/* Each event with its heap and what is in use then. Joined apart from the order, which hides the index from SQLite. */
#define TOTALS                                                                                                         \
    "t AS MATERIALIZED (SELECT e.*, c.heap AS of_heap, c.allocated FROM e LEFT JOIN c ON c.n = e.n),"                  \
    " x AS MATERIALIZED (SELECT t.*, ended.bytes AS ended_bytes, named.address AS named_address FROM t"                \
    " LEFT JOIN (SELECT end_n, bytes FROM m WHERE event = 4) ended ON ended.end_n = t.n"                               \
    " LEFT JOIN (SELECT region, address, min(n) FROM r GROUP BY region) named"                                         \
    " ON t.region <> 0 AND named.region = t.region)"

#define CURVE                                                                                                          \
    {                                                                                                                  \
        .with = HEAPS ", " ENDS ", " CHANGES ", " TOTALS, .from = "x e LEFT JOIN h ON h.heap = e.of_heap",             \
        .order_by = "e.n, e.of_heap",                                                                                  \
    }

#define DEVICE "coalesce(h.memory_device, iif(e.event IN (1, 3), e.memory_device, NULL))"
#define RESERVED "iif(h.end_n <= e.n, 0, h.bytes)"

/* The number of a heap is that of its handle; an event that belongs to none has no totals. */
static const struct report_column table[] = {
    {"Domain", "coalesce(h.domain_id, e.domain_id)", FORM_NAME, .doc = "The domain that the heap is registered in."},
    {"Device_id", DEVICE, .flags = REPORT_NUMBER, .doc = "The device that the memory is on."},
    {"Heap", "e.of_heap", .flags = REPORT_NUMBER, .doc = "The heap, numbered as they are registered."},
    {"Timestamp(us)", "e.time_ns", .form = FORM_TIME, .doc = "When."},
    {"Event", "e.event", .names = events, .doc = "How the heap changed, or a region of it."},
    {"Address", "coalesce(e.named_address, iif(e.event = 2, h.address, e.address))", FORM_UNSIGNED,
     .flags = REPORT_NUMBER, .doc = "Where the memory begins."},
    {"Size(KB)", "CASE e.event WHEN 2 THEN h.bytes WHEN 4 THEN e.ended_bytes ELSE e.bytes END / 1024.0", FORM_SHORTEST,
     3, .doc = "How much it is."},
    {"Total Allocated(KB)", "e.allocated / 1024.0", FORM_SHORTEST, 3, .doc = "In use in the heap from then on."},
    {"Total Reserved(KB)", "iif(e.of_heap IS NULL, NULL, " RESERVED ") / 1024.0", FORM_SHORTEST, 3,
     .doc = "The size of the heap."},
    {.title = NULL},
};

static const struct report_column curve[] = {
    {"Allocated", "e.allocated / 1024.0", FORM_SHORTEST, 3, .doc = "In use in the heap, KB."},
    {"Reserved", RESERVED " / 1024.0", FORM_SHORTEST, 3, .doc = "The size of the heap, KB."},
    {.title = NULL},
};

const struct record_kind kind_mstx_memory = {
    OWN_TABLE("mstx_memory"),
    .title = "Memory that a program divides",
    .doc = "A program said with mstx that it divides memory, a heap, or that a region of one is in use or no more.",
    .option = "msproftx",
    HOST_RECORD("additional", 80, "mstx_memory", "mstx-memory", take_record,
                "written by msprof's recorder: 80 bytes (docs/formats/acl-api.md Heaps)"),
    ONE_SERIES(.name = "mstx_memory", .title = "Memory that programs divide",
               .doc =
                   "Memory of each heap that a program registered with mstx, whenever it changes: how much of it is in "
                   "use. An event of a heap that the capture does not know has no totals.",
               .query = CURVE, .columns = table, .process = "MSTX Memory", .number = LAYER_MSTX_MEMORY,
               .counters = ONE_COUNTER(.name = "'Heap ' || e.of_heap || coalesce(' of ' || (SELECT text FROM name"
                                               " WHERE name.id = h.domain_id), '') || ', device ' || h.memory_device",
                                       .values = curve, .query = CURVE, .time = "e.time_ns", .device = "NULL",
                                       .when = "EXISTS (SELECT * FROM mstx_memory WHERE event = 1)")),
};
