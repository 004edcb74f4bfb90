/* SPDX-License-Identifier: Apache-2.0 */
/* The option table: parsing, help, completion and the check of the manual all come from it. */
#ifndef MSPROF_CLI_OPTIONS_OPTIONS_H
#define MSPROF_CLI_OPTIONS_OPTIONS_H

#include "base/err.h"
#include "cli/command.h"
#include "cli/offer.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The i-th of words with bars between; NULL behind the last. */
const char *choice_word(const char *choices, int i, size_t *ret_length);
/* Which of them a word is; -1: none. */
int choice_find(const char *choices, const char *word);

/* The words, ascending, with blanks between. */
void offers_put(FILE *stream, enum offer offer);

/* First tries of people who know another tool, or this one not yet: which command they meant. */

/* Adds a hint to an error about a file that was given as a capture: to unpack it, or where it lies. */
void options_hint_of_file(const char *path, struct err *err);

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
enum kinds_format { KINDS_TABLE, KINDS_JSON, KINDS_MDOC };

/* Values of an option that may be given several times; they point into argv. */
struct value_list {
    const char **values;
    size_t count, capacity;
};

enum transfer_mode { TRANSFER_UPLOAD, TRANSFER_NFS };

/* The words of --aac_metrics: boards' own, none, and from COLLECT_METRICS_FOREIGN on those of other chips. */
#define COLLECT_METRICS                                                                                                \
    "ArithmeticUtilization|off|none|None|PipeUtilization|ResourceConflictRatio|Memory|MemoryL0|MemoryUB|L2Cache|"      \
    "MemoryAccess"
#define COLLECT_METRICS_FOREIGN 4

/* In the order of --format of cluster: those of tables, as show has them, then those of timelines. */
enum cluster_format {
    CLUSTER_TABLE,
    CLUSTER_CSV,
    CLUSTER_JSON,
    CLUSTER_MARKDOWN,
    CLUSTER_JSON_GZ,
    CLUSTER_PFTRACE,
    CLUSTER_PFTRACE_RAW
};

enum replay_record_size { REPLAY_RECORDS_80, REPLAY_RECORDS_72 };

#define FAIL_ON_NOTHING (-1)

enum report_choice { REPORTS_ALL, REPORTS_TIMELINE, REPORTS_SUMMARY, REPORTS_NONE };

enum rule_type { RULE_TYPE_TEXT, RULE_TYPE_DB };

/* Settings of the command line. */
struct settings {
    enum command_id command;
    char **operands; /* ended by NULL; the texts are argv's */
    int operand_count;
    const char *sought; /* hint about a directory in which no captures are; NULL: any captures were sought */

    bool help, version, quiet, verbose, strict;
    int color; /* enum color_mode */

    struct value_list captures;     /* --collection-dir, and operands of commands that work on captures */
    bool by_vendor_dir;             /* they were named in the vendor's spelling, -dir */
    struct value_list layouts;      /* --layout */
    struct value_list report_files; /* --report-file */
    int64_t report_seconds;         /* --report-seconds */
    const char *output;             /* NULL: into the capture */
    int64_t clock_khz;              /* --freq-mhz in thousandths; 0: not given */
    int database_way;               /* enum database_way */
    bool with_warm_up;              /* --with-warm-up */
    bool import_again;              /* import --force */
    int depth;                      /* --depth: levels that are searched for captures; 0: not given */
    int jobs;                       /* captures, directories or ranks at the same time; 0: not given */

    const char *reports; /* --reports; NULL: not given */
    int table_format;    /* enum table_format */
    int columns;         /* enum column_set */
    bool of_cluster;     /* import --cluster, which changes nothing: a directory's captures are imported all */
    int cann_version;    /* --cann-version; CANN_VERSION_OF_CAPTURE: what the capture says */
    bool trace_compat, clear, stable_names, spreadsheet_safe, merge;
    int64_t model_id;    /* -1: not given */
    int iteration_id;    /* 0: not given */
    int iteration_count; /* 0: not given */
    int device_id;       /* query --id; QUERY_EVERY_DEVICE: all */
    int data_type;       /* query --data-type; -1: not given */
    int kinds_format;    /* enum kinds_format */
    int doctor_format;   /* index of {"table", "json"} */
    int width;           /* WIDTH_DEFAULT, or columns; 0: no limit */
    int top;             /* rows of the longest; 0: not given */
    bool no_pager;
    int titles;             /* index of {"local", "en"} */
    const char *step_range; /* NULL: not given */
    struct window_settings {
        const char *step, *from, *until; /* NULL: not given */
    } window;
    int64_t peak_flops;     /* --peak-flops in GFLOP/s; 0: not given */
    int64_t peak_bandwidth; /* --peak-bandwidth in MB/s; 0: not given */

