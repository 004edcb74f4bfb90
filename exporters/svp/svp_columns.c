#include "exporters/svp/svp_columns.h"

#define LIST_MAX (16 << 20) /* bytes; a layer table itself is not read beyond a few megabytes */

/* A column: its title in each set, and which of the report's values it shows. */
struct column_definition {
    const char *title;
    int value;
};

struct column_list {
    const struct column_definition *columns;
    size_t count;
};

#define COLUMN_LIST(array)                                                                                             \
    {                                                                                                                  \
        array, sizeof array / sizeof array[0]                                                                          \
    }

static void titles_of(const struct column_list *list, struct column_titles *ret)
{
    ret->count = list->count;
    for (size_t i = 0; i < list->count; i++)
        ret->texts[i] = list->columns[i].title;
}

/* ---- lists of layers ---- */

void svp_layer_lists_init(struct svp_layer_lists *lists)
{
    strbuf_init(&lists->ids, LIST_MAX);
    strbuf_init(&lists->names, LIST_MAX);
    strbuf_init(&lists->types, LIST_MAX);
    strbuf_init(&lists->ori_names, LIST_MAX);
    lists->layers = 0;
    lists->first_id = DB_NULL;
}

void svp_layer_lists_release(struct svp_layer_lists *lists)
{
    strbuf_release(&lists->ids);
    strbuf_release(&lists->names);
    strbuf_release(&lists->types);
    strbuf_release(&lists->ori_names);
}

static void add_text(struct strbuf *list, const char *text)
{
    strbuf_adds(list, text == NULL ? TABLE_MISSING : text);
}

static void add_id(struct strbuf *list, int64_t id)
{
    char buffer[NUMBER_MAX];
    if (id == DB_NULL)
        strbuf_adds(list, TABLE_MISSING);
    else
        strbuf_add(list, buffer, (size_t)(number_put_signed(buffer, id) - buffer));
}

/* A name's own line break would look like the end of an item. */
static void add_line(struct strbuf *list, const char *text, bool split_commas)
{
    size_t begin = list->length;
    add_text(list, text);
    for (size_t i = begin; i < list->length; i++) {
        if (list->data[i] == '\n')
            list->data[i] = '?';
        else if (list->data[i] == ',' && split_commas)
            list->data[i] = '\n';
    }
}

int svp_layer_lists_set(struct svp_layer_lists *lists, const struct svp_layer *layers, size_t count, char separator,
                        struct err *err)
{
    struct strbuf *all[] = {&lists->ids, &lists->names, &lists->types, &lists->ori_names};
    bool failed = false;
    for (size_t list = 0; list < sizeof all / sizeof all[0]; list++)
        strbuf_clear(all[list]);
    lists->layers = count;
    lists->first_id = count == 0 ? DB_NULL : layers[0].layer_id;
    for (size_t i = 0; i < count; i++) {
        for (size_t list = 0; i > 0 && list < sizeof all / sizeof all[0]; list++)
            strbuf_addc(all[list], separator);
        add_id(&lists->ids, layers[i].layer_id);
        if (separator == '\n') {
            add_line(&lists->names, layers[i].name, false);
            add_line(&lists->types, layers[i].type, false);
            add_line(&lists->ori_names, layers[i].ori_name, true);
        } else {
            add_text(&lists->names, layers[i].name);
            add_text(&lists->types, layers[i].type);
            add_text(&lists->ori_names, layers[i].ori_name);
        }
    }
    for (size_t list = 0; list < sizeof all / sizeof all[0]; list++)
        failed = failed || all[list]->failed;
    if (failed)
        return err_set(err, ERR_LIMIT, "the names of the %zu layers of one task do not fit into %d bytes", count,
                       LIST_MAX);
    return 0;
}

struct table_cell svp_layer_list_cell(const struct svp_layer_lists *lists, const struct strbuf *list)
{
    return lists->layers == 0 ? cell_missing() : cell_text_of_length(list->data, list->length);
}

/* ---- op_summary ---- */

/* What a column shows: an enum svp_metric, or one of these, which come first in every set. */
enum { SUMMARY_TASK_ID = METRIC_DDR_TOTAL_KB + 1, SUMMARY_LAYER_ID, SUMMARY_NAME, SUMMARY_TYPE, SUMMARY_ORI_NAME };

