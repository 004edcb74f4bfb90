/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/capture/capture_losses.h"

#include "base/format/json_in.h"

#include <inttypes.h>

#define UNWRITTEN_MS 200 /* how long records wait for being written (docs/formats/acl-api.md) */

/* A count; 0 when there is none that makes sense. */
static int64_t count_of(const struct json *value)
{
    int64_t count;
    return json_integer(value, &count) && count > 0 ? count : 0;
}

void capture_report_losses(const char *file, const struct json *root, struct diagnostics *diag)
{
    struct place place = {file, -1, -1, NULL};
    const char *reason = json_string(json_member(root, "reason"));
    bool ended;
    int64_t calls = count_of(json_member(root, "calls")), tx = count_of(json_member(root, "tx"));
    if (reason != NULL && *reason == '\0')
        reason = NULL;
    if (calls == 0 && tx == 0 && reason != NULL)
        diag_report(diag, DIAG_RECORDING_LOST, &place, "names of what was recorded were lost: %s", reason);
    else if (calls > 0 || tx > 0)
        diag_report(diag, DIAG_RECORDING_LOST, &place,
                    "%" PRId64 " calls and %" PRId64 " msproftx records were lost while recording: %s", calls, tx,
                    reason != NULL ? reason : "no memory");
    if (json_boolean(json_member(root, "ended"), &ended) && !ended)
        diag_report(diag, DIAG_RECORDING_OPEN, &place,
                    "\"ended\" is false: up to %d ms of the end may be missing; expected true", UNWRITTEN_MS);
    for (const struct json *left = json_first(json_member(root, "left")); left != NULL; left = json_next(left)) {
        const char *name = json_key(left);
        int64_t count = count_of(left);
        if (count > 0 && name != NULL)
            diag_report(diag, DIAG_CALL_LEFT, &place, "'%.64s': %" PRId64 " that did not return", name, count);
    }
    if (count_of(json_member(root, "left_other")) > 0)
        diag_report(diag, DIAG_CALL_LEFT, &place, "calls whose function is not known: %" PRId64 " that did not return",
                    count_of(json_member(root, "left_other")));
}
