/* SPDX-License-Identifier: Apache-2.0 */
/* communication.json: how the time of each communication operator went. */
#include "exporters/communication/communication.h"

#include "base/array.h"
#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>

static void put_times(struct strbuf *text, const struct comm_sum *sum, bool total)
{
    comm_put_key(text, "Communication Time Info");
    strbuf_addc(text, '{');
    if (!total) {
        comm_put_key(text, "Start Timestamp(us)");
        strbuf_addf(text, "%lld.%03d", (long long)(sum->start_ns / 1000), (int)(sum->start_ns % 1000));
    }
    comm_put_real(text, "Elapse Time(ms)", sum->elapse_ms);
    comm_put_real(text, "Transit Time(ms)", sum->transit_ms);
    comm_put_real(text, "Wait Time(ms)", sum->wait_ms);
    comm_put_real(text, "Synchronization Time(ms)", sum->synchronization_ms);
    comm_put_real(text, "Idle Time(ms)", sum->idle_ms);
    comm_put_real(text, "Wait Time Ratio", comm_ratio(sum->wait_ms, sum->transit_ms));
    comm_put_real(text, "Synchronization Time Ratio", comm_ratio(sum->synchronization_ms, sum->transit_ms));
    strbuf_addc(text, '}');
}

static int put_sizes(struct strbuf *text, const struct comm_traffic *traffic, struct err *err)
{
    size_t count;
    const struct comm_packets **sorted = comm_sorted_packets(traffic, &count, err);
    if (sorted == NULL)
        return -(int)err->code;
    comm_put_key(text, "Size Distribution");
    strbuf_addc(text, '{');
    for (size_t i = 0; i < count; i++) {
        char number[REAL_SHORTEST_MAX + 1], name[REAL_SHORTEST_MAX + sizeof ".0"];
        number[comm_print_real(number, (double)sorted[i]->bytes / COMM_BYTES_PER_MB)] = '\0';
        snprintf(name, sizeof name, "%s%s", number, strpbrk(number, ".e") == NULL ? ".0" : "");
        comm_put_key(text, name);
        strbuf_addf(text, "[%lld, ", (long long)sorted[i]->count);
        strbuf_add(text, number, comm_print_real(number, sorted[i]->ms));
        strbuf_addc(text, ']');
    }
    strbuf_addc(text, '}');
    free(sorted);
    return 0;
}

static int put_traffic(struct strbuf *text, const struct comm_sum *sum, bool total, struct err *err)
{
    int status = 0;
    comm_put_key(text, "Communication Bandwidth Info");
    strbuf_addc(text, '{');
    for (int i = 0; status == 0 && i < COMM_LINKS; i++) {
        const struct comm_traffic *traffic = &sum->links[i];
        comm_put_key(text, collective_media[i]);
        strbuf_addc(text, '{');
        comm_put_real(text, "Transit Size(MB)", traffic->mb);
        comm_put_real(text, "Transit Time(ms)", traffic->ms);
        if (!total) {
            comm_put_real(text, "Bandwidth(GB/s)", comm_bandwidth(traffic->mb, traffic->ms));
            comm_put_real(text, "Large Packet Ratio", comm_large_ratio(traffic));
        }
        status = put_sizes(text, traffic, err);
        strbuf_addc(text, '}');
    }
    strbuf_addc(text, '}');
    return status;
}

static int put_sum(struct comm_document *document, const char *name, const struct comm_sum *sum, bool total,
                   struct err *err)
{
    struct strbuf *text = &document->text;
    comm_put_key(text, name);
    strbuf_addc(text, '{');
    put_times(text, sum, total);
    int status = put_traffic(text, sum, total, err);
    strbuf_addc(text, '}');
    return status;
}

static int put_operator(struct comm_document *document, const struct comm_operator *operator, struct comm_sum * total,
                        struct err *err)
{
    struct strbuf name;
    struct comm_sum sum;
    comm_sum_init(&sum);
    strbuf_init(&name, 1024 * 1024);
    strbuf_addf(&name, "%s@%llu", operator->name, (unsigned long long)operator->group);
    int status = name.failed ? err_set(err, ERR_NO_MEMORY, "out of memory for a name")
                             : comm_sum_make(&sum, operator->name, &operator->tasks, err);
    if (status == 0)
        status = put_sum(document, name.data, &sum, false, err);
    if (status == 0)
        status = comm_sum_add(total, &sum, err);
    strbuf_release(&name);
    comm_sum_release(&sum);
    return status;
}

int comm_write_half(struct comm_document *document, size_t step, bool point_to_point, struct err *err)
{
    struct comm_sum total;
    int status = 0;
    bool any = false;
    comm_sum_init(&total);
    for (size_t i = 0; status == 0 && i < document->operator_count; i++) {
        const struct comm_operator *operator= & document->operators[i];
        if (!comm_is_in(operator, step, point_to_point))
            continue;
        any = true;
        status = put_operator(document, operator, & total, err);
    }
    if (status == 0 && any)
        status = put_sum(document, "Total Op Info", &total, true, err);
    comm_sum_release(&total);
    return status;
}
