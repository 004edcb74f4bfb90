#include "cli/options.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define EVERYWHERE COMMAND_BIT(COMMAND_ROOT)
#define ON_CAPTURES                                                                                                    \
    (COMMAND_BIT(COMMAND_IMPORT) | COMMAND_BIT(COMMAND_EXPORT) | COMMAND_BIT(COMMAND_SHOW) |                           \
     COMMAND_BIT(COMMAND_QUERY) | COMMAND_BIT(COMMAND_REPLAY))
#define ON_COLLECT COMMAND_BIT(COMMAND_COLLECT)
#define ON_REPLAY COMMAND_BIT(COMMAND_REPLAY)
#define MEMBER(name) offsetof(struct settings, name)

/* Each list is in the order of the enum that its index is stored as. */
static const char *const color_choices[] = {"auto", "always", "never", NULL};
static const char *const table_choices[] = {"csv", "json", NULL};
static const char *const column_choices[] = {"guide", "vendor", NULL};
static const char *const switch_choices[] = {"on", "off", NULL};
static const char *const metric_choices[] = {"ArithmeticUtilization", NULL};
static const char *const transfer_choices[] = {"upload", "nfs", NULL};
static const char *const record_size_choices[] = {"80", "72", NULL};
static const char *const kinds_choices[] = {"table", "json", "mdoc", NULL};

