/* SPDX-License-Identifier: Apache-2.0 */
/* A subscriber as the guides' samples show it: a pipe, a subscription, a thread that reads, and the end of the pipe
 * that the library closes. Prints a line for each operator: model, flag, start, end, duration, type, name, divided by
 * tabs.
 *
 *   subscriber cann|svp COUNT MODEL...   subscribes to models, ends the subscriptions after COUNT operators
 *   subscriber read                      reads standard input, without a subscription
 *
 * Where a real one executes the model this one waits. Exit status 1: a call failed. */
#include "msprof/acl_prof.h"
#include "msprof/svp_acl_prof.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDS 10 /* that are read at once */
#define BUFFER_SIZE ((size_t)RECORDS * 128)

static bool use_svp_names;
static atomic_ullong operators_read;

/* Ends the program unless a call was successful. */
static void check(aclError code, const char *call)
{
    if (code == ACL_SUCCESS)
        return;
    fprintf(stderr, "%s: %d: %s\n", call, code, msprof_acl_message());
    exit(1);
}

static void print_operator(const void *info, size_t length, uint32_t index)
{
    size_t type_length = 0, name_length = 0;

    check(aclprofGetOpTypeLen(info, length, index, &type_length), "aclprofGetOpTypeLen");
    check(aclprofGetOpNameLen(info, length, index, &name_length), "aclprofGetOpNameLen");
    char *type = calloc(1, type_length), *name = calloc(1, name_length);
    check(aclprofGetOpType(info, length, index, type, type_length), "aclprofGetOpType");
    check(aclprofGetOpName(info, length, index, name, name_length), "aclprofGetOpName");
    printf("%zu\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s\n", aclprofGetModelId(info, length, index),
           (int)aclprofGetOpFlag(info, length, index), aclprofGetOpStart(info, length, index),
           aclprofGetOpEnd(info, length, index), aclprofGetOpDuration(info, length, index), type, name);
    free(type);
    free(name);
}

/* As SVP programs do it, with buffers of the usual sizes. */
static void print_svp_operator(const void *info, size_t length, uint32_t index)
{
    char type[SVP_ACL_PROF_MAX_OP_TYPE_LEN], name[SVP_ACL_PROF_MAX_OP_NAME_LEN];

    check(svp_acl_prof_get_op_type(info, length, index, type, sizeof type), "svp_acl_prof_get_op_type");
    check(svp_acl_prof_get_op_name(info, length, index, name, sizeof name), "svp_acl_prof_get_op_name");
    printf("%zu\t0\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t%s\n", svp_acl_prof_get_model_id(info, length, index),
           svp_acl_prof_get_op_start(info, length, index), svp_acl_prof_get_op_end(info, length, index),
           svp_acl_prof_get_op_duration(info, length, index), type, name);
}

/* Reads to the end; a record that came in parts is kept until it is whole. */
static void *read_operators(void *argument)
{
    const int *fd = argument;
    char buffer[BUFFER_SIZE];
    size_t size = 0, kept = 0;
    ssize_t n;

    check(use_svp_names ? svp_acl_prof_get_op_desc_size(&size) : aclprofGetOpDescSize(&size), "get_op_desc_size");
    while ((n = read(*fd, buffer + kept, RECORDS * size - kept)) > 0) {
        uint32_t count = 0;
        size_t whole = (kept + (size_t)n) / size * size;

        check(use_svp_names ? svp_acl_prof_get_op_num(buffer, whole, &count) : aclprofGetOpNum(buffer, whole, &count),
              "get_op_num");
        for (uint32_t i = 0; i < count; i++) {
            if (use_svp_names)
                print_svp_operator(buffer, whole, i);
            else
                print_operator(buffer, whole, i);
        }
        kept = kept + (size_t)n - whole;
        memmove(buffer, buffer + whole, kept);
        fflush(stdout);
        operators_read += count;
    }
    return NULL;
}

static void subscribe(uint32_t model, const void *config)
{
    if (use_svp_names)
        check(svp_acl_prof_model_subscribe(model, config), "svp_acl_prof_model_subscribe");
    else
        check(aclprofModelSubscribe(model, config), "aclprofModelSubscribe");
}

static void unsubscribe(uint32_t model)
{
    if (use_svp_names)
        check(svp_acl_prof_model_unsubscribe(model), "svp_acl_prof_model_unsubscribe");
    else
        check(aclprofModelUnSubscribe(model), "aclprofModelUnSubscribe");
}

static uint32_t number(const char *text)
{
    return (uint32_t)strtoul(text, NULL, 10);
}

static int run_subscription(uint32_t count, char **models)
{
    int ends[2];
    pthread_t thread;
    void *config;

    if (pipe(ends) < 0)
        return 1;
    config = use_svp_names ? (void *)svp_acl_prof_create_subscribe_config(1, SVP_ACL_AICORE_NONE, &ends[1])
                           : (void *)aclprofCreateSubscribeConfig(1, ACL_AICORE_NONE, &ends[1]);
    if (config == NULL)
        check(ACL_ERROR_FAILURE, "create_subscribe_config");
    for (char **model = models; *model != NULL; model++)
        subscribe(number(*model), config);
    if (pthread_create(&thread, NULL, read_operators, &ends[0]) != 0)
        return 1;
    while (operators_read < count)
        usleep(1000);
    for (char **model = models; *model != NULL; model++)
        unsubscribe(number(*model));
    pthread_join(thread, NULL);
    close(ends[0]);
    check(use_svp_names ? svp_acl_prof_destroy_subscribe_config(config) : aclprofDestroySubscribeConfig(config),
          "destroy_subscribe_config");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "read") == 0) {
        int fd = STDIN_FILENO;
        read_operators(&fd);
        return 0;
    }
    if (argc < 4) {
        fputs("usage: subscriber cann|svp COUNT MODEL... | subscriber read\n", stderr);
        return 2;
    }
    use_svp_names = strcmp(argv[1], "svp") == 0;
    return run_subscription(number(argv[2]), argv + 3);
}
