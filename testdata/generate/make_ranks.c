/* SPDX-License-Identifier: Apache-2.0 */
/* make-ranks: the ranks of a job as a framework's analysis leaves them, or only their aggregates, for trying out and
 * measuring 'msprof cluster' at any size. Every duration follows from the options and the seed: a collective takes its
 * transmission, and each rank longer by what it came earlier than the last. Each rank is in two groups, "tp" of its
 * neighbours and "dp" of one rank of each "tp"; their collectives alternate, and stand in the files in the order of
 * time, as frameworks write them. */
#include "base/array.h"
#include "base/file/fsutil.h"
#include "features/cluster/cluster.h"
#include "features/cluster/rank/aggregate.h"
#include "features/cluster/rank/load.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START_NS INT64_C(1735689600000000000)
#define STEP_NS INT64_C(500000000)

struct job {
    const char *output;
    int64_t ranks, steps, collectives, group_size; /* collectives of each rank in a step; ranks of a group */
    int64_t slow_rank, slow_ns;                    /* comes later by this; -1: none */
    int64_t slow_source;  /* its link to the next rank has a tenth of the bandwidth; -1: none */
    int64_t missing_rank; /* lacks the last step; -1: none */
    uint64_t seed;
    bool aggregates;
};

/* Equal inputs, equal numbers: a mix of the seed and what is asked about. */
static uint64_t noise(const struct job *job, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t x =
        job->seed * 0x9e3779b97f4a7c15u ^ a * 0xbf58476d1ce4e5b9u ^ b * 0x94d049bb133111ebu ^ c * 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

/* When a rank arrives at a collective, after the first that could. */
static int64_t arrival_ns(const struct job *job, int64_t rank, int64_t step, int64_t number)
{
    int64_t late = (int64_t)(noise(job, (uint64_t)rank, (uint64_t)step, (uint64_t)number) % 5000) + 1000;
    return rank == job->slow_rank ? late + job->slow_ns : late;
}

enum group { GROUP_TP, GROUP_DP, GROUPS };

/* The ranks of a group: first, first + step, ... */
struct members {
    int64_t first, step, count;
};

static struct members members_of(const struct job *job, int64_t rank, enum group group)
{
    int64_t size = job->group_size, square = rank / (size * size) * size * size;
    struct members members = {rank / size * size, 1, size};
    if (group == GROUP_DP)
        members = (struct members){square + rank % size, size, size};
    while (members.first + (members.count - 1) * members.step >= job->ranks)
        members.count--;
    return members;
}

static int64_t place_in(const struct members *members, int64_t rank)
{
    return (rank - members->first) / members->step;
}

/* Every third collective is one of the second group, where that has several ranks. */
static enum group group_of(const struct job *job, int64_t rank, int64_t number)
{
    return number % 3 == 2 && members_of(job, rank, GROUP_DP).count > 1 ? GROUP_DP : GROUP_TP;
}

static int64_t last_arrival_ns(const struct job *job, const struct members *members, int64_t step, int64_t number)
{
    int64_t last = 0;
    for (int64_t i = 0; i < members->count; i++) {
        int64_t arrival = arrival_ns(job, members->first + i * members->step, step, number);
        last = arrival > last ? arrival : last;
    }
    return last;
}

static void add_text(struct rank_data *rank, const char *text, uint32_t *ret)
{
    struct err err = ERR_INIT;
    if (rank_text(rank, text, strlen(text), ret, &err) < 0)
        exit(1);
}

static void add_group(const struct job *job, struct rank_data *rank, enum group group)
{
    static const char *const names[GROUPS] = {"tp", "dp"};
    const struct members members = members_of(job, rank->rank, group);
    char number[32], id[64];
    struct err err = ERR_INIT;
    uint32_t index;
    snprintf(id, sizeof id, "10.0.0.1%%eth0_%d_%" PRId64, 60000 + (int)group, members.first);
    snprintf(number, sizeof number, "%" PRIu64, rank_group_number(id));
    if (rank_group_of(rank, number, strlen(number), &index, &err) < 0)
        exit(1);
    struct rank_group *added = &rank->groups.items[index];
    added->first_run = (uint32_t)rank->runs.count;
    added->told_number = (int32_t)place_in(&members, rank->rank);
    for (int64_t i = 0; i < members.count; i++) {
        if (rank_group_add_member(rank, added, members.first + i * members.step, &err) < 0)
            exit(1);
    }
    uint32_t name, text;
    add_text(rank, names[group], &name);
    add_text(rank, id, &text);
    rank->groups.items[index].name = name;
    rank->groups.items[index].id = text;
}

static void add_operator(const struct job *job, struct rank_data *rank, int64_t step, int64_t number,
                         const uint32_t blocks[GROUPS])
{
    static const char *const kinds[] = {"allReduce", "allGather", "reduceScatter", "broadcast"};
    struct rank_operator *operator_ = &rank->operators.items[rank->operators.count++];
    const enum group group = group_of(job, rank->rank, number);
    const struct members members = members_of(job, rank->rank, group);
    int64_t bytes = 65536 * (1 + (int64_t)(noise(job, 7, (uint64_t)step, (uint64_t)number) % 512));
    int64_t transmit = 20000 + bytes / 100,
            wait = last_arrival_ns(job, &members, step, number) - arrival_ns(job, rank->rank, step, number);
    struct err err = ERR_INIT;
    char name[64];
    snprintf(name, sizeof name, "hcom_%s__%03" PRId64 "_%" PRId64 "_1", kinds[number % 4], members.first % 1000,
             step * job->collectives + number);
    *operator_ = (struct rank_operator){.block = blocks[group],
                                        .start_ns = START_NS + step * STEP_NS + number * 200000 +
                                                    arrival_ns(job, rank->rank, step, number)};
    operator_->ns[COMM_ELAPSE] = transmit + wait;
    operator_->ns[COMM_TRANSIT] = transmit / 2;
    operator_->ns[COMM_WAIT] = operator_->ns[COMM_SYNCHRONIZATION] = wait;
    operator_->ns[COMM_IDLE] = transmit - transmit / 2;
    operator_->wait_ratio = operator_->synchronization_ratio = wait * 10000 / (wait + transmit / 2);
    for (size_t i = MEDIUM_HCCS; i <= MEDIUM_SDMA; i += MEDIUM_SDMA - MEDIUM_HCCS) {
        struct rank_transfer *transfer = &operator_->transfers[i];
        *transfer =
            (struct rank_transfer){.bytes = bytes, .ns = transmit / 2, .bandwidth = bytes * 10000 / (transmit / 2)};
        if (i != MEDIUM_HCCS)
            continue;
        transfer->first_packet = (uint32_t)rank->packets.count;
        transfer->packet_count = 1;
        rank->packets.items[rank->packets.count++] = (struct comm_packet){bytes, 1, transmit / 2};
    }
    if (rank_name(rank, name, strlen(name), &operator_->name, &err) < 0)
        exit(1);
}

/* A link, or what a rank moved to itself. */
static void add_link(struct rank_data *rank, const struct rank_link *link, const char *entry, const char *transport)
{
    struct rank_link *added = &rank->links.items[rank->links.count++];
    *added = *link;
    added->bandwidth = link->bytes * 10000 / link->ns;
    added->op_name = CLUSTER_NO_TEXT;
    add_text(rank, entry, &added->entry);
    add_text(rank, transport, &added->transport);
}

static void add_links(const struct job *job, struct rank_data *rank, int64_t step, enum group group, const char *place,
                      uint32_t block)
{
    const struct members members = members_of(job, rank->rank, group);
    int64_t own = place_in(&members, rank->rank), next = (own + 1) % members.count;
    int64_t ns = 500000 + (int64_t)(noise(job, 11, (uint64_t)rank->rank, (uint64_t)step) % 5000);
    char entry[32];
    if (rank->rank == job->slow_source && group == GROUP_TP)
        ns *= 10;
    snprintf(entry, sizeof entry, "allreduce-%s", place);
    const struct rank_link self = {.block = block, .source = own, .target = own, .bytes = 70000000, .ns = 500000};
    const struct rank_link ring = {.block = block, .source = own, .target = next, .bytes = 50000000, .ns = ns};
    add_link(rank, &self, entry, "LOCAL");
    if (next != own)
        add_link(rank, &ring, entry, group == GROUP_TP ? "HCCS" : "RDMA");
}

static void add_blocks(const struct job *job, struct rank_data *rank, const char *step, uint32_t blocks[GROUPS])
{
    for (uint32_t group = 0; group < GROUPS; group++) {
        bool any = false;
        for (int64_t i = 0; i < job->collectives && i < 3; i++)
            any |= group_of(job, rank->rank, i) == (enum group)group;
        if (!any)
            continue;
        blocks[group] = (uint32_t)rank->blocks.count;
        struct rank_block *block = &rank->blocks.items[rank->blocks.count++];
        *block = (struct rank_block){.group = group};
        add_text(rank, step, &block->step);
    }
}

static void add_step(const struct job *job, struct rank_data *rank, int64_t step)
{
    static const char *const places[] = {"top1", "middle", "bottom1", "total"};
    char name[32];
    struct rank_step *row = &rank->steps.items[rank->steps.count++];
    uint32_t blocks[GROUPS] = {UINT32_MAX, UINT32_MAX};
    int64_t communication = 0, late = rank->rank == job->slow_rank ? job->slow_ns * job->collectives : 0;
    *row = (struct rank_step){.ns = {0}};
    snprintf(name, sizeof name, "%" PRId64, step);
    add_text(rank, name, &row->name);
    snprintf(name, sizeof name, "step%" PRId64, step);
    add_blocks(job, rank, name, blocks);
    for (int64_t i = 0; i < job->collectives; i++) {
        add_operator(job, rank, step, i, blocks);
        communication += rank->operators.items[rank->operators.count - 1].ns[COMM_ELAPSE];
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        for (uint32_t group = 0; group < GROUPS; group++) {
            if (blocks[group] != UINT32_MAX)
                add_links(job, rank, step, (enum group)group, places[i], blocks[group]);
        }
    }
    row->ns[0] = 100000000 + late;
    row->ns[1] = row->ns[3] = communication;
    row->ns[4] = STEP_NS - row->ns[0] - communication;
    row->ns[5] = STEP_NS;
    row->ns[7] = communication;
}

static void make_rank(const struct job *job, struct rank_data *rank, int64_t number)
{
    static const char *const titles[] = {"Computing",  "Communication(Not Overlapped)",
                                         "Overlapped", "Communication",
                                         "Free",       "Stage",
                                         "Bubble",     "Communication(Not Overlapped and Exclude Receive)",
                                         "Preparing"};
    struct err err;
    int64_t steps = number == job->missing_rank ? job->steps - 1 : job->steps;
    size_t operators = (size_t)(steps * job->collectives);
    rank_data_init(rank);
    rank->rank = number;
    if (array_reserve(&rank->operators, operators + 1, &err) < 0 ||
        array_reserve(&rank->packets, operators + 1, &err) < 0 ||
        array_reserve(&rank->steps, (size_t)steps + 1, &err) < 0 ||
        array_reserve(&rank->blocks, GROUPS * (size_t)steps + 1, &err) < 0 ||
        array_reserve(&rank->links, 16 * (size_t)steps + 1, &err) < 0)
        exit(1);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        add_text(rank, titles[i], &rank->columns[rank->column_count++]);
    add_group(job, rank, GROUP_TP);
    add_group(job, rank, GROUP_DP);
    for (int64_t step = 0; step < steps; step++)
        add_step(job, rank, step);
}

/* ---- as the frameworks' files ---- */

static FILE *open_file(const char *directory, const char *name)
{
    char *path = path_join(directory, name);
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL) {
        fprintf(stderr, "make-ranks: cannot write '%s/%s'\n", directory, name);
        exit(1);
    }
    free(path);
    return file;
}

