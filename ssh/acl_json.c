/* SPDX-License-Identifier: Apache-2.0 */
#include "ssh/acl_json.h"

#include "base/format/json_in.h"

#include <stdio.h>
#include <string.h>

/* A place in a text that json_parse has accepted; still, nothing is read beyond end. */
struct scanner {
    const char *at, *end;
};

struct text {
    const char *start;
    size_t length;
};

/* As json_parse has it: control characters count as blanks. */
static bool is_blank(char c)
{
    return (unsigned char)c <= ' ';
}

static void skip_blanks(struct scanner *s)
{
    while (s->at < s->end && is_blank(*s->at))
        s->at++;
}

static void skip_string(struct scanner *s)
{
    for (s->at++; s->at < s->end && *s->at != '"'; s->at++)
        if (*s->at == '\\')
            s->at++;
    if (s->at < s->end)
        s->at++;
    else
        s->at = s->end;
}

/* Any value: brackets are counted, strings skipped. */
static void skip_value(struct scanner *s)
{
    size_t depth = 0;

    skip_blanks(s);
    while (s->at < s->end) {
        char c = *s->at;

        if (c == '"') {
            skip_string(s);
            if (depth == 0)
                return;
            continue;
        }
        if (depth == 0 && (c == ',' || c == '}' || c == ']' || is_blank(c)))
            return;
        if (c == '{' || c == '[')
            depth++;
        s->at++;
        if ((c == '}' || c == ']') && --depth == 0)
            return;
    }
}

/* Finds a member of the object that the scanner stands on; its value is *ret. */
static bool find_member(struct scanner s, const char *name, struct text *ret)
{
    size_t name_length = strlen(name);

    skip_blanks(&s);
    if (s.at >= s.end || *s.at != '{')
        return false;
    s.at++;
    for (;;) {
        const char *key;
        size_t key_length;

        skip_blanks(&s);
        if (s.at >= s.end || *s.at != '"')
            return false;
        key = s.at + 1;
        skip_string(&s);
        key_length = (size_t)(s.at - key) - 1;
        skip_blanks(&s);
        if (s.at >= s.end || *s.at != ':')
            return false;
        s.at++;
        skip_blanks(&s);
        ret->start = s.at;
        skip_value(&s);
        ret->length = (size_t)(s.at - ret->start);
        if (key_length == name_length && memcmp(key, name, name_length) == 0)
            return true;
        skip_blanks(&s);
        if (s.at >= s.end || *s.at != ',')
            return false;
        s.at++;
    }
}

/* One member to set. */
struct member {
    const char *name, *other_name; /* other_name: the other spelling, or NULL */
    const char *value;
    struct text found; /* its value in the text; start NULL: not there */
};
enum { MEMBER_COUNT = 6 };

static void members_init(struct member members[MEMBER_COUNT], const struct acl_settings *settings, char *interval,
                         size_t interval_size)
{
    const struct member wanted[MEMBER_COUNT] = {
        {.name = "output", .value = settings->output},
        {.name = "aacpu", .other_name = "aicpu", .value = settings->ai_cpu ? "on" : "off"},
        {.name = "aac_metrics", .other_name = "aic_metrics", .value = settings->metrics},
        {.name = "interval", .value = interval},
        {.name = "acl_api", .value = settings->acl_api ? "on" : "off"},
        {.name = "switch", .value = settings->enabled ? "on" : "off"},
    };

    snprintf(interval, interval_size, "%d", settings->interval);
    memcpy(members, wanted, sizeof wanted);
}

/* The values need no escapes: they are words of ours and paths that acl_path_problem has passed. */
static void add_members(struct strbuf *ret, const struct member members[MEMBER_COUNT], bool follows)
{
    for (int i = 0; i < MEMBER_COUNT; i++)
        if (members[i].found.start == NULL) {
            strbuf_addf(ret, "%s\"%s\": \"%s\"", follows ? ", " : "", members[i].name, members[i].value);
            follows = true;
        }
}

static bool is_empty_object(struct text object)
{
    struct scanner s = {object.start + 1, object.start + object.length};

    skip_blanks(&s);
    return s.at < s.end && *s.at == '}';
}

