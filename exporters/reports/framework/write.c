/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/reports/framework/write.h"

#include "base/file/fsutil.h"
#include "exporters/database/databases.h"
#include "exporters/json_text.h"
#include "exporters/reports/framework/analysis.h"
#include "exporters/reports/framework/torch_relation.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the files ---- */

struct file {
    const char *name;
    int (*write)(struct framework_analysis *analysis, struct err *err);
    bool of_device;  /* nothing without a PROF capture */
    bool of_cluster; /* read by a cluster's analysis */
};

static int framework_write_details(struct framework_analysis *analysis, struct err *err)
{
    return analysis->framework->info.kind == FRAMEWORK_MINDSPORE ? mindspore_write_tables(analysis, err)
                                                                 : pytorch_write_tables(analysis, err);
}

static int framework_write_memory(struct framework_analysis *analysis, struct err *err)
{
    if (analysis->framework->info.kind == FRAMEWORK_MINDSPORE)
        return mindspore_write_memory(analysis, err);
    int status = pytorch_write_memory(analysis, err);
    if (!analysis->databases)
        torch_forget_memory(analysis->framework->torch);
    return status;
}

/* MindSpore copies what the capture's own analysis leaves, which is a database always. */
static int write_analyzer(struct framework_analysis *analysis, struct err *err)
{
    bool wanted = analysis->framework->info.kind == FRAMEWORK_MINDSPORE && !analysis->databases;
    return wanted ? framework_write_communication_database(analysis, err) : 0;
}

static int write_minddata(struct framework_analysis *analysis, struct err *err)
{
    return analysis->framework->info.kind == FRAMEWORK_MINDSPORE ? mindspore_write_minddata(analysis, err) : 0;
}

/* Memory first: what PyTorch recorded of it is most of what is kept of a long run, and needed nowhere else. */
static const struct file texts[] = {
    {"operator_memory.csv", framework_write_memory, false, false},
    {"trace_view.json", framework_write_trace_view, false, false},
    {"kernel_details.csv", framework_write_kernel_details, true, false},
    {"step_trace_time.csv", framework_write_step_trace_time, true, true},
    {"communication.json", framework_write_communication, true, true},
    {"communication_analyzer.db", write_analyzer, true, false},
    {"tables of the capture", framework_write_copies, true, false},
    {"operator_details.csv", framework_write_details, false, false},
    {"minddata_pipeline", write_minddata, false, false},
    {NULL, NULL, false, false},
};

static const struct file databases[] = {
    {"the database", framework_write_database, false, false},
    {"the database of communication", framework_write_communication_database, true, false},
    {NULL, NULL, false, false},
};

static bool ends_everything(const struct err *err)
{
    return err->code == ERR_NO_MEMORY || err->code == ERR_INTERRUPTED || err->code == ERR_NO_SPACE;
}

static int write_files(struct framework_analysis *analysis, const struct file *files, struct err *err)
{
    for (const struct file *file = files; file->name != NULL; file++) {
        if ((file->of_device && analysis->database == NULL) || (analysis->for_cluster && !file->of_cluster))
            continue;
        int status = file->write(analysis, err);
        if (status < 0 && ends_everything(err))
            return status;
        if (status < 0) {
            analysis->not_written(analysis->not_written_arg, file->name, err_message(err));
            *err = (struct err)ERR_INIT;
        }
    }
    return 0;
}

/* ---- JSON for people ---- */

static int indent_all(const struct framework_analysis *analysis, struct err *err)
{
    DIR *directory = opendir(analysis->options->directory);
    int status = directory != NULL ? 0 : err_set_errno(err, errno, "cannot read '%s'", analysis->options->directory);
    for (struct dirent *entry; status == 0 && (entry = readdir(directory)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (entry->d_name[0] == '.' || dot == NULL || strcmp(dot, ".json") != 0)
            continue;
        char *path = path_join(analysis->options->directory, entry->d_name);
        status = path != NULL ? json_indent_file(path, err) : err_set(err, ERR_NO_MEMORY, "out of memory");
        free(path);
    }
    if (directory != NULL)
        closedir(directory);
    return status;
}

int framework_relate(struct framework_analysis *analysis, struct err *err)
{
    int status = report_session_open(&analysis->session, analysis->db, analysis->options, analysis->result, err);
    analysis->session.context = analysis;
    if (status == 0)
        status = relation_make(&analysis->relation, analysis->framework, analysis->db, err);
    if (status == 0 && analysis->framework->torch != NULL)
        status = torch_relate(analysis, err);
    else if (status == 0 && analysis->steps.count > 0)
        status = relation_set_ends(&analysis->relation, analysis->framework, analysis->db, err);
    return status;
}

void framework_unrelate(struct framework_analysis *analysis)
{
    free(analysis->work);
    analysis->work = NULL;
    relation_release(&analysis->relation);
    report_session_release(&analysis->session);
}

int framework_write(struct framework_analysis *analysis, struct err *err)
{
    int status = framework_relate(analysis, err);
    if (status == 0 && analysis->texts)
        status = write_files(analysis, texts, err);
    if (status == 0 && analysis->databases)
        status = write_files(analysis, databases, err);
    if (status == 0 && analysis->pretty)
        status = indent_all(analysis, err);
    framework_unrelate(analysis);
    return status;
}