static void close_file(FILE *file)
{
    if (fclose(file) != 0) {
        perror("make-ranks");
        exit(1);
    }
}

static void print_steps(const struct rank_data *rank, const char *directory)
{
    FILE *file = open_file(directory, "step_trace_time.csv");
    fprintf(file, "Device_id,Step");
    for (size_t i = 0; i < rank->column_count; i++)
        fprintf(file, ",%s", rank_text_of(&rank->texts, rank->columns[i]));
    fprintf(file, "\n");
    for (size_t i = 0; i < rank->steps.count; i++) {
        fprintf(file, "0,%s", rank_text_of(&rank->texts, rank->steps.items[i].name));
        for (size_t j = 0; j < rank->column_count; j++)
            fprintf(file, ",%.3f", (double)rank->steps.items[i].ns[j] / 1000);
        fprintf(file, "\n");
    }
    close_file(file);
}

static void print_operator(FILE *file, const struct rank_data *rank, const struct rank_operator *operator_)
{
    fprintf(file, "{\"Communication Time Info\": {\"Start Timestamp(us)\": %.3f", (double)operator_->start_ns / 1000);
    for (size_t i = 0; i < COMM_TIMES; i++)
        fprintf(file, ", \"%s\": %.6f", comm_time_titles[i], (double)operator_->ns[i] / 1e6);
    fprintf(file,
            ", \"Wait Time Ratio\": %.4f, \"Synchronization Time Ratio\": %.4f}, \"Communication Bandwidth Info\": {",
            (double)operator_->wait_ratio / 1e4, (double)operator_->synchronization_ratio / 1e4);
    for (size_t i = 0; i < COMM_TRANSPORTS; i++) {
        const struct rank_transfer *transfer = &operator_->transfers[i];
        fprintf(file,
                "%s\"%s\": {\"Transit Size(MB)\": %.6f, \"Transit Time(ms)\": %.6f, \"Bandwidth(GB/s)\": %.4f, "
                "\"Large Packet Ratio\": 0, \"Size Distribution\": {",
                i > 0 ? ", " : "", collective_media[i], (double)transfer->bytes / 1e6, (double)transfer->ns / 1e6,
                (double)transfer->bandwidth / 1e4);
        for (uint32_t j = 0; j < transfer->packet_count; j++) {
            const struct comm_packet *packet = &rank->packets.items[transfer->first_packet + j];
            fprintf(file, "\"%.6f\": [%" PRId64 ", %.6f]", (double)packet->bytes / 1e6, packet->count,
                    (double)packet->ns / 1e6);
        }
        fprintf(file, "}}");
    }
    fprintf(file, "}}");
}