/* The text of "profiler" with the new values in the places of the old ones, and what is missing behind the last. */
static void add_profiler(struct strbuf *ret, struct text profiler, struct member members[MEMBER_COUNT])
{
    const char *at = profiler.start, *end = profiler.start + profiler.length - 1, *tail = end;

    for (;;) { /* the values in the order of the text */
        const struct member *next = NULL;

        for (int i = 0; i < MEMBER_COUNT; i++)
            if (members[i].found.start != NULL && members[i].found.start >= at &&
                (next == NULL || members[i].found.start < next->found.start))
                next = &members[i];
        if (next == NULL)
            break;
        strbuf_add(ret, at, (size_t)(next->found.start - at));
        strbuf_addf(ret, "\"%s\"", next->value);
        at = next->found.start + next->found.length;
    }
    while (tail > at && is_blank(tail[-1]))
        tail--;
    strbuf_add(ret, at, (size_t)(tail - at));
    add_members(ret, members, !is_empty_object(profiler));
    strbuf_add(ret, tail, (size_t)(end + 1 - tail));
}

static struct acl_dump look_for_dump(const struct json *root)
{
    const struct json *dump = json_member(root, "dump");
    static const char *const switches[] = {"switch", "dump_switch", "dump_op_switch", "dump_debug"};
    struct acl_dump found = {.present = json_is_object(dump)};

    if (!found.present)
        return found;
    found.on = json_first(json_member(dump, "dump_list")) != NULL;
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++) {
        const char *value = json_string(json_member(dump, switches[i]));

        found.on = found.on || (value != NULL && strcmp(value, "on") == 0);
    }
    return found;
}

static int patch_text(struct scanner text, struct member members[MEMBER_COUNT], struct strbuf *ret, struct err *err)
{
    struct text profiler;
    struct scanner inner;

    skip_blanks(&text);
    if (!find_member(text, "profiler", &profiler)) {
        struct text whole = {text.at, (size_t)(text.end - text.at)};

        strbuf_adds(ret, "{\"profiler\": {");
        add_members(ret, members, false);
        strbuf_addf(ret, "}%s", is_empty_object(whole) ? "" : ",");
        strbuf_add(ret, text.at + 1, whole.length - 1);
        return 0;
    }
    if (profiler.start[0] != '{')
        return err_set(err, ERR_FORMAT, "\"profiler\" is not an object");
    inner = (struct scanner){profiler.start, profiler.start + profiler.length};
    for (int i = 0; i < MEMBER_COUNT; i++)
        if (!find_member(inner, members[i].name, &members[i].found) &&
            (members[i].other_name == NULL || !find_member(inner, members[i].other_name, &members[i].found)))
            members[i].found.start = NULL;
    strbuf_add(ret, text.at, (size_t)(profiler.start - text.at));
    add_profiler(ret, profiler, members);
    strbuf_add(ret, profiler.start + profiler.length, (size_t)(text.end - profiler.start) - profiler.length);
    return 0;
}

/* Whether the patched text says what was wished, read as a program reads it: keys that are spelled with escapes, or
 * hold NUL bytes, are found by a parser and not by us. */
static int check_patched(const struct strbuf *patched, const struct member members[MEMBER_COUNT], struct err *err)
{
    SCOPED_JSON struct json *root = json_parse(patched->data, patched->length, err);
    const struct json *profiler = json_member(root, "profiler");
    bool is_right = root != NULL;

    for (int i = 0; i < MEMBER_COUNT && is_right; i++) {
        const char *value = json_string(json_member(profiler, members[i].name));

        if (value == NULL && members[i].other_name != NULL)
            value = json_string(json_member(profiler, members[i].other_name));
        is_right = value != NULL && strcmp(value, members[i].value) == 0;
    }
    return is_right ? 0 : err_set(err, ERR_FORMAT, "a key of \"profiler\" contains escapes or is repeated");
}

int acl_json_patch(const char *text, size_t length, const struct acl_settings *settings, struct strbuf *ret,
                   struct acl_dump *ret_dump, struct err *err)
{
    static const char nothing[] = "{}\n";
    struct member members[MEMBER_COUNT];
    char interval[16];
    int result;

    if (text == NULL) {
        text = nothing;
        length = sizeof nothing - 1;
    }
    SCOPED_JSON struct json *root = json_parse(text, length, err);
    if (root == NULL)
        return err_status(err);
    members_init(members, settings, interval, sizeof interval);
    if (!json_is_object(root))
        result = err_set(err, ERR_FORMAT, "not a JSON object");
    else
        result = patch_text((struct scanner){text, text + length}, members, ret, err);
    if (result == 0 && ret->failed)
        result = err_no_memory(err);
    if (result == 0)
        result = check_patched(ret, members, err);
    *ret_dump = look_for_dump(root);
    return result;
}

char acl_path_problem(const char *path)
{
    for (; *path != '\0'; path++) {
        char c = *path;

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
              c == '.' || c == '/'))
            return c;
    }
    return 0;
}
