/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of communication.json and communication_matrix.json: operators with what they did, by steps. */
#ifndef MSPROF_EXPORTERS_COMMUNICATION_COMMUNICATION_H
#define MSPROF_EXPORTERS_COMMUNICATION_COMMUNICATION_H

#include "base/file/outfile.h"
#include "base/strbuf.h"
#include "exporters/communication/comm_sum.h"
#include "exporters/reports/framework/analysis.h"

struct comm_operator {
    const char *name;
    uint64_t group; /* its number */
    bool point_to_point;
    size_t step; /* place among the document's steps; SIZE_MAX: in none */
    int64_t start_ns;
    struct collective_tasks tasks;
};

struct comm_step {
    const char *id; /* NULL: the whole capture */
    int64_t start_ns, end_ns;
};

struct comm_document {
    struct framework_analysis *analysis;
    bool pytorch;
    struct comm_operator *operators;
    size_t operator_count;
    struct comm_step *steps;
    size_t *places; /* of the steps before some were chosen: where each is among those; SIZE_MAX: it is not */
    size_t step_count;
    struct outfile out;
    struct strbuf text; /* what is on its way to out */
};

/* Writes the halves of a step, "p2p" and "collective": an object each, whose members half writes. */
int comm_write_steps(struct comm_document *document, const char *name,
                     int (*half)(struct comm_document *document, size_t step, bool point_to_point, struct err *err),
                     struct err *err);

/* Reads a capture's communication, with the steps that are wanted. Without any, operator_count is 0. Release it
 * whatever the result. */
int comm_document_open(struct comm_document *document, struct framework_analysis *analysis, struct err *err);
void comm_document_release(struct comm_document *document);

/* Whether an operator counts in a half of a step. */
static inline bool comm_is_in(const struct comm_operator *op, size_t step, bool point_to_point)
{
    return op->step == step && op->point_to_point == point_to_point && op->start_ns != INT64_MAX;
}

/* The kind of operator that a name is of, as the frameworks' matrices call it: "allreduce". */
#define COMM_TYPE_MAX 512
void comm_type_of(const char *name, bool pytorch, bool point_to_point, char ret[COMM_TYPE_MAX]);

/* One of the fastest, the middle and the slowest on each link, or all together, of one kind of operator and one group.
 */
struct comm_link_row {
    const char *key; /* "allreduce-top1" */
    uint64_t group;
    const struct comm_transfer_sum *sum;
    double bandwidth;
    const char *op; /* NULL: of all together */
    bool first;     /* of its key and group */
};
typedef int comm_link_taker(void *arg, const struct comm_link_row *row, struct err *err);
int comm_each_link(struct comm_document *document, size_t step, bool point_to_point, comm_link_taker *take, void *arg,
                   struct err *err);

int comm_write_half(struct comm_document *document, size_t step, bool point_to_point, struct err *err);
int comm_write_matrix_half(struct comm_document *document, size_t step, bool point_to_point, struct err *err);

/* "key": with what must stand before it. */
void comm_put_key(struct strbuf *text, const char *key);
/* Puts the key likewise, and a number, as short as it reads back the same. */
void comm_put_real(struct strbuf *text, const char *key, double value);
/* The number alone, REAL_SHORTEST_MAX bytes at most, without a NUL: its length. Prints 0 for what is no number. */
size_t comm_print_real(char *text, double value);
/* Gives the text to the file and empties it. */
int comm_flush(struct comm_document *document, struct err *err);

#endif