static const char *group_number(const struct rank_data *rank, uint32_t block)
{
    return rank_text_of(&rank->texts, rank->groups.items[rank->blocks.items[block].group].number);
}

/* Begins or goes on with what a step has: blocks are in the order of steps, and what is in them too. */
static void print_frame(FILE *file, const struct rank_data *rank, uint32_t block, uint32_t *step)
{
    uint32_t wanted = rank->blocks.items[block].step;
    if (wanted == *step) {
        fprintf(file, ", ");
        return;
    }
    fprintf(file, "%s\"%s\": {\"p2p\": {}, \"collective\": {", *step != CLUSTER_NO_TEXT ? "}}, " : "",
            rank_text_of(&rank->texts, wanted));
    *step = wanted;
}

static void print_communication(const struct rank_data *rank, const char *directory)
{
    FILE *file = open_file(directory, "communication.json");
    uint32_t step = CLUSTER_NO_TEXT;
    fprintf(file, "{");
    for (size_t i = 0; i < rank->operators.count; i++) {
        const struct rank_operator *operator_ = &rank->operators.items[i];
        print_frame(file, rank, operator_->block, &step);
        fprintf(file, "\"%s@%s\": ", rank_text_of(&rank->names, operator_->name), group_number(rank, operator_->block));
        print_operator(file, rank, operator_);
    }
    fprintf(file, "%s}\n", step != CLUSTER_NO_TEXT ? "}}" : "");
    close_file(file);
}

