/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/cann_version.h"

#include "base/number.h"
#include "db/database.h"

#include <stdio.h>
#include <string.h>

/* The number of a candidate of a release. */
#define CANDIDATE(major, minor, number) (((major)*100 + (minor)) * 100 + (number))
#define RELEASE(major, minor) CANDIDATE(major, minor, 99)

static const int last_with[] = {
    [NAMING_HCCL] = RELEASE(8, 0),
    [NAMING_NO_DEVICE] = RELEASE(8, 0),
    [NAMING_BLOCK_DIM] = RELEASE(8, 5),
    [NAMING_MODULES] = RELEASE(8, 5),
    [NAMING_TEXT_TIMES] = RELEASE(8, 5),
    [NAMING_NO_STATE] = RELEASE(7, 0),
    [NAMING_FOPS] = RELEASE(7, 0),
    [NAMING_MIXED_WHOLE] = RELEASE(8, 5),
    [NAMING_FORMAT_ND] = CANDIDATE(8, 0, 1),
    [NAMING_LAUNCHED] = CANDIDATE(8, 0, 1),
    [NAMING_HOST_NUMBER] = CANDIDATE(8, 0, 1),
    [NAMING_NO_NUMBER] = CANDIDATE(8, 0, 1),
    [NAMING_POINTS] = CANDIDATE(8, 0, 1),
};

bool cann_version_has(int version, enum cann_naming naming)
{
    return version != CANN_VERSION_NEWEST && version <= last_with[naming];
}

const char *cann_version_title(int version, const char *title)
{
    static const struct {
        const char *title, *older;
        enum cann_naming naming;
    } titles[] = {{"Block Num", "Block Dim", NAMING_BLOCK_DIM},
                  {"Mix Block Num", "Mix Block Dim", NAMING_BLOCK_DIM},
                  {"OP State", NULL, NAMING_NO_STATE},
                  {"HF32 Eligible", NULL, NAMING_NO_STATE}};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        if (strcmp(titles[i].title, title) == 0 && cann_version_has(version, titles[i].naming))
            return titles[i].older;
    }
    return title;
}

bool cann_version_has_point(int version, const char *title)
{
    return cann_version_has(version, NAMING_POINTS) &&
           (strcmp(title, "Ratio(%)") == 0 || strcmp(title, "Variance") == 0);
}

const char *cann_version_file(int version, const char *report)
{
    bool older = strcmp(report, "communication_statistic") == 0 && cann_version_has(version, NAMING_HCCL);
    return older ? "hccl_statistic" : report;
}

const char *cann_version_communication(int version)
{
    return cann_version_has(version, NAMING_HCCL) ? "HCCL" : "COMMUNICATION";
}

void cann_version_formats(int version, const char *formats, size_t length, struct strbuf *ret)
{
    const bool older = cann_version_has(version, NAMING_FORMAT_ND);
    for (size_t i = 0, end; i <= length; i = end + 1) {
        for (end = i; end < length && formats[end] != ';';)
            end++;
        if (i > 0)
            strbuf_adds(ret, ";");
        if (older && end - i == 2 && memcmp(formats + i, "ND", 2) == 0)
            strbuf_adds(ret, "FORMAT_");
        strbuf_add(ret, formats + i, end - i);
    }
}

int64_t cann_version_place(int version, int64_t layer)
{
    enum { CANN = 7, HARDWARE = 14, OVERLAP = 31 };
    if (version == CANN_VERSION_NEWEST || layer < CANN || (layer > CANN && layer < HARDWARE))
        return layer;
    if (version <= CANDIDATE(8, 0, 1)) /* of the layers between, which no table of it has, the order */
        return layer == CANN ? 2 : layer < OVERLAP ? layer - HARDWARE + 8 : layer - OVERLAP + 11;
    if (layer >= OVERLAP)
        return layer - (version <= RELEASE(8, 5) ? 2 : version <= RELEASE(9, 0));
    return layer - (layer >= HARDWARE && version <= RELEASE(9, 0));
}

