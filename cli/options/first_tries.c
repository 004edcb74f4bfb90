/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options/first_tries.h"

#include "base/language.h"

#include <string.h>
#include <strings.h>

struct first_try {
    const char *typed, *command;
};

static const struct first_try root_words[] = {
    {"summary", "msprof export summary CAPTURE"},
    {"csv", "msprof export summary CAPTURE"},
    {"timeline", "msprof export timeline CAPTURE"},
    {"trace", "msprof export timeline CAPTURE"},
    {"db", "msprof export db CAPTURE"},
    {"flamegraph", "msprof export flame CAPTURE"},
    {"convert", "msprof export timeline CAPTURE"},
    {"open", "msprof view CAPTURE"},
    {"ui", "msprof view CAPTURE"},
    {"gui", "msprof view CAPTURE"},
    {"serve", "msprof view CAPTURE"},
    {"browse", "msprof tui CAPTURE"},
    {"ls", "msprof show CAPTURE --table list"},
    {"list", "msprof show CAPTURE --table list"},
    {"ops", "msprof show CAPTURE --table ops"},
    {"info", "msprof show CAPTURE"},
    {"stat", "msprof show CAPTURE"},
    {"dump", LANGUAGE_MARK("msprof sql CAPTURE 'SELECT ...', or msprof show CAPTURE --table NAME --format csv")},
    {"version", "msprof --version"},
    {"auto-completion", "msprof completion bash|zsh|fish"},
    {"analyze", "msprof advise CAPTURE"},
    {"analyse", "msprof advise CAPTURE"},
    {"parse", "msprof import CAPTURE"},
    {"decode", "msprof import CAPTURE"},
    {"record", "msprof run -- PROGRAM"},
    {"profile", "msprof run -- PROGRAM"},
    {"start", "msprof run -- PROGRAM"},
    {"stop", LANGUAGE_MARK("msprof run -- PROGRAM, which ends with its program")},
    {"launch", "msprof run -- PROGRAM"},
    {"dynamic", "msprof run -- PROGRAM"},
    {"report", FIRST_TRY_EXPORTS},
    {"stats", "msprof show CAPTURE"},
    {"status", "msprof show CAPTURE"},
    {"print", "msprof show CAPTURE"},
    {"top", "msprof show CAPTURE --table ops"},
    {"annotate", LANGUAGE_MARK("msprof show OPPROF_DIR, or msprof show CAPTURE --table bound")},
    {"script", LANGUAGE_MARK("msprof sql CAPTURE 'SELECT ...', or msprof show CAPTURE --table NAME --format csv")},
    {"kernels", "msprof show CAPTURE --table ops"},
    {"gaps", "msprof show CAPTURE --table gaps"},
    {"memory", "msprof show CAPTURE --table list"},
    {"tables", "msprof show CAPTURE --table list"},
    {"perfetto", "msprof export timeline CAPTURE --format pftrace"},
    {"html", "msprof report CAPTURE"},
    {"json", FIRST_TRY_EXPORTS},
    {"xlsx", "msprof export summary CAPTURE --spreadsheet-safe"},
    {"excel", "msprof export summary CAPTURE --spreadsheet-safe"},
    {"flame", "msprof export flame CAPTURE"},
    {"merge", "msprof cluster DIR --timeline"},
    {"validate", LANGUAGE_MARK("msprof options FILE, or msprof doctor CAPTURE")},
    {"check", "msprof doctor CAPTURE"},
    {"compare", "msprof diff CAPTURE CAPTURE"},
    {"compare_tools", "msprof diff CAPTURE CAPTURE"},
    {"advisor", "msprof advise CAPTURE"},
    {"communication", "msprof show CAPTURE --table communication_statistic"},
    {"roofline", "msprof show CAPTURE --table bound"},
    {"monitor",
     LANGUAGE_MARK("npu-smi info watch, which shows a running device; msprof show CAPTURE shows what was recorded")},
    {"watch",
     LANGUAGE_MARK("npu-smi info watch, which shows a running device; msprof show CAPTURE shows what was recorded")},
    {"smi", LANGUAGE_MARK("npu-smi info, which shows a running device; msprof show CAPTURE shows what was recorded")},
    {"npu-smi",
     LANGUAGE_MARK("npu-smi info, which shows a running device; msprof show CAPTURE shows what was recorded")},
    {"attach", LANGUAGE_MARK("msprof run -- PROGRAM: it records a program from its start")},
    {"nputrace", LANGUAGE_MARK("msprof options FILE, with options of PyTorch's profiler")},
    {"dyno", LANGUAGE_MARK("msprof options FILE, with options of PyTorch's profiler")},
    {"ais_bench", LANGUAGE_MARK("msprof show PROF_DIR, which ais_bench --profiler 1 writes")},
    {"benchmark", LANGUAGE_MARK("msprof show PROF_DIR, which ais_bench --profiler 1 writes")},
    {"mstx", LANGUAGE_MARK("msprof run -- PROGRAM; msprof show CAPTURE --table msprof_tx")},
    {"config", "msprof options FILE"},
    {"acl.json", "msprof options acl.json"},
    {"tensorboard", "msprof view CAPTURE"},
    {"web", "msprof view CAPTURE"},
    {"viewer", "msprof view CAPTURE"},
    {"insight", LANGUAGE_MARK("msprof export db CAPTURE, which MindStudio Insight opens")},
    {"clean",
     LANGUAGE_MARK(
         "msprof import CAPTURE --force, which imports anew; the database is the file sqlite/runtime.db of CAPTURE")},
    {"clear",
     LANGUAGE_MARK(
         "msprof import CAPTURE --force, which imports anew; the database is the file sqlite/runtime.db of CAPTURE")},
    {"msprof", LANGUAGE_MARK("msprof COMMAND: the program's name is typed once")},
    {"msprof-analyze", LANGUAGE_MARK("msprof cluster DIR, or msprof advise CAPTURE")},
    {NULL, NULL},
};

