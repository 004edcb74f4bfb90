/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/options.h"

#include <limits.h>

#define ON(command) COMMAND_BIT(COMMAND_##command)
#define EVERYWHERE ON(ROOT)
#define ON_CLUSTER ON(CLUSTER)
#define ON_COLLECT ON(COLLECT)
#define ON_INFER ON(LAYOUT_INFER)
#define ON_TABLES (ON_INFER | ON(LAYOUT_CHECK))
#define ON_REPLAY ON(REPLAY)
#define ON_ADVISE ON(ADVISE)
#define ON_OPTIONS ON(OPTIONS)
#define ON_DIFF ON(DIFF)
#define ON_REPORT ON(REPORT)
#define ON_ANSWERS (ON(SHOW) | ON_DIFF | ON_ADVISE)
#define ON_FLAME ON(EXPORT_FLAME)
#define MEMBER(name) offsetof(struct settings, name)

/* Rows of the table: a flag, and options with a value of VALUE_..., a number of the range, one of the choices. Further
 * fields stand behind the help. */
#define FLAG(text, who, member, ...)                                                                                   \
    {                                                                                                                  \
        .name = text, .commands = who, .offset = MEMBER(member), .help = __VA_ARGS__                                   \
    }
#define VALUE(text, who, kind, shown, ...) FLAG(text, who, __VA_ARGS__, .type = VALUE_##kind, .argument = shown)
#define NUMBER(text, who, shown, least, most, ...)                                                                     \
    VALUE(text, who, NUMBER, shown, __VA_ARGS__, .minimum = least, .maximum = most)
#define CHOICE(text, who, shown, list, ...) VALUE(text, who, CHOICE, shown, __VA_ARGS__, .choices = list)

/* Each list is in the order of the enum that its index is stored as. */
static const char *const rule_type_choices[] = {"text", "db", NULL};
static const char *const color_choices[] = {"auto", "always", "never", NULL};
static const char *const table_choices[] = {"csv", "json", NULL};
static const char *const database_choices[] = {"pages", "plain", NULL};
static const char *const trace_choices[] = {"json", "json.gz", "pftrace", "pftrace-raw", NULL};
static const char *const flame_choices[] = {"collapsed", "svg", NULL};
static const char *const weight_choices[] = {"device", "host", "count", NULL};
static const char *const column_choices[] = {"guide", "vendor", NULL};
static const char *const switch_choices[] = {"on", "off", NULL};
const char *const option_collect_metrics[] = {
    "ArithmeticUtilization", "off",    "none",     "None",     "PipeUtilization",
    "ResourceConflictRatio", "Memory", "MemoryL0", "MemoryUB", "L2Cache",
    "MemoryAccess",          NULL};
static const char *const transfer_choices[] = {"upload", "nfs", NULL};
static const char *const record_size_choices[] = {"80", "72", NULL};
static const char *const report_choices[] = {"all", "timeline", "summary", "none", NULL};
static const char *const rounding_choices[] = {"any", "half", "cut", NULL};
static const char *const advice_choices[] = {"table", "json", "markdown", "html", NULL};
static const char *const page_choices[] = {"html", "markdown", NULL};
static const char *const severity_choices[] = {"high", "medium", "low", NULL};
static const char *const answer_choices[] = {"table", "json", "csv", "markdown", NULL};
static const char *const diff_choices[] = {"table", "json", "csv", "markdown", "html", NULL};
static const char *const subject_choices[] = {"op", "type", "shape", "layer", "stream", "step", "api", "line", NULL};
static const char *const options_choices[] = {"table", "json", NULL};
static const char *const manual_choices[] = {"commands", "reports", "samples", "answers", "tracks", "layers", NULL};
static const char *const kinds_choices[] = {"table", "json", "mdoc", NULL};