const struct value_name cann_version_modules[] = {
    {2, "IDEDH"},   {5, "HIAIENGINE"}, {11, "MDCFUSION"},  {12, "MDCLOCATION"}, {13, "MDCPERCEPTION"},
    {14, "MDCFSM"}, {15, "MDCCOMMON"}, {16, "MDCMONITOR"}, {17, "MDCBSWP"},     {18, "MDCDEFAULT"},
    {19, "MDCSC"},  {20, "MDCPNC"},    {21, "MLL"},        {26, "ASCENDDK"},    {0, NULL},
};

/* Reads digits up to a dot or the end. */
static bool read_part(const char **p, int *ret)
{
    size_t length = strspn(*p, "0123456789");
    int64_t number;
    if (length == 0 || length > 2 || number_parse_integer(*p, length, &number) < 0)
        return false;
    *p += length;
    *ret = (int)number;
    return true;
}

/* Reads the rest behind "8.2": nothing, ".0", ".RC1", ".RC1.alpha001", ".T63". */
static bool read_rest(const char *p, int *candidate)
{
    *candidate = 99;
    if (*p == '\0')
        return true;
    if (*p++ != '.' || strspn(p, "0123456789.ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != strlen(p))
        return false;
    if (strncmp(p, "RC", 2) != 0)
        return *p != '\0';
    p += 2;
    return read_part(&p, candidate) && (*p == '\0' || *p == '.');
}

bool cann_version_parse(const char *text, int *ret)
{
    int major, minor, candidate;
    const char *p = text;
    *ret = CANN_VERSION_NEWEST;
    if (strcmp(text, "newest") == 0)
        return true;
    if (!read_part(&p, &major) || *p++ != '.' || !read_part(&p, &minor) || !read_rest(p, &candidate) || major == 0)
        return false;
    *ret = CANDIDATE(major, minor, candidate);
    return true;
}

/* ---- of a capture ---- */

/* Names of kernels in task tracks, and the chips whose numbers begin at 15, are younger than the first candidate of
 * 8.0: a capture that has them was not written by it. */
static const struct {
    const char *sql, *told;
    int since;
} newer[] = {
    {"SELECT 1 FROM device_task WHERE kernel_name_id IS NOT NULL LIMIT 1", "names of kernels in its task tracks",
     CANDIDATE(8, 0, 2)},
    {"SELECT 1 FROM capture_part WHERE chip >= 15", "a chip of the Ascend 950", CANDIDATE(8, 0, 2)},
};

static int holds(sqlite3 *db, const char *sql, bool *ret, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    int status = database_prepare(db, sql, &statement, err);
    return status < 0 ? status : database_step(statement, ret, err);
}

static int find_contradiction(sqlite3 *db, struct cann_version_said *said, struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && said->contradicted == NULL && i < sizeof newer / sizeof *newer; i++) {
        bool there = false;
        if (said->version < newer[i].since)
            status = holds(db, newer[i].sql, &there, err);
        if (there)
            said->contradicted = newer[i].told;
    }
    return status;
}

int cann_version_said(sqlite3 *db, const char *framework, struct cann_version_said *ret, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    *ret = (struct cann_version_said){.version = CANN_VERSION_NEWEST};
    bool there = false;
    if (database_prepare(db, "SELECT value FROM setting WHERE name = 'cannVersion' AND value <> '' ORDER BY part_id",
                         &statement, err) < 0 ||
        database_step(statement, &there, err) < 0)
        return err_status(err);
    const char *text = there ? (const char *)sqlite3_column_text(statement, 0) : framework;
    if (text != NULL && cann_version_parse(text, &ret->version))
        snprintf(ret->text, sizeof ret->text, "%s", text);
    int status = ret->version != CANN_VERSION_NEWEST ? find_contradiction(db, ret, err) : 0;
    if (ret->contradicted != NULL)
        ret->version = CANN_VERSION_NEWEST;
    return status;
}