/* Words behind 'msprof export'. */
static const struct first_try export_words[] = {
    {"all", FIRST_TRY_EXPORTS},
    {"text", FIRST_TRY_EXPORTS},
    {"csv", "msprof export summary CAPTURE"},
    {"json", FIRST_TRY_EXPORTS},
    {"xlsx", "msprof export summary CAPTURE --spreadsheet-safe"},
    {"excel", "msprof export summary CAPTURE --spreadsheet-safe"},
    {"trace", "msprof export timeline CAPTURE"},
    {"chrome", "msprof export timeline CAPTURE"},
    {"perfetto", "msprof export timeline CAPTURE --format pftrace"},
    {"pftrace", "msprof export timeline CAPTURE --format pftrace"},
    {"html", "msprof report CAPTURE"},
    {"report", "msprof report CAPTURE"},
    {"sqlite", "msprof export db CAPTURE"},
    {"database", "msprof export db CAPTURE"},
    {"flamegraph", "msprof export flame CAPTURE"},
    {"timeline,summary", FIRST_TRY_EXPORTS},
    {"summary,timeline", FIRST_TRY_EXPORTS},
    {NULL, NULL},
};

/* Switches of Ascend's msprof, and what -dir is mistaken for. */
static const struct first_try any_options[] = {
    {"--application", "msprof run -- PROGRAM [ARGUMENT]..."},
    {"--export", FIRST_TRY_EXPORTS},
    {"--analyze", FIRST_TRY_EXPORTS},
    {"--parse", "msprof import CAPTURE"},
    {"--query", "msprof query CAPTURE"},
    {"--input", "msprof import CAPTURE"},
    {"-i", LANGUAGE_MARK("the capture's path alone, without an option")},
    {"--trace", "msprof export timeline CAPTURE"},
    {"-d", LANGUAGE_MARK("-dir CAPTURE, or the capture's path alone")},
    {"-m", LANGUAGE_MARK("msprof cluster DIR, or msprof collect -m PROGRAM --config FILE")},
    {"-V", "msprof --version"},
    {"--stats", "msprof show CAPTURE"},
    {"--list", "msprof show CAPTURE --table list"},
    {"--list-tables", "msprof show CAPTURE --table list"},
    {"--tables", "msprof show CAPTURE --table list"},
    {"--xlsx", "msprof export summary CAPTURE --spreadsheet-safe"},
    {"--excel", "msprof export summary CAPTURE --spreadsheet-safe"},
    {NULL, NULL},
};

