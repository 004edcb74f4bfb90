/* SPDX-License-Identifier: Apache-2.0 */
/* Views that a record kind has of its own table: files of summary/ and tracks of the timeline, as data.
 *
 * A kind with samples (a memory's bandwidth, a port's packets) says here which tables and counters are made of them.
 * Nothing else has to be touched: the reports, the layers of --reports, the manual and the help come from this. SQL is
 * run over the database of one capture, where every kind's table exists, with or without rows. A value that is NULL
 * does not exist: it is N/A in a table and left out of an event.
 *
 * Beside SQLite's own functions (window functions too) there are
 *   setting(NAME)          what sample.json or info.json says under this name: text or number as written, NULL
 *   setting(NAME, DEVICE)  the same of the part of a device; DEVICE NULL: of the host
 *   chip(DEVICE)           number of its chip (capture_part.chip)
 *   older_module(ID)       name of a module of the memory in the version whose names are written; NULL: as today
 *   quantize(X, N)         X to N decimals, of two that are equally near the even one: of a number as SQL has it
 *   printed(X, N)          X as FORM_SHORTEST prints it with N decimals
 *   ratio(A, B)            A / B as a REAL; 0.0 where B is 0
 *   scaled_ratio(A, B, N)  of integers, A * 10^N / B as an integer, rounded half away from zero, exactly; 0 where B is
 *                          0
 *   exact_ns(DEVICE, START, NS)  the length of time between two times NS apart, by the ticks of the device's clock
 *                          (base/ticks.h); DEVICE NULL: of the host's clock; clocks of less than 500 MHz need no START
 *   ticks(DEVICE, START, NS)  the ticks in it, to be summed; ticks_ns(DEVICE, TICKS) makes nanoseconds of the sum
 *
 * A report that needs more than a query gets a file in exporters/reports/ (docs/adding-a-report.md).
 */
#ifndef MSPROF_PARSERS_SERIES_H
#define MSPROF_PARSERS_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum column_unit { UNIT_NONE, UNIT_NS, UNIT_TICK, UNIT_CYCLE, UNIT_BYTE };

/* How a value is printed. d is the column's decimals. A text stands as it is, whatever the form: a query may give
 * 'Average' where other rows have a number. */
enum report_form {
    FORM_TEXT,     /* an integer by its digits, a REAL as FORM_FLOAT */
    FORM_SHORTEST, /* a number rounded to d decimals, without zeros at the end: 12.5, 12 */
    FORM_FIXED,    /* a number rounded to d decimals, all of them: 12.500 */
    FORM_FLOAT,    /* a number as short as it reads back the same, with a point: 12.5, 12.0 */
    FORM_SCALED,   /* an integer in units of 10^-d, without zeros at the end: of 12500 and d 3, 12.5. Nanoseconds with
                      d 3 are microseconds, exactly */
    FORM_SCALED_FIXED, /* the same with all decimals: 12.500 */
    FORM_SCALED_FLOAT, /* the same, with a point: 12.5, 12.0 */
    FORM_TIME,     /* nanoseconds since 1970 as microseconds with three decimals, in CSV with a tab behind them, so that
                      spreadsheets do not round them */
    FORM_UNSIGNED, /* an integer's 64 bits as a number that is never negative */
    FORM_NAME,     /* an id of table name: the text of that row */
    FORM_TENSORS,  /* an id of table tensor_set: of that row the d-th of input shapes, data types, formats, then of the
                      outputs */
};
/* Whether it is of integers in units of 10^-d. */
static inline bool form_is_scaled(unsigned form)
{
    return form == FORM_SCALED || form == FORM_SCALED_FIXED || form == FORM_SCALED_FLOAT;
}

/* The text of one value of an enumerated integer column. */
struct value_name {
    int64_t value;
    const char *text; /* NULL ends a list */
};

#define VALUE_OTHER INT64_MAX /* as a value: the text of all that have no other; else they stand as numbers */