const struct option_spec option_table[] = {
    {.name = "collection-dir",
     .aliases = {"dir"},
     .vendor = "-dir",
     .commands = ON_CAPTURES,
     .type = VALUE_DIRECTORY,
     .argument = "DIR",
     .repeatable = true,
     .offset = MEMBER(captures),
     .help = "a capture, or a directory that holds captures\n(JOB*, PROF*); may be repeated"},
    {.name = "output",
     .commands = ON_CAPTURES,
     .type = VALUE_DIRECTORY,
     .argument = "DIR",
     .offset = MEMBER(output),
     .help = "put sqlite/, timeline/, summary/ and log/ into DIR\n"
             "instead of the capture (several captures: into\n"
             "DIR/<capture name>)"},
    {.name = "main",
     .letter = 'm',
     .commands = ON_COLLECT,
     .type = VALUE_FILE,
     .argument = "MAIN",
     .offset = MEMBER(collect.program),
     .help = "the program to run on the board, in the out/\ndirectory of its project; with arguments, which can\n"
             "be quoted: \"out/main -n 5 'a file'\" (required)"},
    {.name = "config",
     .commands = ON_COLLECT,
     .type = VALUE_FILE,
     .argument = "FILE",
     .offset = MEMBER(collect.config),
     .help = "ini file with the section [ssh_config] (required)"},
    {.name = "board",
     .commands = ON_COLLECT,
     .type = VALUE_TEXT,
     .argument = "NAME",
     .repeatable = true,
     .offset = MEMBER(collect.boards),
     .help = "use the section [ssh_config:NAME]; may be repeated:\nthe boards run side by side"},
    {.name = "interval",
     .commands = ON_COLLECT,
     .type = VALUE_NUMBER,
     .argument = "N",
     .minimum = 0,
     .maximum = 9999,
     .offset = MEMBER(collect.interval),
     .help = "keep one sample every N inferences, 0: all (0)"},
    {.name = "acl_api",
     .aliases = {"acl-api"},
     .commands = ON_COLLECT,
     .type = VALUE_CHOICE,
     .argument = "on|off",
     .choices = switch_choices,
     .offset = MEMBER(collect.acl_api),
     .help = "record the calls of the ACL API (on)"},
    {.name = "aacpu",
     .aliases = {"aicpu"},
     .commands = ON_COLLECT,
     .type = VALUE_CHOICE,
     .argument = "on|off",
     .choices = switch_choices,
     .offset = MEMBER(collect.ai_cpu),
     .help = "record the tasks of the AI CPU (on)"},
    {.name = "aac_metrics",
     .aliases = {"aic_metrics"},
     .commands = ON_COLLECT,
     .type = VALUE_CHOICE,
     .argument = "ArithmeticUtilization",
     .choices = metric_choices,
     .offset = MEMBER(collect.metrics),
     .help = "events of the AI core to count\n(ArithmeticUtilization)"},
    {.name = "switch",
     .commands = ON_COLLECT,
     .type = VALUE_CHOICE,
     .argument = "on|off",
     .choices = switch_choices,
     .offset = MEMBER(collect.profiling),
     .help = "profile at all; off: only run the program (on)"},
    {.name = "output",
     .commands = ON_COLLECT,
     .type = VALUE_DIRECTORY,
     .argument = "DIR",
     .offset = MEMBER(output),
     .help = "put the capture into DIR (<project>/profiling);\nseveral boards: into DIR/<board name>"},
    {.name = "all",
     .commands = ON_COLLECT,
     .offset = MEMBER(collect.all),
     .help = "then import the capture, and export its timeline\nand summary"},
    {.name = "exclude",
     .commands = ON_COLLECT,
     .type = VALUE_TEXT,
     .argument = "PATTERN",
     .repeatable = true,
     .offset = MEMBER(collect.exclude),
     .help = "leave files of the project out whose name or path\nmatches PATTERN; may be repeated"},
    {.name = "transfer",
     .commands = ON_COLLECT,
     .type = VALUE_CHOICE,
     .argument = "upload|nfs",
     .choices = transfer_choices,
     .offset = MEMBER(collect.transfer),
     .help = "how the project gets to the board (upload)"},
    {.name = "nfs-server",
     .commands = ON_COLLECT,
     .type = VALUE_TEXT,
     .argument = "ADDRESS",
     .offset = MEMBER(collect.nfs_server),
     .help = "this machine's address for --transfer=nfs (the one\nthat the board is reached from)"},
    {.name = "timeout",
     .commands = ON_COLLECT,
     .type = VALUE_NUMBER,
     .argument = "SECONDS",
     .minimum = 0,
     .maximum = 1000000,
     .offset = MEMBER(collect.timeout),
     .help = "stop the program after SECONDS, 0: never (0)"},
    {.name = "keep",
     .commands = ON_COLLECT,
     .offset = MEMBER(collect.keep),
     .help = "leave project and capture on the board: the next\nupload sends only what changed"},
    {.name = "dry-run",
     .commands = ON_COLLECT,
     .offset = MEMBER(collect.dry_run),
     .help = "print the plan step by step, do nothing"},
    {.name = "accept-new-host-key",
     .commands = ON_COLLECT,
     .offset = MEMBER(collect.accept_new_host_key),
     .help = "take the host key of a board that is not known yet\nand keep it; a changed key is refused always"},
    {.name = "freq-mhz",
     .commands = ON_CAPTURES | ON_COLLECT,
     .type = VALUE_MHZ,
     .argument = "N",
     .offset = MEMBER(clock_khz),
     .help = "clock frequency, 0.001 to 100000 with up to three\n"
             "decimals, when the capture does not say it"},
    {.name = "layout",
     .commands = ON_CAPTURES | ON_COLLECT | COMMAND_BIT(COMMAND_KINDS),
     .type = VALUE_FILE,
     .argument = "FILE",
     .repeatable = true,
     .offset = MEMBER(layouts),
     .help = "read record layouts from FILE, see msprof-records(5);\nmay be repeated, the last one wins"},
    {.name = "format",
     .commands = COMMAND_BIT(COMMAND_EXPORT_SUMMARY),
     .type = VALUE_CHOICE,
     .argument = "csv|json",
     .choices = table_choices,
     .offset = MEMBER(table_format),
     .help = "format of the tables (csv)"},
    {.name = "columns",
     .commands = COMMAND_BIT(COMMAND_EXPORT_SUMMARY),
     .type = VALUE_CHOICE,
     .argument = "guide|vendor",
     .choices = column_choices,
     .offset = MEMBER(columns),
     .help = "columns as in the vendor's guide, or as the vendor's\ntool really prints them (guide)"},
    {.name = "clear",
     .commands = COMMAND_BIT(COMMAND_EXPORT),
     .type = VALUE_NONE,
     .offset = MEMBER(clear),
     .help = "remove the database when the reports are written"},
    {.name = "trace-compat",
     .commands = COMMAND_BIT(COMMAND_EXPORT_TIMELINE),
     .type = VALUE_NONE,
     .offset = MEMBER(trace_compat),
     .help = "write times of CANN timelines as strings, as\nAscend's tool does"},
    {.name = "model-id",
     .commands = COMMAND_BIT(COMMAND_EXPORT_SUMMARY) | COMMAND_BIT(COMMAND_EXPORT_TIMELINE),
     .type = VALUE_NUMBER,
     .argument = "N",
     .minimum = 0,
     .maximum = INT_MAX,
     .offset = MEMBER(model_id),
     .help = "of captures of CANN before 2023: the model whose\niterations are reported (the first that has any)"},
    {.name = "iteration-id",
     .commands = COMMAND_BIT(COMMAND_EXPORT_SUMMARY) | COMMAND_BIT(COMMAND_EXPORT_TIMELINE),
     .type = VALUE_NUMBER,
     .argument = "N",
     .minimum = 1,
     .maximum = INT_MAX,
     .offset = MEMBER(iteration_id),
     .help = "of captures of CANN before 2023: the iteration that\nis reported (1)"},
    {.name = "iteration-count",
     .commands = COMMAND_BIT(COMMAND_EXPORT_SUMMARY) | COMMAND_BIT(COMMAND_EXPORT_TIMELINE),
     .type = VALUE_NUMBER,
     .argument = "N",
     .minimum = 1,
     .maximum = INT_MAX,
     .offset = MEMBER(iteration_count),
     .help = "how many iterations from there on (1)"},
    {.name = "fd",
     .commands = ON_REPLAY,
     .type = VALUE_NUMBER,
     .argument = "N",
     .minimum = 0,
     .maximum = INT_MAX,
     .offset = MEMBER(replay.fd),
     .help = "the descriptor to write the records into, opened by\nwhoever starts msprof (required)"},
    {.name = "speed",
     .commands = ON_REPLAY,
     .type = VALUE_SPEED,
     .argument = "X",
     .offset = MEMBER(replay.speed),
     .help = "times the pace of the capture, 0.001 to 1000000; 0\nor max: as fast as the reader reads (1)"},
    {.name = "names",
     .commands = ON_REPLAY,
     .type = VALUE_FILE,
     .argument = "FILE",
     .offset = MEMBER(replay.names),
     .help = "first write the table of operator names into FILE,\nfor MSPROF_OP_NAMES of the reader"},
    {.name = "model-id",
     .commands = ON_REPLAY,
     .type = VALUE_NUMBER,
     .argument = "N",
     .minimum = 0,
     .maximum = INT_MAX,
     .offset = MEMBER(model_id),
     .help = "operators of this model only; those of captures that\ndo not name models are given it (all)"},
    {.name = "record-size",
     .commands = ON_REPLAY,
     .type = VALUE_CHOICE,
     .argument = "80|72",
     .choices = record_size_choices,
     .offset = MEMBER(replay.record_size),
     .help = "bytes of a record: of the newest collectors, or of\nthose before 2025 (80)"},
    {.name = "first-index",
     .commands = ON_REPLAY,
     .type = VALUE_NUMBER,
     .argument = "N",
     .minimum = 1,
     .maximum = INT_MAX,
     .offset = MEMBER(replay.first_index),
     .help = "the number of the first operator, when several\nreplays have one reader (1)"},
    {.name = "width",
     .commands = COMMAND_BIT(COMMAND_SHOW),
     .type = VALUE_NUMBER,
     .argument = "N",
     .minimum = 0,
     .maximum = 100000,
     .offset = MEMBER(width),
     .help = "fit the tables into N columns, 0: no limit (the\nterminal's width; no limit when piped)"},
    {.name = "format",
     .commands = COMMAND_BIT(COMMAND_KINDS),
     .type = VALUE_CHOICE,
     .argument = "table|json|mdoc",
     .choices = kinds_choices,
     .offset = MEMBER(kinds_format),
     .help = "format of the list (table)"},
    {.name = "options",
     .commands = COMMAND_BIT(COMMAND_HELP),
     .offset = MEMBER(list_options),
     .help = "list every option for programs: command, spelling,\nargument, separated by tabs"},
    {.name = "quiet", .letter = 'q', .commands = EVERYWHERE, .offset = MEMBER(quiet), .help = "errors only"},
    {.name = "verbose",
     .letter = 'v',
     .commands = EVERYWHERE,
     .offset = MEMBER(verbose),
     .help = "tell each step, and every cause of an error"},
    {.name = "strict",
     .commands = EVERYWHERE,
     .offset = MEMBER(strict),
     .help = "take the first data problem as a failure"},
    {.name = "color",
     .commands = EVERYWHERE,
     .type = VALUE_CHOICE,
     .argument = "auto|always|never",
     .choices = color_choices,
     .offset = MEMBER(color),
     .help = "colors on a terminal, always or never (auto)"},
    {.name = "help", .letter = 'h', .commands = EVERYWHERE, .offset = MEMBER(help), .help = "print this help"},
    {.name = "version", .commands = EVERYWHERE, .offset = MEMBER(version), .help = "print the version"},
};
const size_t option_count = sizeof option_table / sizeof option_table[0];

bool option_applies(const struct option_spec *option, enum command_id command)
{
    for (int id = 0; id < COMMAND_COUNT; id++)
        if ((option->commands & COMMAND_BIT(id)) != 0 && command_is_within(command, (enum command_id)id))
            return true;
    return false;
}

bool option_is_repeated(const struct option_spec *option)
{
    for (const struct option_spec *earlier = option_table; earlier < option; earlier++)
        if (strcmp(earlier->name, option->name) == 0)
            return true;
    return false;
}

const char *option_spelling(const struct option_spec *option, size_t i, char *buffer)
{
    const char *name = NULL;

    if (option->letter != 0 && i-- == 0) {
        snprintf(buffer, OPTION_SPELLING_SIZE, "-%c", option->letter);
        return buffer;
    }
    if (option->vendor != NULL && i-- == 0)
        return option->vendor;
    if (i == 0)
        name = option->name;
    else if (i <= sizeof option->aliases / sizeof option->aliases[0])
        name = option->aliases[i - 1];
    if (name == NULL)
        return NULL;
    snprintf(buffer, OPTION_SPELLING_SIZE, "--%s", name);
    return buffer;
}