/* Those of msprof-analyze. */
static const struct first_try cluster_options[] = {
    {"-m", LANGUAGE_MARK("msprof cluster DIR, which writes every recipe that it has")},
    {"--mode", LANGUAGE_MARK("msprof cluster DIR, which writes every recipe that it has")},
    {"-d", "msprof cluster DIR"},
    {"--profiling_path", "msprof cluster DIR"},
    {"--profiling-path", "msprof cluster DIR"},
    {"--export_type", "msprof cluster DIR"},
    {"--export-type", "msprof cluster DIR"},
    {"--parallel_mode", "msprof cluster DIR --jobs N"},
    {"--parallel-mode", "msprof cluster DIR --jobs N"},
    {"--rank_list", "--ranks LIST"},
    {"--rank-list", "--ranks LIST"},
    {"--step_id", "--step LIST"},
    {"--step-id", "--step LIST"},
    {"--force", "msprof cluster DIR"},
    {"--data_simplification", "msprof cluster DIR"},
    {"-o", "msprof cluster DIR --output RESULTS"},
    {"--output_path", "msprof cluster DIR --output RESULTS"},
    {NULL, NULL},
};

/* Those of one other command each. */
static const struct {
    enum command_id command;
    const char *typed, *form;
} own_options[] = {
    {COMMAND_ROOT, "-dir", "msprof show CAPTURE"},
    {COMMAND_ROOT, "--dir", "msprof show CAPTURE"},
    {COMMAND_ROOT, "-o", "msprof report CAPTURE -o FILE"},
    {COMMAND_ROOT, "-t", "msprof show CAPTURE --table NAME"},
    {COMMAND_ROOT, "-i", "msprof show CAPTURE"},
    {COMMAND_ROOT, "--cluster", "msprof cluster DIR"},
    {COMMAND_ROOT, "--profiler", LANGUAGE_MARK("msprof show PROF_DIR, which ais_bench --profiler 1 writes")},
    {COMMAND_EXPORT, "--type", LANGUAGE_MARK(FIRST_TRY_EXPORTS ", or msprof export db CAPTURE")},
    {COMMAND_EXPORT, "--format", LANGUAGE_MARK(FIRST_TRY_EXPORTS ", with --format")},
    {COMMAND_EXPORT_DB, "--type", LANGUAGE_MARK("msprof export db CAPTURE; texts: " FIRST_TRY_EXPORTS)},
    {COMMAND_EXPORT_SUMMARY, "--type", LANGUAGE_MARK("--format csv, or msprof export db CAPTURE")},
    {COMMAND_EXPORT_TIMELINE, "--type", LANGUAGE_MARK("--format json, or msprof export db CAPTURE")},
    {COMMAND_DIFF, "-d", "msprof diff BASE NEW"},
    {COMMAND_DIFF, "-bp", "msprof diff BASE NEW"},
    {COMMAND_DIFF, "-b", "msprof diff BASE NEW"},
    {COMMAND_ADVISE, "--mode", LANGUAGE_MARK("msprof advise CAPTURE, which checks every rule")},
    {COMMAND_MCP, "--port",
     LANGUAGE_MARK("msprof mcp: a client starts it, and talks to it on standard input and output")},
    {COMMAND_MCP, "--host",
     LANGUAGE_MARK("msprof mcp: a client starts it, and talks to it on standard input and output")},
    {COMMAND_MCP, "-dir", LANGUAGE_MARK("msprof mcp --root DIR; clients name the capture")},
    {COMMAND_RUN, "--duration", "msprof run -- timeout 10 PROGRAM"},
    {COMMAND_RUN, "--delay", LANGUAGE_MARK("mark what is of interest with mstx ranges: msprof run -- PROGRAM")},
    {COMMAND_RUN, "--pid", LANGUAGE_MARK("msprof run -- PROGRAM: it records a program from its start")},
    {COMMAND_RUN, "-p", LANGUAGE_MARK("msprof run -- PROGRAM: it records a program from its start")},
    {COMMAND_RUN, "-d", "msprof run -- timeout 10 PROGRAM"},
};