enum report_column_flags {
    REPORT_NARROW = 1,      /* on a terminal it may stand under the column before it, where the room is too narrow */
    REPORT_NO_TERMINAL = 2, /* left out on terminals, unless it is asked for */
    REPORT_TERMINAL = 64,   /* left out but on terminals, unless it is asked for */
    REPORT_JOINED = 128,    /* on a terminal its number stands with that of the column before it: 97.3/12.5 */
    REPORT_GUIDE = 4,       /* not with --columns vendor */
    REPORT_VENDOR = 8,      /* with --columns vendor only */
    REPORT_SENTENCES = 512, /* what answers show on a terminal goes on in the next line instead of being cut */
    REPORT_INPUT = 32,      /* never shown: what a report's own code needs of a row */
    REPORT_RAW = 4096,   /* with it, of a scan: they stand next to each other in report_worker.raw, and are no values */
    REPORT_FIRST = 256,  /* stands in front of all columns that have not this */
    REPORT_START = 1024, /* --step, --from and --until choose rows by it; else by the first of FORM_TIME */
    REPORT_NUMBERED = 8192, /* of a slice: the number of the series_counter stands behind its title */
    REPORT_NUMBER = 16,     /* of FORM_TEXT: holds numbers, so a terminal aligns it to the right */
};

/* Where a row that C code makes holds a column's value: REPORT_FIELD (exporters/table/value.h) fills it in. */
struct report_field {
    uint16_t offset, row_size; /* bytes; row_size 0: no struct has it */
    uint8_t type;              /* enum field_type */
};

/* Where a column's value stands under a key: another table is read once, so that no row costs a query, and its keys
 * with their values are held in memory. */
struct report_lookup {
    const char *from;  /* the table: "host_call"; a WHERE may follow */
    const char *key;   /* an expression over its rows that gives an integer; of equal ones the first row counts */
    const char *value; /* likewise: a number, or an id for FORM_NAME */
};

/* A column of a table, or a value of an event. */
struct report_column {
    const char *title; /* as the file has it, with the unit in brackets: "Read(MB/s)"; NULL ends an array */
    const char *sql;   /* an expression over the rows of the query */
    enum report_form form;
    uint8_t decimals;
    const char *doc;                /* one sentence for the manual */
    enum column_unit unit;          /* of the value that sql gives: UNIT_NS lets --filter compare it with "100us" */
    unsigned flags;                 /* enum report_column_flags */
    const char *when;               /* NULL, or an expression; the column exists where it is true of the database */
    const struct value_name *names; /* of an integer: its text instead of its digits; NULL: none */
    const char *id; /* as --columns and --sort name it; NULL: the title in lower case without its unit, blanks as
                       '_': "read" */
    uint16_t
        value; /* of a report whose own code gives the values: which of them it shows, from 0; two columns, of which
                  one is the guide's and one the vendor's, may show the same. 0: the one of the column's place */
    const struct report_lookup *lookup; /* NULL, or where the value stands: then sql gives the key. Only for tables */
    struct report_field field;          /* of a report whose rows are structs: the member that the column shows */
};

/* The query whose rows are a table's rows or a track's events: WITH with SELECT <columns> FROM from WHERE where GROUP
 * BY group_by ORDER BY order_by. */
struct report_query {
    const char *with;                        /* NULL, or common table expressions: "a AS (SELECT ...), b AS (...)" */
    const char *from;                        /* NULL: the kind's table */
    const char *where, *group_by, *order_by; /* NULL: none; rows of a table with no order come as they are stored */
};

/* An end of an arrow, at the beginning of a slice; those of both ends say the same but phase and with. */
struct series_arrow {
    const char *name, *category; /* NULL as category: none */
    bool numbered;               /* the name ends with the number, which is written as a text */
    char phase;                  /* 's': it begins there; 'f': it ends there; '\0': it ends where its number is < 0 */
    const char *id;              /* expression: the arrow's number; NULL in a row: the slice has none */
    const char *with[2]; /* layers without which there are no arrows: that with the other end, and what it needs */
};

/* Events on a process of the timeline: a counter, which holds its values until the next event of its name; with a
 * duration a slice. */
