/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the readers of subscribed records, for both families of names. */
#ifndef MSPROF_ACL_SUBSCRIBE_SUBSCRIBE_RECORD_H
#define MSPROF_ACL_SUBSCRIBE_SUBSCRIBE_RECORD_H

#include "acl/subscribe/operator_record.h"
#include "acl/subscribe/subscribe_names.h"
#include "msprof/acl_prof.h"

/* Bytes that a program got from the pipe, and which record of them is meant. */
struct operator_place {
    const void *info;
    size_t length;
    uint32_t index;
};

/* Each returns 0, or ACL_ERROR_INVALID_PARAM with its message set and the outputs untouched: NULL, a length that is no
 * multiple of the record's size, an index beyond the end, a wrong signature (of any record for subscribe_count, else of
 * the record at the place). */
aclError subscribe_desc_size(size_t *ret);
aclError subscribe_count(const void *info, size_t length, uint32_t *ret);
aclError subscribe_record_at(const struct operator_place *place, struct operator_record *ret);
aclError subscribe_text_length(const struct operator_place *place, enum operator_text which, size_t *ret);
aclError subscribe_text(const struct operator_place *place, enum operator_text which, char *buffer, size_t size);

#endif