/* Values of options, by the command that is meant, which its subcommands are part of. */
static const struct {
    enum command_id command;
    const char *option, *value, *form;
} values[] = {
    {COMMAND_EXPORT_TIMELINE, "format", "perfetto", "--format pftrace"},
    {COMMAND_EXPORT_TIMELINE, "format", "protobuf", "--format pftrace"},
    {COMMAND_EXPORT_TIMELINE, "format", "proto", "--format pftrace"},
    {COMMAND_EXPORT_TIMELINE, "format", "pb", "--format pftrace"},
    {COMMAND_EXPORT_TIMELINE, "format", "chrome", "--format json"},
    {COMMAND_EXPORT_TIMELINE, "format", "trace", "--format json"},
    {COMMAND_EXPORT_TIMELINE, "format", "text", "--format json"},
    {COMMAND_EXPORT_TIMELINE, "format", "gz", "--format json.gz"},
    {COMMAND_EXPORT_TIMELINE, "format", "gzip", "--format json.gz"},
    {COMMAND_EXPORT_TIMELINE, "format", "html", LANGUAGE_MARK("msprof report CAPTURE, a page with a timeline")},
    {COMMAND_EXPORT_TIMELINE, "format", "db", "msprof export db CAPTURE"},
    {COMMAND_EXPORT_TIMELINE, "format", "csv", "msprof export summary CAPTURE"},
    {COMMAND_EXPORT_SUMMARY, "format", "xlsx",
     LANGUAGE_MARK("--format csv --spreadsheet-safe, which spreadsheets open")},
    {COMMAND_EXPORT_SUMMARY, "format", "xls",
     LANGUAGE_MARK("--format csv --spreadsheet-safe, which spreadsheets open")},
    {COMMAND_EXPORT_SUMMARY, "format", "excel",
     LANGUAGE_MARK("--format csv --spreadsheet-safe, which spreadsheets open")},
    {COMMAND_EXPORT_SUMMARY, "format", "db", "msprof export db CAPTURE"},
    {COMMAND_EXPORT_SUMMARY, "format", "text", "--format csv"},
    {COMMAND_EXPORT_SUMMARY, "format", "html", "msprof report CAPTURE"},
    {COMMAND_EXPORT_SUMMARY, "format", "markdown", "msprof show CAPTURE --table NAME --format markdown"},
    {COMMAND_EXPORT_SUMMARY, "format", "table", "msprof show CAPTURE --table NAME"},
    {COMMAND_REPORT, "format", "pdf", LANGUAGE_MARK("--format html, and print the page from the browser")},
    {COMMAND_REPORT, "format", "md", "--format markdown"},
    {COMMAND_REPORT, "format", "json", "msprof advise CAPTURE --format json"},
    {COMMAND_REPORT, "format", "csv", "msprof show CAPTURE --table NAME --format csv"},
    {COMMAND_SHOW, "format", "text", "--format table"},
    {COMMAND_SHOW, "format", "txt", "--format table"},
    {COMMAND_SHOW, "format", "md", "--format markdown"},
    {COMMAND_SHOW, "format", "html", "msprof report CAPTURE"},
    {COMMAND_SHOW, "format", "xlsx", "msprof export summary CAPTURE --spreadsheet-safe"},
    {COMMAND_SQL, "format", "text", "--format table"},
    {COMMAND_SQL, "format", "md", "--format markdown"},
};

