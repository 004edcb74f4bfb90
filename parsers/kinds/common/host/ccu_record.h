/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the records of the host about instructions of the CCU: which operator and group, which task and
 * instruction, and lists of channels and ranks. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_HOST_CCU_RECORD_H
#define MSPROF_PARSERS_KINDS_COMMON_HOST_CCU_RECORD_H

#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"

/* Behind the columns of every host record. */
#define CCU_COLUMNS(STORED, MADE)                                                                                      \
    STORED(CCU_VERSION, "version", "Version", NUMBER, "Version of the record.", AT(24, 1))                             \
    MADE(CCU_WORK_FLOW_MODE, "work_flow_mode", "Mode", NUMBER, "How the operator is expanded.")                        \
    STORED(CCU_ITEM, "item", "Item", INTEGER(NONE, TRANSIENT), "The operator, as an id of the hash dictionary.",       \
           SIGNED_AT(32, 8))                                                                                           \
    STORED(CCU_GROUP, "group_hash", "Group", INTEGER(NONE, TRANSIENT), "The group, as an id of the hash dictionary.",  \
           SIGNED_AT(40, 8))                                                                                           \
    MADE(CCU_ITEM_ID, "item_id", "Item", MADE_NUMBER, "The operator (name.id).")                                       \
    MADE(CCU_GROUP_ID, "group_name_id", "Group", MADE_NUMBER, "The group of ranks (name.id).")                         \
    STORED(CCU_RANK_ID, "rank_id", "Rank", NUMBER, "The rank itself.", AT(48, 4))                                      \
    STORED(CCU_RANK_SIZE, "rank_size", "Ranks", NUMBER, "How many ranks the group has.", AT(52, 4))                    \
    MADE(CCU_STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream.")                                               \
    STORED(CCU_TASK_ID, "task_id", "Task ID", NUMBER, "The task, a number of 32 bits.", AT(60, 4))                     \
    STORED(CCU_DIE_ID, "die_id", "Die", NUMBER, "The die of the CCU.", AT(64, 1))                                      \
    MADE(CCU_MISSION_ID, "mission_id", "Mission", NUMBER, "The mission on the die.")                                   \
    STORED(CCU_INSTRUCTION_ID, "instruction_id", "Instruction ID", NUMBER, "The instruction.", AT(66, 2))
enum { LAST_SHARED = HOST_RECORD_COLUMN_COUNT - 1, CCU_COLUMNS(COLUMN_NUMBER, COLUMN_NUMBER) CCU_RECORD_COLUMN_COUNT };

#define CCU_RECORD_COLUMNS HOST_RECORD_COLUMNS, CCU_COLUMNS(COLUMN_STORED, COLUMN_MADE)
#define CCU_RECORD_FIELDS HOST_RECORD_FIELDS, CCU_COLUMNS(COLUMN_FIELD, COLUMN_NO_FIELD)

/* Additions of records with lists: the columns of both, which are a kind's last, and the fields that do not stand as in
 * ccu_task_info. */
#define CCU_LISTS_COLUMNS                                                                                              \
    COLUMN("channels", "Channels", TEXT(DERIVED), "The channels that it uses, with commas between."),                  \
        COLUMN("remote_ranks", "Remote ranks", TEXT(DERIVED), "The ranks at their other ends, in the same form.")
#define CCU_LISTS_FIELDS                                                                                               \
    CCU_RECORD_FIELDS FIELD("work_flow_mode", 56, 1), FIELD("stream_id", 58, 2), FIELD("mission_id", 68, 1)

/* The record hook: fills the time and the names of a record, and of one with lists those, as texts "3,5". */
int ccu_record_take(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err);

#endif
