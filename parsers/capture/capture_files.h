/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of capture discovery, shared by capture_open.c (all of it), capture_collections.c (what it finds),
 * capture_names.c, capture_list.c (directories) and capture_config.c (small files). */
#ifndef MSPROF_PARSERS_CAPTURE_CAPTURE_FILES_H
#define MSPROF_PARSERS_CAPTURE_CAPTURE_FILES_H

#include "parsers/capture/capture.h"

#include <sys/types.h>

/* One entry of the capture directory or of its data/. */
struct entry {
    const char *name; /* relative to the capture: "info.json.0", "data/aicore.0.1.1" */
    uint64_t size;
    int64_t modified_ns;
    uint64_t inode;
    mode_t mode; /* of what a symbolic link inside the capture points to */
    bool leaves; /* a symbolic link that points out of the capture, or to nothing */
    bool beside; /* a file beside data/ and the parts that nothing of a capture is called like: none of it */
};

struct entry_list {
    struct entry *entries;
    struct text_blocks names;
    size_t count, capacity;
    bool has_data;                   /* there is a data/ directory, its own or that of a part */
    const struct capture_tree *tree; /* NULL: it is none */
};

#define ENTRIES_FOR_THREADS 4096 /* from so many on threads beside the caller's are worth their start */

/* Everything in the directory and its data/ except results, hidden names and the markers that parsers drop (.complete),
 * in any order. */
int entry_list_gather(struct entry_list *list, const char *directory, struct err *err);
void entry_list_release(struct entry_list *list);
/* Sorts by name, which the two below need. */
void entry_list_sort(struct entry_list *list);
/* See capture_fingerprint. */
int entry_list_fingerprint(const struct entry_list *list, char ret[65], struct err *err);
/* See capture.sum; in any order. */
uint64_t entry_list_sum(const struct entry_list *list);
/* By name; NULL: there is none. */
const struct entry *entry_list_find(const struct entry_list *list, const char *name);

/* The last part of a relative name. */
const char *capture_base_name(const char *name);

/* The kind whose pattern the name follows, and the families that name files so; identity as capture_match_name gives
 * it. NULL: none. Both may be NULL. */
const struct record_kind *capture_recognise(const char *name, struct file_identity *identity, unsigned *ret_families);
/* Likewise among the kinds of a tree's family, which capture_recognise leaves out. */
const struct record_kind *capture_recognise_in_tree(const struct capture_tree *tree, const char *name,
                                                    struct file_identity *identity);
/* The kind that files of this name are of on this chip alone; NULL: the one that capture_recognise gives. */
const struct record_kind *capture_kind_on_chip(const char *name, int64_t chip);
/* Whether the name is that of a configuration file; config files are read by capture_read_config. */
bool capture_is_config_name(const char *name);
/* Whether CANN or its tool calls a file so that says nothing of what was recorded: which features the driver lacks, and
 * rules of advice. */
bool capture_is_tool_name(const char *name);
/* Whether the name is that of a known stream which is not decoded (docs/formats/cann.md 1.2). */
bool capture_is_known_stream(const char *name);

/* Whether the name is that of what a board keeps of an inference's content. */
bool capture_is_board_content(const char *name);

/* The sub-directory of a PROF capture that a relative name is in: the length of "host" or "device_0" in front of it;
 * 0: in none. */
size_t part_prefix(const char *name);
/* Whether this is the name of such a sub-directory. */
bool capture_is_part_directory(const char *name);
/* Finds or adds the part that a relative name is in; its index into *ret. */
int capture_add_part(struct capture *capture, const char *name, size_t *ret, struct err *err);
/* Configuration file with the clocks, chip and switches of its part. Facts that it lacks stay as they were:
 * files that lack something are reported when it is known that it is needed. A value that is of another device,
 * contradicts what was read before or is not as it is known to be (config_keys.h) is reported. */
struct config_file {
    const char *name;        /* relative to the capture */
    const char *text;        /* NUL-terminated */
    const struct json *root; /* the object that it holds; NULL: it is no JSON, or none that was understood */
    struct diagnostics *diag;
};
int part_read_config(struct capture_part *part, const struct config_file *file, struct err *err);
/* Recognises the family by the kinds of files, leaves out what cannot be read, completes and checks the clocks. */
void capture_settle_family(struct capture *capture);
/* Sorts the parts and files' references to them; completes the facts of a part with those that another one contains. */
int capture_settle_parts(struct capture *capture, struct err *err);

/* Reads info.json and net.info files into devices and models, and lists them among the capture's files. */
int capture_read_config(struct capture *capture, const struct entry *entry, struct err *err);
/* Parses a .done file; what it does not say is -1. A file that is not understood is reported. */
int capture_read_done(struct capture *capture, const char *name, struct done_info *ret, struct err *err);

/* A new, zeroed file of the capture; NULL when memory ran out. */
struct capture_file *capture_add_file(struct capture *capture, const struct entry *entry);
/* Finds or adds; NULL with err set when memory ran out, NULL without when there are too many (which is reported). */
struct capture_model *capture_add_model(struct capture *capture, const char *name, int64_t model_id, struct err *err);
/* Finds or adds; NULL with err set when memory ran out, NULL without when there are too many (which is reported). */
struct device_info *capture_add_device(struct capture *capture, int64_t device_id, struct err *err);

/* Reports, as notes, files that a capture of this family has, or that its settings or its other files speak of, and
 * that are not there. -code when memory ran out. */
int capture_report_absent(struct capture *capture, struct err *err);

#endif