    bool list_options; /* help --options */
    int manual_rows;   /* help --manual: enum manual_rows; -1: not given */

    struct collect_settings {
        const char *program; /* --main, with its arguments */
        const char *config;
        struct value_list boards, exclude;
        int interval;
        int acl_api, ai_cpu, profiling; /* indexes of {"on", "off"} */
        int metrics;
        int transfer; /* enum transfer_mode */
        const char *nfs_server;
        int timeout;            /* seconds; 0: none */
        const char *fetch_only; /* a directory of the board; NULL: run a program */
        int reconnect_seconds;
        bool all, keep, dry_run, accept_new_host_key, remove_remote, take_over;
    } collect;
    struct replay_settings {
        int fd;        /* -1: not given */
        int64_t speed; /* thousandths of the capture's pace; 0: as fast as it goes */
        const char *names;
        int record_size; /* enum replay_record_size */
        int first_index;
    } replay;
    struct run_settings {
        int reports;              /* enum report_choice */
        const char *mstx_domains; /* names, divided by commas; NULL: all */
    } run;
    struct cluster_settings {
        const char *ranks, *steps;
        bool detail, timeline;
        int format; /* enum cluster_format */
    } cluster;
    struct analyse_settings {
        const char *steps, *export_types;
        bool pretty, simplify, force, relative_times;
        const char *rules;  /* --rule; NULL: frameworks' directories are analysed */
        unsigned rule_mask; /* the same as bits of enum communication_kind */
        int rule_type;      /* enum rule_type */
    } analyse;
    struct layout_settings {
        const char *kind, *tables, *name; /* NULL: not given */
        int rounding;                     /* enum infer_rounding */
        int64_t search_seconds;           /* --search-seconds */
        struct value_list sets;
    } layout;
    struct diff_settings {
        struct value_list base, new_side, gates;
        int by;     /* enum subject */
        int format; /* enum diff_format */
        int top;    /* rows; 0: not given */
        const char *save;
        int64_t least_change, least_share, drift; /* thousandths of percent */
        bool allow_incomparable;
    } diff;
    struct advise_settings {
        struct value_list thresholds;
        int format;  /* enum advice_format */
        int fail_on; /* index of {"high", "medium", "low"}; FAIL_ON_NOTHING */
        bool list;
    } advise;
    struct report_settings {
        const char *page;   /* NULL: report.html, report.md */
        int format;         /* index of {"html", "markdown"} */
        int print;          /* index of {"answers", "all"} */
        const char *base;   /* --diff; NULL: not given */
        const char *source; /* --source; NULL: not given */
        bool redact;
    } report;
    struct timeline_settings {
        int format;                       /* enum trace_format */
        const char *split, *from, *until; /* NULL: not given */
    } timeline;
    struct view_settings {
        const char *viewer; /* NULL: Perfetto's */
        const char *ui;     /* a directory; NULL: not given */
        int port;           /* 0: any */
        bool report, perfetto, no_browser;
    } view;
    struct flame_settings {
        int weight; /* enum flame_weight */
        int format; /* index of {"collapsed", "svg"} */
    } flame;
    struct options_settings {
        int chip;   /* -1: not given */
        int format; /* enum options_format */
        bool op;    /* --op */
    } options;
    const char *root; /* of msprof mcp; NULL: the working directory */
    struct show_settings {
        struct value_list tables; /* --table, each by itself */
        const char *table;        /* the one that is shown; NULL: those that a capture has by default */
        const char *sql;          /* of msprof sql, the table's query; NULL: a table that msprof or a file has */
        bool joint;               /* it is asked over several captures at once (db/joint.h) */
        const char *sort, *columns;
        const char *opprof; /* --opprof; NULL: not given */
        struct value_list filters;
        bool without_rows; /* --all */
        int format;        /* index of {"table", "csv", "json", "markdown"} */
    } show;
};