struct series_counter {
    const char *name; /* expression: "'Port ' || port || '/Rx'" */
    const struct report_column
        *values; /* what the event's args hold, by their titles; an event without any is left out */
    struct report_query query;
    const char *time;        /* expression: ns since 1970; NULL: "time_ns" */
    const char *duration;    /* expression: ns; NULL: it is a counter */
    bool ticks;              /* it lies between two times of the clock of the device, or the host: see exact_ns */
    const char *device;      /* expression: NULL: "device_id"; "NULL": of the host */
    const char *thread;      /* expression: number of the thread; NULL: 0 */
    const char *thread_name; /* expression: NULL: threads have no names */
    const char *last_thread; /* NULL, or an expression that needs no row: the largest number of a thread of the process;
                                what overlaps other slices of its thread in part goes to threads behind it */
    bool beside;             /* on a process of devices' tasks: threads have other numbers than the streams there */
    const char *program;     /* expression: number of the process on the host; NULL: the profiled one */
    const char *process;     /* expression: its name; NULL: the layer's */
    const struct series_arrow *arrow;    /* NULL: none */
    const char *category;                /* of slices: expression: an integer, whose word ... */
    const struct value_name *categories; /* ... is here; NULL: they have none */
    const char *number;  /* of slices: NULL, or an expression: an integer behind the titles of values with
                            REPORT_NUMBERED */
    const char *when;    /* NULL, or an expression; without it the counter does not exist */
    int counter_thread;  /* of a counter: number of the thread in its events; viewers show none */
    const char *threads; /* of a counter: NULL, or a query for numbers and names of threads that --trace-compat names,
                            without anything on them */
    /* In timelines of our own, or of --trace-compat, alone; alone: nor in those of frameworks. */
    enum { COUNTER_ANY, COUNTER_OURS, COUNTER_VENDOR, COUNTER_ALONE } only;
    bool most; /* the rows of one device and time are one event, which has the largest of each value; the name is a
                  constant, and the query has neither groups nor an order: rows are given by device and time */
};

/* Ascend's timelines of these chips are written by its code in C++, those of others by code in Python: they differ. */
#define CHIPS_OF_CPP "(5, 15, 16)"

/* Layers of timelines: LAYER_<name>, its number, which is part of the ids of its processes, and its order among those
 * of a timeline; the smallest is on top. Numbers up to 35 are those of Ascend's tool. No two layers have one number:
 * that does not compile (layer_order). */
#define TIMELINE_LAYERS(LAYER)                                                                                         \
    LAYER(PROGRAM, 6, 6)                                                                                               \
    LAYER(CANN, 7, 7)                                                                                                  \
    LAYER(DPU, 8, 8)                                                                                                   \
    LAYER(CPU_USAGE, 9, 9)                                                                                             \
    LAYER(MEMORY_USAGE, 10, 10)                                                                                        \
    LAYER(NETWORK_USAGE, 11, 11)                                                                                       \
    LAYER(DISK_USAGE, 12, 12)                                                                                          \
    LAYER(OS_RUNTIME, 13, 13)                                                                                          \
    LAYER(HARDWARE, 14, 14)                                                                                            \
    LAYER(FREQUENCY, 15, 15)                                                                                           \
    LAYER(COMMUNICATION, 16, 16)                                                                                       \
    LAYER(NPU_MEM, 17, 17)                                                                                             \
    LAYER(DDR, 18, 18)                                                                                                 \
    LAYER(ACC_PMU, 19, 19)                                                                                             \
    LAYER(HCCS, 20, 20)                                                                                                \
    LAYER(NIC, 21, 21)                                                                                                 \
    LAYER(ROCE, 22, 22)                                                                                                \
    LAYER(PCIE, 23, 23)                                                                                                \
    LAYER(HBM, 24, 24)                                                                                                 \
    LAYER(SOC_INFO, 25, 25)                                                                                            \
    LAYER(CHIP_TRANSMISSION, 26, 26)                                                                                   \
    LAYER(LLC, 27, 27)                                                                                                 \
    LAYER(SIO, 28, 28)                                                                                                 \
    LAYER(QOS, 29, 29)                                                                                                 \
    LAYER(CCU, 30, 16)                                                                                                 \
    LAYER(OVERLAP, 31, 31)                                                                                             \
    LAYER(BIU_STATE, 32, 32)                                                                                           \
    LAYER(UB, 33, 30)                                                                                                  \
    LAYER(BLOCK_DETAIL, 34, 34)                                                                                        \
    LAYER(FUSION, 35, 35)                                                                                              \
    LAYER(CORE_USE, 36, 33)                                                                                            \
    LAYER(BIU_PERF, 37, 8)                                                                                             \
    LAYER(MC2, 38, 9)                                                                                                  \
    LAYER(VOLTAGE, 39, 30)                                                                                             \
    LAYER(MSTX_MEMORY, 40, 25)                                                                                         \
    LAYER(ANSWERS, 41, 30)