/* Files of Ascend's tools that are no tables here, and where their rows are. A name may have an ending. */
static const struct first_try tables[] = {
    {"kernel_details",
     LANGUAGE_MARK("--table op_summary; msprof analyse DIR writes kernel_details.csv of *_ascend_pt directories")},
    {"operator_details",
     LANGUAGE_MARK("msprof analyse DIR, which writes operator_details.csv of *_ascend_pt directories")},
    {"step_trace_time", LANGUAGE_MARK("--table overlap; msprof analyse DIR writes step_trace_time.csv")},
    {"trace_view", "msprof export timeline CAPTURE"},
    {"msprof", "msprof export timeline CAPTURE"},
    {"timeline", "msprof export timeline CAPTURE"},
    {"communication_matrix", "msprof analyse --rule communication_matrix CAPTURE"},
    {"cluster_time_summary", "msprof cluster DIR --table list"},
    {"cluster_step_trace_time", "msprof cluster DIR --table list"},
    {"slow_rank", "msprof cluster DIR --table list"},
    {"slow_link", "msprof cluster DIR --table list"},
    {"slow_rank_pp_stage", "msprof cluster DIR --table list"},
    {"communication_time", "msprof cluster DIR --table list"},
    {"communication_group_map", "msprof cluster DIR --table list"},
    {"communication_time_sum", "msprof cluster DIR --table list"},
    {"communication_matrix_sum", "msprof cluster DIR --table list"},
    {"cluster_time_compare_summary", "msprof cluster DIR --table list"},
    {"module_statistic", "msprof show CAPTURE --table list"},
    {"freq_analysis", "msprof show CAPTURE --table list"},
    {"ep_load_balance", "msprof cluster DIR --table list"},
    {"pp_chart", "msprof cluster DIR --timeline"},
    {"cann_api_sum", "--table api_statistic"},
    {"compute_op_sum", "--table op_statistic"},
    {"hccl_sum", "--table communication_statistic"},
    {"mstx_sum", "--table msprof_tx"},
    {"findings", "msprof advise CAPTURE"},
    {NULL, NULL},
};

static const char *find(const struct first_try *tries, const char *word, size_t length)
{
    for (; tries->typed != NULL; tries++) {
        if (strlen(tries->typed) == length && strncmp(tries->typed, word, length) == 0)
            return tries->command;
    }
    return NULL;
}

const char *first_try_of_word(enum command_id parent, const char *word)
{
    const struct first_try *tries = parent == COMMAND_ROOT     ? root_words
                                    : parent == COMMAND_EXPORT ? export_words
                                                               : NULL;
    return tries != NULL ? find(tries, word, strlen(word)) : NULL;
}

const char *first_try_of_option(enum command_id command, const char *word)
{
    if (command == COMMAND_ROOT && strcmp(word, "-d") == 0)
        return LANGUAGE_MARK("msprof show CAPTURE, or msprof cluster DIR");
    const size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof own_options / sizeof *own_options; i++) {
        if (own_options[i].command == command && strlen(own_options[i].typed) == length &&
            strncmp(own_options[i].typed, word, length) == 0)
            return own_options[i].form;
    }
    return find(command == COMMAND_CLUSTER ? cluster_options : any_options, word, length);
}

const char *first_try_of_value(enum command_id command, const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (command_is_within(values[i].command, command) && strcmp(values[i].option, name) == 0 &&
            strcasecmp(values[i].value, value) == 0)
            return values[i].form;
    }
    return NULL;
}

const char *first_try_of_table(const char *name)
{
    return find(tables, name, strcspn(name, "."));
}