static const struct column_definition summary_guide[] = {
    {"Layer Id", SUMMARY_LAYER_ID},
    {"Ori Layer Name", SUMMARY_ORI_NAME},
    {"Layer Name", SUMMARY_NAME},
    {"Layer Type", SUMMARY_TYPE},
    {"Time(us)", METRIC_TIME},
    {"Time Ratio", METRIC_TIME_RATIO},
    {"Mac Busy Ratio", METRIC_MAC_BUSY},
    {"Mac Ppen Ratio", METRIC_MAC_PPEN},
    {"Vec Busy Ratio", METRIC_VEC_BUSY},
    {"Vec Ppen Ratio", METRIC_VEC_PPEN},
    {"Dstr Ratio", METRIC_DSTR},
    {"Dtrans Ratio", METRIC_DTRANS},
    {"DLD Ratio", METRIC_DLD},
    {"WLD Ratio", METRIC_WLD},
    {"Memory Bound", METRIC_MEMORY_BOUND},
    {"DDR Read(byte)", METRIC_DDR_READ},
    {"DDR Write(byte)", METRIC_DDR_WRITE},
    {"DDR Total(byte)", METRIC_DDR_TOTAL},
};

static const struct column_definition summary_vendor[] = {
    {"Task ID", SUMMARY_TASK_ID},           {"Layer ID", SUMMARY_LAYER_ID},
    {"Layer Name", SUMMARY_NAME},           {"Layer Type", SUMMARY_TYPE},
    {"Ori Layer Name", SUMMARY_ORI_NAME},   {"Time(us)", METRIC_TIME},
    {"Time Ratio(%)", METRIC_TIME_RATIO},   {"Mac Busy Ratio(%)", METRIC_MAC_BUSY},
    {"Mac Ppen Ratio(%)", METRIC_MAC_PPEN}, {"Vec Busy Ratio(%)", METRIC_VEC_BUSY},
    {"Vec Ppen Ratio(%)", METRIC_VEC_PPEN}, {"Dstr Ratio(%)", METRIC_DSTR},
    {"Dtrans Ratio(%)", METRIC_DTRANS},     {"DLD Ratio(%)", METRIC_DLD},
    {"WLD Ratio(%)", METRIC_WLD},           {"Memory Bound", METRIC_MEMORY_BOUND},
    {"DDR Read(KB)", METRIC_DDR_READ_KB},   {"DDR Write(KB)", METRIC_DDR_WRITE_KB},
    {"DDR Total(KB)", METRIC_DDR_TOTAL_KB},
};

static const struct column_list summary_columns[] = {
    [COLUMNS_GUIDE] = COLUMN_LIST(summary_guide),
    [COLUMNS_VENDOR] = COLUMN_LIST(summary_vendor),
};

void op_summary_titles(enum column_set set, struct column_titles *ret)
{
    titles_of(&summary_columns[set], ret);
}

size_t op_summary_identity_columns(enum column_set set)
{
    const struct column_list *list = &summary_columns[set];
    size_t count = 0;
    while (list->columns[count].value >= SUMMARY_TASK_ID)
        count++;
    return count;
}

static struct table_cell identity_cell(int value, int64_t task_id, const struct svp_layer_lists *lists)
{
    switch (value) {
    case SUMMARY_TASK_ID:
        return cell_number(task_id, 0);
    case SUMMARY_LAYER_ID:
        return lists->layers == 1 ? cell_number(lists->first_id, 0) : svp_layer_list_cell(lists, &lists->ids);
    case SUMMARY_NAME:
        return svp_layer_list_cell(lists, &lists->names);
    case SUMMARY_TYPE:
        return svp_layer_list_cell(lists, &lists->types);
    default:
        return svp_layer_list_cell(lists, &lists->ori_names);
    }
}

void op_summary_identity(enum column_set set, int64_t task_id, const struct svp_layer_lists *lists,
                         struct table_cell *cells)
{
    size_t count = op_summary_identity_columns(set);
    for (size_t i = 0; i < count; i++)
        cells[i] = identity_cell(summary_columns[set].columns[i].value, task_id, lists);
}