static void print_link(FILE *file, const struct rank_data *rank, const struct rank_link *link)
{
    fprintf(file,
            "\"%" PRId64 "-%" PRId64 "\": {\"Transport Type\": \"%s\", \"Transit Size(MB)\": %.6f, "
            "\"Transit Time(ms)\": %.6f, \"Bandwidth(GB/s)\": %.4f, \"Op Name\": \"\"}",
            link->source, link->target, rank_text_of(&rank->texts, link->transport), (double)link->bytes / 1e6,
            (double)link->ns / 1e6, (double)link->bandwidth / 1e4);
}

static void print_matrix(const struct rank_data *rank, const char *directory)
{
    FILE *file = open_file(directory, "communication_matrix.json");
    const struct rank_link *before = NULL;
    uint32_t step = CLUSTER_NO_TEXT;
    fprintf(file, "{");
    for (size_t i = 0; i < rank->links.count; i++) {
        const struct rank_link *link = &rank->links.items[i];
        bool same = before != NULL && before->entry == link->entry && before->block == link->block;
        if (before != NULL && !same)
            fprintf(file, "}");
        if (!same) {
            print_frame(file, rank, link->block, &step);
            fprintf(file, "\"%s@%s\": {", rank_text_of(&rank->texts, link->entry), group_number(rank, link->block));
        } else {
            fprintf(file, ", ");
        }
        print_link(file, rank, link);
        before = link;
    }
    fprintf(file, "%s}\n", before != NULL ? "}}}" : "");
    close_file(file);
}