#define LAYER_NUMBER(name, number, order) LAYER_##name = (number),
enum {
    TIMELINE_LAYERS(LAYER_NUMBER) LAYER_LAST_OF_VENDOR = LAYER_FUSION,
    LAYER_UNLISTED = 64 /* from here on: layers that have no number here */
};

static inline int layer_order(int64_t number)
{
#define LAYER_ORDER(name, number, order)                                                                               \
    case LAYER_##name:                                                                                                 \
        return order;
    switch (number) {
        TIMELINE_LAYERS(LAYER_ORDER)
    default:
        return 0;
    }
#undef LAYER_ORDER
}

struct series_report {
    const char *name;  /* of the file, and of the row in the manual: "nic"; NULL ends an array */
    const char *title; /* "Ports of the network" */
    const char *doc;   /* a sentence or two for the manual */
    unsigned families; /* FAMILY_...: of captures that have the table; 0: all that have the kind */
    const char *when;  /* NULL, or an expression; without it the table is not made */
    struct report_query query;
    const char *also; /* NULL, or another kind's table whose rows are rows here without any of the kind */
    const struct report_column *columns; /* NULL: no table */

    const char *layer;   /* its name in the file of --reports: "nic"; NULL: name */
    const char *process; /* what the timeline calls its process: "NIC"; several series may share one */
    int number;          /* LAYER_...; 0: one that no other layer has */
    int order;           /* of its process among those of a timeline, from the top; 0: that of the number */
    const struct series_counter *counters; /* ended by one without a name; NULL: nothing in the timeline */
};

/* A table of the database for viewers, which this project did not make: bytes, bytes a second, ns since 1970. */
enum exported_type {
    EXPORTED_INTEGER,
    EXPORTED_NUMERIC,
    EXPORTED_REAL,
    EXPORTED_WORD,         /* a text, which STRING_IDS gives a number */
    EXPORTED_NUMERIC_WORD, /* the same in a column of type NUMERIC */
};

struct exported_column {
    const char *name; /* NULL ends an array */
    const char *sql;  /* an expression over the rows of the query */
    enum exported_type type;
};

#define EXPORTED_MOST_COLUMNS 32

struct exported_table {
    const char *name; /* "HBM"; NULL ends an array */
    const struct exported_column *columns;
    struct report_query query;
};

/* Lists where they are used: VALUE_LIST({"Read(MB/s)", "read"}, {"Write(MB/s)", "write"}) of a counter, and so on;
 * series and tables for viewers are members of a kind. Those of one have no braces around it. */
#define LISTED(type, ...)                                                                                              \
    (const struct type[])                                                                                              \
    {                                                                                                                  \
        __VA_ARGS__,                                                                                                   \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }
#define VALUE_LIST(...) LISTED(report_column, __VA_ARGS__)
#define COUNTER_LIST(...) LISTED(series_counter, __VA_ARGS__)
#define EXPORTED_COLUMNS(...) LISTED(exported_column, __VA_ARGS__)
#define SEVERAL_SERIES(...) .series = LISTED(series_report, __VA_ARGS__)
#define EXPORTED_TABLES(...) .exported = LISTED(exported_table, __VA_ARGS__)
#define ONE_VALUE(...) VALUE_LIST({__VA_ARGS__})
#define ONE_COUNTER(...) COUNTER_LIST({__VA_ARGS__})
#define ONE_SERIES(...) SEVERAL_SERIES({__VA_ARGS__})
#define EXPORTED_TABLE(...) EXPORTED_TABLES({__VA_ARGS__})

#endif