void op_summary_metrics(enum column_set set, const struct svp_task *task, const struct svp_task *network,
                        int64_t core_khz, struct table_cell *cells)
{
    const struct column_list *list = &summary_columns[set];
    for (size_t i = op_summary_identity_columns(set); i < list->count; i++) {
        enum svp_metric metric = (enum svp_metric)list->columns[i].value;
        /* Member by member: a whole cell would be made elsewhere and copied, which takes longer than the division. */
        cells[i].kind = CELL_NUMBER;
        cells[i].value = svp_metric_value(metric, task, network, core_khz);
        cells[i].decimals = svp_metric_decimals(metric);
    }
}

void op_summary_network(enum column_set set, const struct svp_task *network, int64_t core_khz, struct table_cell *cells)
{
    const struct column_list *list = &summary_columns[set];
    op_summary_metrics(set, network, network, core_khz, cells);
    for (size_t i = 0; i < list->count; i++) {
        int value = list->columns[i].value;
        if (value >= SUMMARY_TASK_ID)
            cells[i] = cell_text("-");
        else if (value == METRIC_TIME_RATIO && set == COLUMNS_VENDOR)
            cells[i] = cell_text("100"); /* the vendor's tool gives a string in JSON */
    }
}

/* ---- op_statistic ---- */

enum {
    STATISTIC_ROW,
    STATISTIC_STREAM,
    STATISTIC_TYPE,
    STATISTIC_ENGINE,
    STATISTIC_RATIO,
    STATISTIC_TOTAL,
    STATISTIC_COUNT,
    STATISTIC_AVERAGE,
    STATISTIC_MAXIMUM,
    STATISTIC_MINIMUM,
};

static const struct column_definition statistic_guide[] = {
    {"Task ID", STATISTIC_ROW},      {"Stream ID", STATISTIC_STREAM},          {"OP Name", STATISTIC_TYPE},
    {"Task Type", STATISTIC_ENGINE}, {"Total Time Ratio(%)", STATISTIC_RATIO}, {"Total Time(us)", STATISTIC_TOTAL},
    {"Count", STATISTIC_COUNT},      {"Avg(us)", STATISTIC_AVERAGE},           {"Max(us)", STATISTIC_MAXIMUM},
    {"Min(us)", STATISTIC_MINIMUM},
};

static const struct column_definition statistic_vendor[] = {
    {"Task ID", STATISTIC_ROW},      {"Stream ID", STATISTIC_STREAM},     {"OP Type", STATISTIC_TYPE},
    {"Task Type", STATISTIC_ENGINE}, {"Total Time(us)", STATISTIC_TOTAL}, {"Total Time Ratio(%)", STATISTIC_RATIO},
    {"Count", STATISTIC_COUNT},      {"Avg(us)", STATISTIC_AVERAGE},      {"Max(us)", STATISTIC_MAXIMUM},
    {"Min(us)", STATISTIC_MINIMUM},
};

static const struct column_list statistic_columns[] = {
    [COLUMNS_GUIDE] = COLUMN_LIST(statistic_guide),
    [COLUMNS_VENDOR] = COLUMN_LIST(statistic_vendor),
};

void op_statistic_titles(enum column_set set, struct column_titles *ret)
{
    titles_of(&statistic_columns[set], ret);
}

static struct table_cell statistic_cell(int value, const struct op_statistic *row, int64_t row_number,
                                        int64_t report_centi_us)
{
    switch (value) {
    case STATISTIC_ROW:
        return cell_number(row_number, 0);
    case STATISTIC_STREAM:
        return cell_number(row->stream_id, 0);
    case STATISTIC_TYPE:
        return cell_text(row->type);
    case STATISTIC_ENGINE:
        return cell_text(row->ai_cpu ? "AI_CPU" : "AI_CORE");
    case STATISTIC_RATIO:
        return cell_number(ratio_known(row->total_centi_us, report_centi_us, 4), 2);
    case STATISTIC_TOTAL:
        return cell_number(row->total_centi_us, 2);
    case STATISTIC_COUNT:
        return cell_number(row->count, 0);
    case STATISTIC_AVERAGE: /* two more decimals than the total has */
        return cell_number(ratio_known(row->total_centi_us, row->count, 2), 4);
    case STATISTIC_MAXIMUM:
        return cell_number(row->max_centi_us, 2);
    default:
        return cell_number(row->min_centi_us, 2);
    }
}

