/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the records of the host about instructions of the CCU: which operator and group, which task and
 * instruction, and lists of channels and ranks. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_HOST_CCU_RECORD_H
#define MSPROF_PARSERS_KINDS_COMMON_HOST_CCU_RECORD_H

#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"

/* Behind the columns of every host record, in this order. */
enum ccu_record_column {
    CCU_VERSION = HOST_RECORD_COLUMN_COUNT,
    CCU_WORK_FLOW_MODE,
    CCU_ITEM,
    CCU_GROUP,
    CCU_ITEM_ID,
    CCU_GROUP_ID,
    CCU_RANK_ID,
    CCU_RANK_SIZE,
    CCU_STREAM_ID,
    CCU_TASK_ID,
    CCU_DIE_ID,
    CCU_MISSION_ID,
    CCU_INSTRUCTION_ID,
    CCU_RECORD_COLUMN_COUNT
};

#define CCU_NUMBER(name, title, doc) COLUMN(name, title, NUMBER, doc)
#define CCU_RECORD_COLUMNS                                                                                             \
    HOST_RECORD_COLUMNS, [CCU_VERSION] = CCU_NUMBER("version", "Version", "Version of the record."),                   \
                         [CCU_WORK_FLOW_MODE] = CCU_NUMBER("work_flow_mode", "Mode", "How the operator is expanded."), \
                         [CCU_ITEM] = COLUMN("item", "Item", INTEGER(NONE, TRANSIENT),                                 \
                                             "The operator, as an id of the hash dictionary."),                        \
                         [CCU_GROUP] = COLUMN("group_hash", "Group", INTEGER(NONE, TRANSIENT),                         \
                                              "The group, as an id of the hash dictionary."),                          \
                         [CCU_ITEM_ID] = COLUMN("item_id", "Item", MADE_NUMBER, "The operator (name.id)."),            \
                         [CCU_GROUP_ID] =                                                                              \
                             COLUMN("group_name_id", "Group", MADE_NUMBER, "The group of ranks (name.id)."),           \
                         [CCU_RANK_ID] = CCU_NUMBER("rank_id", "Rank", "The rank itself."),                            \
                         [CCU_RANK_SIZE] = CCU_NUMBER("rank_size", "Ranks", "How many ranks the group has."),          \
                         [CCU_STREAM_ID] = CCU_NUMBER("stream_id", "Stream ID", "The stream."),                        \
                         [CCU_TASK_ID] = CCU_NUMBER("task_id", "Task ID", "The task, a number of 32 bits."),           \
                         [CCU_DIE_ID] = CCU_NUMBER("die_id", "Die", "The die of the CCU."),                            \
                         [CCU_MISSION_ID] = CCU_NUMBER("mission_id", "Mission", "The mission on the die."),            \
                         [CCU_INSTRUCTION_ID] = CCU_NUMBER("instruction_id", "Instruction ID", "The instruction.")

#define CCU_RECORD_FIELDS                                                                                              \
    HOST_RECORD_FIELDS, FIELD("version", 24, 1), SIGNED_FIELD("item", 32, 8), SIGNED_FIELD("group_hash", 40, 8),       \
        FIELD("rank_id", 48, 4), FIELD("rank_size", 52, 4), FIELD("task_id", 60, 4), FIELD("die_id", 64, 1),           \
        FIELD("instruction_id", 66, 2)

/* Additions of records with lists: the columns of both lists, and the fields that do not stand as in ccu_task_info. */
#define CCU_CHANNELS_COLUMN                                                                                            \
    COLUMN("channels", "Channels", TEXT(DERIVED), "The channels that it uses, with commas between.")
#define CCU_RANKS_COLUMN                                                                                               \
    COLUMN("remote_ranks", "Remote ranks", TEXT(DERIVED), "The ranks at their other ends, likewise.")
#define CCU_LISTS_FIELDS                                                                                               \
    CCU_RECORD_FIELDS, FIELD("work_flow_mode", 56, 1), FIELD("stream_id", 58, 2), FIELD("mission_id", 68, 1)

/* Fills the time and the names of a record; for records with lists also those, as texts "3,5" in two columns, which are
 * 0 for others. */
struct ccu_lists {
    size_t channels, ranks;
};
int ccu_record_take(struct decoder *decoder, void *state, struct row *row, bool *keep, const struct ccu_lists *lists,
                    struct err *err);

#endif