static void print_metadata(const struct rank_data *rank, const char *directory)
{
    FILE *file = open_file(directory, "profiler_metadata.json");
    fprintf(file, "{\"parallel_group_info\": {");
    for (size_t i = 0; i < rank->groups.count; i++) {
        const struct rank_group *group = &rank->groups.items[i];
        const char *separator = "";
        fprintf(file, "%s\"%s\": {\"group_name\": \"%s\", \"group_rank\": %" PRId32 ", \"global_ranks\": [",
                i > 0 ? ", " : "", rank_text_of(&rank->texts, group->id), rank_text_of(&rank->texts, group->name),
                group->told_number);
        for (uint32_t j = 0; j < group->run_count; j++) {
            const struct rank_run *run = &rank->runs.items[group->first_run + j];
            for (int64_t k = 0; k < run->count; k++, separator = ", ")
                fprintf(file, "%s%" PRId64, separator, run->first + run->step * k);
        }
        fprintf(file, "]}");
    }
    fprintf(file, "}}\n");
    close_file(file);
}

/* ---- all ranks ---- */

static void write_rank(const struct job *job, int64_t number)
{
    struct rank_data rank;
    struct err err = ERR_INIT;
    char directory[4096], inside[4200], name[64];
    snprintf(directory, sizeof directory, "%s/rank%05" PRId64 "_20250101000000000_ascend_pt", job->output, number);
    snprintf(inside, sizeof inside, "%s/ASCEND_PROFILER_OUTPUT", directory);
    snprintf(name, sizeof name, "profiler_info_%" PRId64 ".json", number);
    make_rank(job, &rank, number);
    int status = path_make_directories(job->aggregates ? directory : inside, &err);
    if (status == 0) {
        FILE *file = open_file(directory, name);
        fprintf(file, "{\"rank_id\": %" PRId64 "}\n", number);
        close_file(file);
    }
    if (status == 0 && !job->aggregates) {
        print_metadata(&rank, directory);
        print_steps(&rank, inside);
        print_communication(&rank, inside);
        print_matrix(&rank, inside);
    } else if (status == 0) {
        char *path = path_join(directory, AGGREGATE_NAME);
        struct diagnostics none;
        diag_init(&none, false);
        cluster_fingerprint(directory, rank.fingerprint);
        status = rank_data_gather(&rank, &err);
        if (status == 0)
            status = aggregate_write(&rank, &none, job->ranks <= CLUSTER_DETAIL_RANKS, path, &err);
        free(path);
    }
    if (status < 0) {
        fprintf(stderr, "make-ranks: %s\n", err_message(&err));
        exit(1);
    }
    rank_data_release(&rank);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"output", required_argument, NULL, 'o'},       {"ranks", required_argument, NULL, 'r'},
        {"steps", required_argument, NULL, 's'},        {"collectives", required_argument, NULL, 'c'},
        {"group", required_argument, NULL, 'g'},        {"slow-rank", required_argument, NULL, 'S'},
        {"slow-us", required_argument, NULL, 'u'},      {"slow-link", required_argument, NULL, 'l'},
        {"missing-step", required_argument, NULL, 'm'}, {"seed", required_argument, NULL, 'e'},
        {"aggregates", no_argument, NULL, 'a'},         {NULL, 0, NULL, 0},
    };
    struct job job = {.ranks = 8,
                      .steps = 4,
                      .collectives = 20,
                      .group_size = 4,
                      .slow_rank = -1,
                      .slow_ns = 100000,
                      .slow_source = -1,
                      .missing_rank = -1,
                      .seed = 1};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        long long value = optarg != NULL ? strtoll(optarg, NULL, 10) : 0;
        switch (c) {
        case 'o':
            job.output = optarg;
            break;
        case 'r':
            job.ranks = value;
            break;
        case 's':
            job.steps = value;
            break;
        case 'c':
            job.collectives = value;
            break;
        case 'g':
            job.group_size = value;
            break;
        case 'S':
            job.slow_rank = value;
            break;
        case 'u':
            job.slow_ns = value * 1000;
            break;
        case 'l':
            job.slow_source = value;
            break;
        case 'm':
            job.missing_rank = value;
            break;
        case 'e':
            job.seed = (uint64_t)value;
            break;
        case 'a':
            job.aggregates = true;
            break;
        default:
            return 2;
        }
    }
    if (job.output == NULL || job.ranks < 1 || job.steps < 1 || job.collectives < 0 || job.group_size < 1) {
        fprintf(stderr,
                "usage: make-ranks --output DIR [--ranks N] [--steps N] [--collectives N] [--group N] [--seed N]\n"
                "    [--slow-rank R] [--slow-us N] [--slow-link R] [--missing-step R] [--aggregates]\n");
        return 2;
    }
    for (int64_t i = 0; i < job.ranks; i++)
        write_rank(&job, i);
    return 0;
}