#define QUERY_EVERY_DEVICE (-1)
#define WIDTH_DEFAULT (-1)
#define CANN_VERSION_OF_CAPTURE (-1)
#define TOP_DEFAULT 20
#define TITLES_ENGLISH 1 /* --titles en */

/* Type of an option's value: how it is stored, and what completion offers. */
enum value_type {
    VALUE_NONE,      /* a flag */
    VALUE_CHOICE,    /* one of choices, stored as its index */
    VALUE_DIRECTORY, /* text */
    VALUE_FILE,      /* text */
    VALUE_TEXT,      /* text that names no file */
    VALUE_NUMBER,    /* minimum..maximum */
    VALUE_MODEL,     /* the number of a model: 0..4294967295, stored as int64_t */
    VALUE_MHZ,       /* decimal with up to three places, stored in thousandths */
    VALUE_AMOUNT,    /* the same in what the argument is called */
    VALUE_SPEED,     /* the same from 0, or "max" for 0 */
    VALUE_VERSION,   /* of CANN, stored as db/query/cann_version.h has it */
    VALUE_PERCENT,   /* decimal from 0 to 100 with up to three places, stored in thousandths */
};

struct option_spec {
    const char *name;       /* "collection-dir" */
    char letter;            /* 0: none */
    const char *aliases[2]; /* further names with two dashes */
    const char *vendor;     /* a word that the vendor's tool takes for it: "-dir" */
    unsigned commands;      /* COMMAND_BIT of each command that takes it; its subcommands take it too */
    enum value_type type;
    const char *argument; /* name of the value in the help; NULL for flags */
    const char *choices;  /* words with bars between */
    enum offer offer;     /* of VALUE_TEXT */
    int minimum, maximum; /* of VALUE_NUMBER */
    bool repeatable;      /* stored into a struct value_list */
    bool is_output;       /* of VALUE_FILE: it is written */
    size_t offset;        /* of its member of struct settings */
    const char *help;     /* lines of at most 50 characters, without a final newline */
};

#define COMMAND_BIT(id) (1U << (id))
#define COMMAND_IMPORTS (1U << 31) /* every command with .imports */

extern const struct option_spec option_table[];
extern const size_t option_count;

/* Whether an option is a command's own, and not that of one above it. */
bool option_is_of(const struct option_spec *option, enum command_id command);

/* Whether a command takes an option. */
bool option_applies(const struct option_spec *option, enum command_id command);

/* The option of a command that a word of the command line is, or whose letter it begins with; NULL: none. */
const struct option_spec *option_of_word(enum command_id command, const char *word);

/* Whether an earlier row has the same name, for other commands. */
bool option_is_repeated(const struct option_spec *option);

/* The i-th spelling of an option with its dashes in buffer: "-h", "--help", aliases, vendor spelling; NULL after the
 * last. buffer has OPTION_SPELLING_SIZE bytes. */
#define OPTION_SPELLING_SIZE 40

const char *option_spelling(const struct option_spec *option, size_t i, char *buffer);

/* Every spelling of every option that a command takes (COMMAND_COUNT: that any does):
 * for (struct option_walk walk = {.command = id}; option_walk_next(&walk);) */
struct option_walk {
    enum command_id command;
    size_t row, next; /* in the table, of its spellings */
    const struct option_spec *option;
    const char *spelling;
    char buffer[OPTION_SPELLING_SIZE];
};
bool option_walk_next(struct option_walk *walk);

/* Whether a directory is a capture itself. */
/* Fails because a command lacks a capture. Names the right form if --output has one, as in the vendor's command. */
int options_no_capture(const struct settings *settings, struct err *err);
bool options_is_capture(const char *directory);

void settings_init(struct settings *settings);
void settings_release(struct settings *settings);

/* Reads the command line. Stops at --help and --version. -ERR_USAGE says what is wrong in one cause; settings->command
 * is then the command that was being read. */
int options_parse(struct settings *settings, int argc, char **argv, struct err *err);

#endif