void op_statistic_cells(enum column_set set, const struct op_statistic *row, int64_t row_number,
                        int64_t report_centi_us, struct table_cell *cells)
{
    const struct column_list *list = &statistic_columns[set];
    for (size_t i = 0; i < list->count; i++)
        cells[i] = statistic_cell(list->columns[i].value, row, row_number, report_centi_us);
}

/* ---- acl_statistic ---- */

enum {
    ACL_PROCESS,
    ACL_THREAD,
    ACL_TYPE,
    ACL_NAME,
    ACL_RATIO,
    ACL_TOTAL,
    ACL_COUNT,
    ACL_AVERAGE,
    ACL_MAXIMUM,
    ACL_MINIMUM,
};

static const struct column_definition acl_guide[] = {
    {"Process ID", ACL_PROCESS},        {"Thread ID", ACL_THREAD},     {"Type", ACL_TYPE},   {"Name", ACL_NAME},
    {"Total Time Ratio(%)", ACL_RATIO}, {"Total Time(us)", ACL_TOTAL}, {"Count", ACL_COUNT}, {"Avg(us)", ACL_AVERAGE},
    {"Max(us)", ACL_MAXIMUM},           {"Min(us)", ACL_MINIMUM},
};

static const struct column_definition acl_vendor[] = {
    {"Process ID", ACL_PROCESS},   {"Thread ID", ACL_THREAD},          {"Type", ACL_TYPE},   {"Name", ACL_NAME},
    {"Total Time(us)", ACL_TOTAL}, {"Total Time Ratio(%)", ACL_RATIO}, {"Count", ACL_COUNT}, {"Avg(us)", ACL_AVERAGE},
    {"Min(us)", ACL_MINIMUM},      {"Max(us)", ACL_MAXIMUM},
};

static const struct column_list acl_columns[] = {
    [COLUMNS_GUIDE] = COLUMN_LIST(acl_guide),
    [COLUMNS_VENDOR] = COLUMN_LIST(acl_vendor),
};

void acl_statistic_titles(enum column_set set, struct column_titles *ret)
{
    titles_of(&acl_columns[set], ret);
}

/* Percent with nine decimals, but never more than ten significant digits. */
static struct table_cell acl_ratio_cell(const struct acl_statistic *row)
{
    int64_t ratio = number_ratio(row->total_ns, row->report_total_ns, 2 + 9);
    if (ratio < INT64_C(10000000000))
        return cell_number(ratio, 9);
    return cell_number(number_ratio(row->total_ns, row->report_total_ns, 2 + 8), 8);
}

/* The vendor's tool cuts the mean down to whole microseconds. */
static struct table_cell acl_average_cell(enum column_set set, const struct acl_statistic *row)
{
    if (set == COLUMNS_GUIDE)
        return cell_number(number_ratio(row->total_ns, row->count, 0), 3);
    return cell_number(row->count > 0 ? row->total_ns / row->count / 1000 : 0, 0);
}

static struct table_cell acl_cell(enum column_set set, int value, const struct acl_statistic *row)
{
    switch (value) {
    case ACL_PROCESS:
        return cell_number(row->process_id, 0);
    case ACL_THREAD:
        return cell_number(row->thread_id, 0);
    case ACL_TYPE:
        return cell_text(acl_mode_name(row->api_type));
    case ACL_NAME:
        return cell_text(row->name);
    case ACL_RATIO:
        return acl_ratio_cell(row);
    case ACL_TOTAL:
        return cell_number(row->total_ns, 3);
    case ACL_COUNT:
        return cell_number(row->count, 0);
    case ACL_AVERAGE:
        return acl_average_cell(set, row);
    case ACL_MAXIMUM:
        return cell_number(row->max_ns, 3);
    default:
        return cell_number(row->min_ns, 3);
    }
}

void acl_statistic_cells(enum column_set set, const struct acl_statistic *row, struct table_cell *cells)
{
    const struct column_list *list = &acl_columns[set];
    for (size_t i = 0; i < list->count; i++)
        cells[i] = acl_cell(set, list->columns[i].value, row);
}