const struct option_spec option_table[] = {
    VALUE("collection-dir", COMMAND_IMPORTS | ON_REPORT | ON_TABLES, DIRECTORY, "DIR", captures,
          "a capture, or a directory that holds captures\n(JOB*, PROF*), as CAPTURE is; may be repeated",
          .aliases = {"dir"}, .vendor = "-dir", .repeatable = true),
    VALUE("output", COMMAND_IMPORTS, DIRECTORY, "DIR", output,
          "put sqlite/, timeline/, summary/ and log/ into DIR\ninstead of the capture (several captures: "
          "into\nDIR/<capture name>)"),
    VALUE("collection-dir", ON(ANALYSE), DIRECTORY, "DIR", captures,
          "a directory of a framework's profiler, or one that\nholds some, as DIR is; may be repeated",
          .aliases = {"dir"}, .vendor = "-dir", .repeatable = true),
    VALUE("output", ON(ANALYSE), DIRECTORY, "DIR", output,
          "put ASCEND_PROFILER_OUTPUT/ and sqlite/ into DIR\ninstead (several directories: into DIR/<name>)"),
    VALUE("rule", ON(ANALYSE), TEXT, "LIST", analyse.rules,
          "of captures (PROF_*) instead: communication,\ncommunication_matrix or both, into analyze/", .letter = 'r'),
    CHOICE("type", ON(ANALYSE), "text|db", rule_type_choices, analyse.rule_type,
           "with --rule: JSON files and the database, or the\ndatabase alone (text)"),
    FLAG("clear", ON(ANALYSE), clear, "with --rule: remove the database of the capture\nwhen the files are written"),
    VALUE("step-list", ON(ANALYSE), TEXT, "LIST", analyse.steps, "these steps only: 10,11,12",
          .aliases = {"step_list"}),
    VALUE("export", ON(ANALYSE), TEXT, "LIST", analyse.export_types, "text, db or both: text,db (text)"),
    FLAG("pretty", ON(ANALYSE), analyse.pretty, "indent JSON files"),
    FLAG("simplify", ON(ANALYSE), analyse.simplify,
         "when all is written, remove FRAMEWORK/ and what\nelse the results do not need"),
    FLAG("relative-times", ON(ANALYSE), analyse.relative_times,
         "trace_view.json with numbers since the start of\nthe capture instead of absolute times as strings"),
    FLAG("force", ON(ANALYSE), analyse.force, "replace an ASCEND_PROFILER_OUTPUT/ that msprof did\nnot write"),
    VALUE("cann-version", ON(ANALYSE), VERSION, "VERSION", cann_version,
          "use the names of this version of CANN, as in 8.2,\nor newest (the version that the capture says, "
          "else\nnewest)"),
    NUMBER("jobs", ON(ANALYSE), "N", 1, 256, analyse.jobs,
           "analyse N directories at the same time (as many\nas there are processors)"),
    VALUE("output", ON(CLUSTER), DIRECTORY, "DIR", output,
          "put cluster_analysis_output/ into DIR instead of\nthe directory of the ranks"),
    VALUE("ranks", ON_CLUSTER, TEXT, "LIST", cluster.ranks, "these ranks only: 0-63,128"),
    VALUE("step", ON_CLUSTER, TEXT, "LIST", cluster.steps, "these steps only: 10,12-14"),
    FLAG("detail", ON_CLUSTER, cluster.detail, "write every operator of every rank, as by itself\nup to 64 ranks"),
    FLAG("timeline", ON_CLUSTER, cluster.timeline,
         "instead write one timeline of up to 64 ranks, their\nhosts' clocks aligned by collectives"),
    NUMBER("jobs", ON_CLUSTER, "N", 1, 256, cluster.jobs,
           "read N ranks at the same time (as many as there\nare processors)"),
    VALUE("main", ON_COLLECT, FILE, "MAIN", collect.program,
          "the program to run on the board, in the out/\ndirectory of its project; with arguments, which can\nbe "
          "quoted: \"out/main -n 5 'a file'\" (required)",
          .letter = 'm'),
    VALUE("config", ON_COLLECT, FILE, "FILE", collect.config, "ini file with the section [ssh_config] (required)"),
    VALUE("board", ON_COLLECT, TEXT, "NAME", collect.boards,
          "use the section [ssh_config:NAME]; may be repeated:\nthe boards run side by side", .repeatable = true),
    NUMBER("interval", ON_COLLECT, "N", 0, 9999, collect.interval, "keep one sample every N inferences, 0: all (0)"),
    CHOICE("acl_api", ON_COLLECT, "on|off", switch_choices, collect.acl_api, "record the calls of the ACL API (on)",
           .aliases = {"acl-api"}),
    CHOICE("aacpu", ON_COLLECT, "on|off", switch_choices, collect.ai_cpu, "record the tasks of the AI CPU (on)",
           .aliases = {"aicpu"}),
    CHOICE("aac_metrics", ON_COLLECT, "ArithmeticUtilization|off|none", option_collect_metrics, collect.metrics,
           "events of the AI core to count; with any other\nset none are (ArithmeticUtilization)",
           .aliases = {"aic_metrics"}),
    CHOICE("switch", ON_COLLECT, "on|off", switch_choices, collect.profiling,
           "profile at all; off: only run the program (on)"),
    VALUE("output", ON_COLLECT, DIRECTORY, "DIR", output,
          "put the capture into DIR (<project>/profiling);\nseveral boards: into DIR/<board name>"),
    FLAG("all", ON_COLLECT, collect.all, "then import the capture, and export its timeline\nand summary"),
    VALUE("output", ON(RUN), DIRECTORY, "DIR", output,
          "put the captures into DIR, which is made when it\ndoes not exist (the working directory)"),
    CHOICE("reports", ON(RUN), "all|timeline|summary|none", report_choices, run.reports,
           "which reports to write into the captures (all);\nnone: neither reports nor a database"),
    VALUE("output", ON_INFER, FILE, "FILE", output, "write the layout into FILE (standard output)"),
    VALUE("tables", ON_TABLES, DIRECTORY, "DIR", layout.tables,
          "the tables that were printed of the capture (those\nin the capture itself)"),
    VALUE("kind", ON_INFER, TEXT, "KIND", layout.kind, "the records to look at, see 'msprof kinds'"),
    VALUE("frequency", ON_TABLES, MHZ, "MHZ", clock_khz, "of the AI core (info.json, or the tables' names)"),
    CHOICE("rounding", ON_TABLES, "any|half|cut", rounding_choices, layout.rounding,
           "how the tables' numbers were shortened (any)"),
    NUMBER("search-seconds", ON_INFER, "N", 0, 1000000, layout.search_seconds,
           "stop the search after N seconds and say what was not\ntried, 0: never (60)"),
    VALUE("set", ON_INFER, TEXT, "COLUMN=OFFSET:WIDTH[:BITS]", layout.sets,
          "a place that is known, BITS as FIRST-LAST; may be\nrepeated", .repeatable = true),
    VALUE("name", ON_INFER, TEXT, "NAME", layout.name, "of the layout (inferred-<size>)"),
    VALUE("exclude", ON_COLLECT, TEXT, "PATTERN", collect.exclude,
          "leave files of the project out whose name or path\nmatches PATTERN; may be repeated", .repeatable = true),
    CHOICE("transfer", ON_COLLECT, "upload|nfs", transfer_choices, collect.transfer,
           "how the project gets to the board (upload)"),
    VALUE("nfs-server", ON_COLLECT, TEXT, "ADDRESS", collect.nfs_server,
          "this machine's address for --transfer=nfs (the one\nthat the board is reached from)"),
    NUMBER("timeout", ON_COLLECT, "SECONDS", 0, 1000000, collect.timeout,
           "stop the program after SECONDS, 0: never (0)"),
    FLAG("keep", ON_COLLECT, collect.keep,
         "leave project and capture on the board: the next\nupload sends only what changed"),
    VALUE("fetch-only", ON_COLLECT, TEXT, "REMOTE_DIR", collect.fetch_only,
          "run nothing: fetch a capture, or all captures in a\ndirectory, of the board; what is here already "
          "is\nchecked and not sent again"),
    FLAG("remove-remote", ON_COLLECT, collect.remove_remote,
         "with --fetch-only: remove from the board what has\ncome home and was verified"),
    NUMBER("reconnect-seconds", ON_COLLECT, "SECONDS", 0, 1000000, collect.reconnect_seconds,
           "wait SECONDS for a board whose connection breaks\nduring a transfer (60)"),
    FLAG("take-over", ON_COLLECT, collect.take_over,
         "stop the program that a collect which is gone left\nrunning on the board; what it captured stays there"),
    FLAG("dry-run", ON_COLLECT, collect.dry_run, "print the plan step by step, do nothing"),
    FLAG("accept-new-host-key", ON_COLLECT, collect.accept_new_host_key,
         "take the host key of a board that is not known yet\nand keep it; a changed key is refused always"),
    VALUE("freq-mhz", COMMAND_IMPORTS | ON_REPORT | ON_COLLECT, MHZ, "N", clock_khz,
          "clock frequency, 0.001 to 100000 with up to three\ndecimals, when the capture does not say it"),
    VALUE("layout", COMMAND_IMPORTS | ON_REPORT | ON_COLLECT | ON(KINDS), FILE, "FILE", layouts,
          "read record layouts from FILE, see msprof-records(5);\nmay be repeated, the last one wins",
          .repeatable = true),
    CHOICE("database", COMMAND_IMPORTS | ON_REPORT | ON_COLLECT, "pages|plain", database_choices, database_way,
           "fill long tables of the database page by page, or\nall by SQLite, which takes longer (pages)"),
    CHOICE("format", ON(EXPORT_SUMMARY), "csv|json", table_choices, table_format, "format of the tables (csv)"),
    CHOICE("format", ON(EXPORT_TIMELINE) | ON_CLUSTER, "json|json.gz|pftrace|pftrace-raw", trace_choices,
           timeline.format, "format of the timelines: JSON, or Perfetto's own,\ncompressed or faster to write (json)"),
    VALUE("split", ON(EXPORT_TIMELINE), TEXT, "PARTS", timeline.split,
          "several files: time=10s, size=200MB, or iteration,\nwhich is one for each step; at most 1000"),
    VALUE("from", ON(EXPORT_TIMELINE), TEXT, "TIME", timeline.from,
          "only what is still there then, or comes later: 1.5s,\n20ms, 7us, since the start of the capture"),
    VALUE("until", ON(EXPORT_TIMELINE), TEXT, "TIME", timeline.until, "only what begins before it"),
    CHOICE("format", ON_REPORT, "html|markdown", page_choices, report.format,
           "a page, or its text for merge requests (html)"),
    CHOICE("format", ON_FLAME, "collapsed|svg", flame_choices, flame.format,
           "a line for each stack, or a picture (collapsed)"),
    CHOICE("weight", ON_FLAME, "device|host|count", weight_choices, flame.weight,
           "what stacks are measured by: time of devices, time\nof the host, executions of operators (device)"),
    CHOICE("columns", ON(EXPORT_SUMMARY), "guide|vendor", column_choices, columns,
           "columns as in the vendor's guide, or as the vendor's\ntool really prints them (guide)"),
    VALUE("report-file", ON(EXPORT_SUMMARY) | ON(SHOW), FILE, "FILE", report_files,
          "make the report of your own that FILE describes too,\nsee msprof-report(5); may be repeated",
          .repeatable = true),
    NUMBER("report-seconds", ON(EXPORT_SUMMARY) | ON(SHOW), "N", 0, 1000000, report_seconds,
           "stop the query of a report of your own after N\nseconds, 0: never (60)"),
    FLAG("spreadsheet-safe", ON(EXPORT_SUMMARY), spreadsheet_safe,
         "of CSV: an apostrophe before names that a spreadsheet\nwould run as a formula (=, +, -, @)"),
    FLAG("cluster", ON(IMPORT), of_cluster,
         "the captures of a directory are those of a cluster:\nall are imported, as without it"),
    FLAG("clear", ON(EXPORT), clear, "remove the database when the reports are written"),
    FLAG("stable-names", ON(EXPORT), stable_names, "names of reports without the time of the export:\nop_summary.csv"),
    FLAG("merge", ON(EXPORT_SUMMARY) | ON(EXPORT_TIMELINE), merge,
         "make one result of several CANN captures of one run,\nin --output"),
    VALUE("cann-version", ON(EXPORT), VERSION, "VERSION", cann_version,
          "of CANN captures: use the names of this version of\nCANN, as in 8.2, or newest (the version that "
          "the\ncapture says, else newest)"),
    FLAG("trace-compat", ON(EXPORT_TIMELINE), trace_compat,
         "write timelines as the vendor's tool does: of CANN\nwith times as strings, of boards with monotonic times"),
    VALUE("reports", ON(EXPORT_TIMELINE), FILE, "FILE", reports,
          "write only the layers of CANN timelines that are\ntrue in this JSON file, or named here with commas;\nall: "
          "every layer; of other captures steps, gaps,\nutilisation and core_units, as a further timeline",
          .vendor = "-reports", .offer = OFFER_LAYERS),
    FLAG("report", ON(VIEW), view.report, "the page of 'msprof report' instead"),
    VALUE("viewer", ON(VIEW), TEXT, "ADDRESS", view.viewer, "a Perfetto of your own (https://ui.perfetto.dev)"),
    NUMBER("port", ON(VIEW), "N", 0, 65535, view.port, "the port of 127.0.0.1 (0: a free one)"),
    FLAG("no-browser", ON(VIEW), view.no_browser, "print the address, and start no browser"),
    NUMBER("model-id", ON(EXPORT_SUMMARY) | ON(EXPORT_TIMELINE), "N", 0, INT_MAX, model_id,
           "of CANN captures: the model whose iterations are\nreported (all; before 2023 the first that has any)"),
    NUMBER("iteration-id", ON(EXPORT_SUMMARY) | ON(EXPORT_TIMELINE), "N", 1, INT_MAX, iteration_id,
           "of CANN captures: the iteration that is reported\n(all; before 2023 1)"),
    NUMBER("iteration-count", ON(EXPORT_SUMMARY) | ON(EXPORT_TIMELINE), "N", 1, INT_MAX, iteration_count,
           "how many iterations from there on (1)"),
    NUMBER("id", ON(QUERY), "N", QUERY_EVERY_DEVICE, INT_MAX, device_id, "rows of this device only; -1: of all (-1)"),
    NUMBER("data-type", ON(QUERY), "N", 0, 10, data_type,
           "what is asked for, by the vendor's number: 0 whether\nthe captures are those of a cluster, as JSON; 1 "
           "the\niterations (jobs)"),
    NUMBER("model-id", ON(QUERY), "N", 0, INT_MAX, model_id, "rows of this model only (all)"),
    NUMBER("iteration-id", ON(QUERY), "N", 1, INT_MAX, iteration_id,
           "iterations of this number, as with --data-type 1"),
    NUMBER("fd", ON_REPLAY, "N", 0, INT_MAX, replay.fd,
           "the descriptor to write the records into, opened by\nwhoever starts msprof (required)"),
    VALUE("speed", ON_REPLAY, SPEED, "X", replay.speed,
          "times the pace of the capture, 0.001 to 1000000; 0\nor max: as fast as the reader reads (1)"),
    VALUE("names", ON_REPLAY, FILE, "FILE", replay.names,
          "first write the table of operator names into FILE,\nfor MSPROF_OP_NAMES of the reader"),
    NUMBER("model-id", ON_REPLAY, "N", 0, INT_MAX, model_id,
           "operators of this model only; those of captures that\ndo not name models are given it (all)"),
    CHOICE("record-size", ON_REPLAY, "80|72", record_size_choices, replay.record_size,
           "bytes of a record: of the newest collectors, or of\nthose before 2025 (80)"),
    NUMBER("first-index", ON_REPLAY, "N", 1, INT_MAX, replay.first_index,
           "the number of the first operator, when several\nreplays have one reader (1)"),
    NUMBER("width", ON(SHOW) | ON_DIFF, "N", 0, 100000, width,
           "fit the tables into N columns, 0: no limit (the\nterminal's width; no limit when piped)"),
    NUMBER("top", ON(SHOW), "N", 1, 100000, top,
           "how many rows of --table, or of the longest of CANN\ncaptures (20; all rows in other formats than table)"),
    VALUE("step-range", ON_ANSWERS | ON_REPORT, TEXT, "NAME", step_range,
          "every range of the program, or call, of this name is\na step"),
    VALUE("peak-flops", ON(SHOW) | ON_REPORT, AMOUNT, "TFLOP/s", peak_flops,
          "the most that the chip calculates: a roof of the\nroofline"),
    VALUE("peak-bandwidth", ON(SHOW) | ON_REPORT, AMOUNT, "GB/s", peak_bandwidth,
          "the most that its memory moves: the other roof"),
    FLAG("no-pager", ON_ANSWERS, no_pager, "print without $PAGER"),
    VALUE("table", ON(SHOW), TEXT, "NAME", show.table,
          "this table only; 'list' prints the names of all\nthat the capture can have, and ids of their columns",
          .offer = OFFER_TABLES),
    VALUE("sort", ON(SHOW), TEXT, "COLUMN[,desc]", show.sort, "order of the rows of --table", .offer = OFFER_COLUMNS),
    VALUE("filter", ON(SHOW), TEXT, "CONDITION", show.filters,
          "rows of --table: 'name~GLOB', 'total>100us';\nmay be repeated, all must hold", .offer = OFFER_COLUMNS,
          .repeatable = true),
    VALUE("columns", ON(SHOW), TEXT, "COLUMN,...", show.columns, "columns of --table by their ids, in this order",
          .offer = OFFER_COLUMNS),
    CHOICE("format", ON(SHOW), "table|csv|json|markdown", answer_choices, show.format, "format of --table (table)"),
    CHOICE("format", ON_ADVISE, "table|json|markdown|html", advice_choices, advise.format,
           "format of the findings (table)"),
    CHOICE("fail-on", ON_ADVISE, "high|medium|low", severity_choices, advise.fail_on,
           "end with status 6 when there is a finding as\nsevere as this, or more"),
    VALUE("threshold", ON_ADVISE, TEXT, "RULE:PERCENT", advise.thresholds, "another limit for a rule; may be repeated",
          .offer = OFFER_RULES, .repeatable = true),
    FLAG("list", ON_ADVISE, advise.list, "tell the rules and their limits"),
    VALUE("output", ON_REPORT, FILE, "FILE", report.page,
          "write the page into FILE (report.html in the working\ndirectory)", .letter = 'o'),
    VALUE("results", ON_REPORT, DIRECTORY, "DIR", output,
          "put sqlite/ and log/ into DIR instead of the\ncapture (several captures: into DIR/<capture name>)"),
    FLAG("redact", ON_REPORT, report.redact, "replace names by hashes: of captures, operators,\nmodels, files, ranges"),
    VALUE("diff", ON_REPORT, FILE, "BASE", report.base,
          "tell what changed against BASE, a capture or a\nbaseline, too"),
    VALUE("base", ON_DIFF, FILE, "CAPTURE", diff.base, "a capture to compare with, or a baseline; may be\nrepeated",
          .repeatable = true),
    VALUE("new", ON_DIFF, FILE, "CAPTURE", diff.new_side, "a capture that is compared, or a baseline; may be\nrepeated",
          .repeatable = true),
    VALUE("gate", ON_DIFF, TEXT, "METRIC:LIMIT", diff.gates,
          "what must hold, else the exit status is 6:\nstep_time:+3%, 'op:*:+10%', aicpu:=0; may be\nrepeated",
          .offer = OFFER_METRICS, .repeatable = true),
    CHOICE("by", ON_DIFF, "op|type|shape|layer|stream|step|api|line", subject_choices, diff.by,
           "what a row of the comparison is (op)"),
    NUMBER("top", ON_DIFF, "N", 1, 100000, diff.top,
           "how many rows are shown; the others are added up\n(20; all in JSON and CSV)"),
    CHOICE("format", ON_DIFF, "table|json|csv|markdown|html", diff_choices, diff.format,
           "format of the result (table)"),
    VALUE("save", ON_DIFF, FILE, "FILE", diff.save,
          "write a baseline of the --base captures, which\nstands for them later, and compare nothing"),
    VALUE("min-change", ON_DIFF, PERCENT, "PERCENT", diff.least_change, "changes of a row up to this are none (1)"),
    VALUE("min-share", ON_DIFF, PERCENT, "PERCENT", diff.least_share,
          "changes of a total up to this share of the step\nare none (0.01)"),
    VALUE("drift", ON_DIFF, PERCENT, "PERCENT", diff.drift,
          "by how much runs of one program differ where too\nfew captures are given to measure it (1)"),
    FLAG("allow-incomparable", ON_DIFF, diff.allow_incomparable, "let captures that are too different pass"),
    NUMBER("chip", ON_OPTIONS, "N", 0, 16, options.chip,
           "what comes of them on this chip, platform_version\nof info.json (all)"),
    CHOICE("format", ON_OPTIONS, "table|json", options_choices, options.format, "format of the answer (table)"),
    CHOICE("format", ON(DOCTOR), "table|json", options_choices, doctor_format, "format of the report (table)"),
    CHOICE("format", ON(KINDS), "table|json|mdoc", kinds_choices, kinds_format, "format of the list (table)"),
    FLAG("options", ON(HELP), list_options,
         "list every option for programs: command, spelling,\nargument, separated by tabs"),
    CHOICE("manual", ON(HELP), "commands|reports|samples|answers|tracks|layers", manual_choices, manual_rows,
           "print these rows of the manual, which are made of\nthe program's tables"),
    FLAG("quiet", EVERYWHERE, quiet, "errors only", .letter = 'q'),
    FLAG("verbose", EVERYWHERE, verbose, "tell each step, and every cause of an error", .letter = 'v'),
    FLAG("strict", EVERYWHERE, strict, "take the first data problem as a failure"),
    CHOICE("color", EVERYWHERE, "auto|always|never", color_choices, color,
           "colors on a terminal, always or never (auto)"),
    FLAG("help", EVERYWHERE, help, "print this help", .letter = 'h'),
    FLAG("version", EVERYWHERE, version, "print the version"),
};
const size_t option_count = sizeof option_table / sizeof option_table[0];
