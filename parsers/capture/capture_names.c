/* SPDX-License-Identifier: Apache-2.0 */
/* Reads file names. */
#include "parsers/capture/capture_files.h"

#include "base/array.h"
#include "base/number.h"

#include <ctype.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const char *capture_base_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash != NULL ? slash + 1 : name;
}

enum placeholder {
    LITERAL,
    DEVICE_ID,
    MODEL,
    MODEL_ID,
    BATCH_NUM,
    INPUT_PIC_NUM,
    CURRENT_PIC_COUNT,
    SLICE,
    TAG,
    PROCESS_ID,
    GROUP_ID,
    CORE_ID,
    NUMBER
};

static const char *const placeholder_names[] = {
    [DEVICE_ID] = "{device_id}",
    [MODEL] = "{model}",
    [MODEL_ID] = "{model_id}",
    [BATCH_NUM] = "{batch_num}",
    [INPUT_PIC_NUM] = "{input_pic_num}",
    [CURRENT_PIC_COUNT] = "{current_pic_count}",
    [SLICE] = "{slice}",
    [TAG] = "{tag}",
    [PROCESS_ID] = "{process_id}",
    [GROUP_ID] = "{group_id}",
    [CORE_ID] = "{core_id}",
    [NUMBER] = "{number}",
};

struct token {
    enum placeholder placeholder;
    const char *text; /* of a literal */
    size_t length;
};

struct window { /* of the name, not yet matched */
    const char *start, *end;
};

static size_t split_pattern(const char *pattern, struct token tokens[CAPTURE_NAME_PIECES_MAX])
{
    size_t count = 0;
    while (*pattern != '\0' && count < CAPTURE_NAME_PIECES_MAX) {
        struct token *token = &tokens[count++];
        *token = (struct token){LITERAL, pattern, 1};
        for (enum placeholder i = DEVICE_ID; *pattern == '{' && i <= NUMBER; i++) {
            if (pattern[1] != placeholder_names[i][1])
                continue;
            size_t length = strlen(placeholder_names[i]);
            if (strncmp(pattern, placeholder_names[i], length) == 0)
                *token = (struct token){i, pattern, length};
        }
        if (token->placeholder == LITERAL)
            token->length = 1 + strcspn(pattern + 1, "{");
        pattern += token->length;
    }
    return count;
}

static bool belongs(enum placeholder placeholder, char c)
{
    return placeholder == TAG ? isalpha((unsigned char)c) || c == '_' : c >= '0' && c <= '9';
}

static bool store(enum placeholder placeholder, const char *text, size_t length, struct file_identity *identity)
{
    int64_t *const targets[] = {
        [DEVICE_ID] = &identity->device_id,
        [MODEL_ID] = &identity->model_id,
        [BATCH_NUM] = &identity->batch_num,
        [INPUT_PIC_NUM] = &identity->input_pic_num,
        [CURRENT_PIC_COUNT] = &identity->current_pic_count,
        [SLICE] = &identity->slice,
        [PROCESS_ID] = &identity->process_id,
        [GROUP_ID] = &identity->group_id,
        [CORE_ID] = &identity->core_id,
    };
    int64_t ignored;
    if (placeholder == TAG) {
        free(identity->tag);
        identity->tag = strndup(text, length);
        identity->out_of_memory |= identity->tag == NULL;
        return true;
    }
    return number_parse_integer(text, length, placeholder == NUMBER ? &ignored : targets[placeholder]) == 0;
}

/* Matches one token at one end of the window and takes it off. */
static bool take_token(const struct token *token, bool from_right, struct window *window,
                       struct file_identity *identity)
{
    size_t length = token->length, available = (size_t)(window->end - window->start);
    if (token->placeholder != LITERAL) {
        length = 0;
        while (length < available &&
               belongs(token->placeholder, from_right ? window->end[-1 - (ptrdiff_t)length] : window->start[length]))
            length++;
    }
    if (length == 0 || length > available)
        return false;
    const char *text = from_right ? window->end - length : window->start;
    if (token->placeholder == LITERAL ? memcmp(text, token->text, length) != 0
                                      : !store(token->placeholder, text, length, identity))
        return false;
    *(from_right ? &window->end : &window->start) += from_right ? -(ptrdiff_t)length : (ptrdiff_t)length;
    return true;
}

/* The numbers are taken from both ends, so that the model's name may hold anything. */
static bool match(const struct token *tokens, size_t count, struct window window, struct file_identity *identity)
{
    size_t left = 0, right = count;
    while (left < count && tokens[left].placeholder != MODEL) {
        if (!take_token(&tokens[left++], false, &window, identity))
            return false;
    }
    if (left == count)
        return window.start == window.end;
    while (right > left + 1) {
        if (!take_token(&tokens[--right], true, &window, identity))
            return false;
    }
    if (window.start == window.end)
        return false;
    identity->model = strndup(window.start, (size_t)(window.end - window.start));
    identity->out_of_memory |= identity->model == NULL;
    return true;
}

static bool match_tokens(const struct token *tokens, size_t count, struct window window, struct file_identity *ret)
{
    struct file_identity identity = {-1, -1, -1, -1, -1, -1, NULL, NULL, -1, false, -1, -1};
    const bool matches = match(tokens, count, window, &identity);
    if (matches && ret != NULL)
        *ret = identity;
    else
        file_identity_release(&identity);
    return matches;
}

/* Most patterns differ from a name in their first or last letters: they need not be split. */
static bool begins_alike(const char *pattern, const char *name)
{
    while (*pattern != '\0' && *pattern != '{' && *pattern == *name) {
        pattern++;
        name++;
    }
    return *pattern == '\0' || *pattern == '{';
}

static bool ends_alike(const char *pattern, size_t pattern_length, const char *name, size_t length)
{
    while (pattern_length > 0 && pattern[pattern_length - 1] != '}') {
        if (length == 0 || pattern[--pattern_length] != name[--length])
            return false;
    }
    return true;
}

bool capture_match_name(const char *pattern, const char *name, struct file_identity *ret)
{
    size_t length = strlen(name);
    if (!begins_alike(pattern, name) || !ends_alike(pattern, strlen(pattern), name, length))
        return false;
    struct token tokens[CAPTURE_NAME_PIECES_MAX];
    size_t count = split_pattern(pattern, tokens);
    return match_tokens(tokens, count, (struct window){name, name + length}, ret);
}

/* Patterns of all kinds in their order, split once, because every file's name is held against those that begin like it.
 */
static struct known_pattern {
    const struct record_kind *kind;
    const char *pattern;
    size_t pattern_length;
    unsigned families; /* that name files so */
    struct token tokens[CAPTURE_NAME_PIECES_MAX];
    size_t token_count;
    char *inside; /* of one that begins with a placeholder: what stands in every name that matches; else NULL */
    struct known_pattern *next;                    /* of those that begin with the same byte */
} * known_patterns, *known_by_byte[UCHAR_MAX + 1]; /* never released; NULL: memory ran out, each is split when needed */
static pthread_once_t patterns_known = PTHREAD_ONCE_INIT;

static bool is_recognised(const struct record_kind *kind)
{
    return kind->chips == 0 && kind->patterns != NULL && (kind->families & FAMILY_TREES) == 0;
}

static size_t count_patterns(void)
{
    size_t count = 0;
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        for (size_t k = 0; is_recognised(record_kinds[i]) && record_kinds[i]->patterns[k] != NULL; k++)
            count++;
    }
    return count;
}

static unsigned families_of(const struct record_kind *kind, size_t pattern)
{
    return kind->pattern_families != NULL ? kind->pattern_families[pattern] : kind->families;
}

static void know_pattern(struct known_pattern *known, const struct record_kind *kind, size_t place)
{
    const char *pattern = kind->patterns[place];
    const struct token *longest = NULL;
    *known = (struct known_pattern){
        .kind = kind, .pattern = pattern, .pattern_length = strlen(pattern), .families = families_of(kind, place)};
    known->token_count = split_pattern(pattern, known->tokens);
    for (size_t i = 1; i < known->token_count && pattern[0] == '{'; i++) {
        const struct token *token = &known->tokens[i];
        if (token->placeholder == LITERAL && (longest == NULL || token->length > longest->length))
            longest = token;
    }
    known->inside = longest != NULL ? strndup(longest->text, longest->length) : NULL;
    struct known_pattern **last = &known_by_byte[(unsigned char)pattern[0]];
    while (*last != NULL)
        last = &(*last)->next;
    *last = known;
}

static void know_patterns(void)
{
    struct known_pattern *known = known_patterns = calloc(count_patterns(), sizeof *known_patterns);
    for (size_t i = 0; known != NULL && record_kinds[i] != NULL; i++) {
        for (size_t k = 0; is_recognised(record_kinds[i]) && record_kinds[i]->patterns[k] != NULL; k++)
            know_pattern(known++, record_kinds[i], k);
    }
}

static bool matches_known(const struct known_pattern *known, const char *name, size_t length, struct file_identity *ret)
{
    return begins_alike(known->pattern, name) && ends_alike(known->pattern, known->pattern_length, name, length) &&
           (known->inside == NULL || strstr(name, known->inside) != NULL) &&
           match_tokens(known->tokens, known->token_count, (struct window){name, name + length}, ret);
}

static const struct record_kind *recognise_slowly(const char *name, struct file_identity *identity,
                                                  unsigned *ret_families)
{
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        const struct record_kind *kind = record_kinds[i];
        for (size_t k = 0; is_recognised(kind) && kind->patterns[k] != NULL; k++) {
            if (!capture_match_name(kind->patterns[k], name, identity))
                continue;
            if (ret_families != NULL)
                *ret_families = families_of(kind, k);
            return kind;
        }
    }
    return NULL;
}

const struct record_kind *capture_recognise(const char *name, struct file_identity *identity, unsigned *ret_families)
{
    const size_t length = strlen(name);
    pthread_once(&patterns_known, know_patterns);
    if (known_patterns == NULL)
        return recognise_slowly(name, identity, ret_families);
    const struct known_pattern *alike = known_by_byte[(unsigned char)name[0]], *any = known_by_byte['{'];
    while (alike != NULL || any != NULL) { /* the first of all wins */
        const struct known_pattern **first = any == NULL || (alike != NULL && alike < any) ? &alike : &any;
        if (matches_known(*first, name, length, identity)) {
            if (ret_families != NULL)
                *ret_families = (*first)->families;
            return (*first)->kind;
        }
        *first = (*first)->next;
    }
    return NULL;
}

const struct record_kind *capture_recognise_in_tree(const struct capture_tree *tree, const char *name,
                                                    struct file_identity *identity)
{
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        const struct record_kind *kind = record_kinds[i];
        if (kind->families != FAMILY_OF(tree->family))
            continue;
        for (size_t k = 0; kind->patterns != NULL && kind->patterns[k] != NULL; k++)
            if (capture_match_name(kind->patterns[k], name, identity))
                return kind;
    }
    return NULL;
}

const struct record_kind *capture_kind_on_chip(const char *name, int64_t chip)
{
    for (size_t i = 0; chip >= 0 && chip < 32 && record_kinds[i] != NULL; i++) {
        const struct record_kind *kind = record_kinds[i];
        for (size_t k = 0; (kind->chips >> chip & 1) != 0 && kind->patterns[k] != NULL; k++)
            if (capture_match_name(kind->patterns[k], name, NULL))
                return kind;
    }
    return NULL;
}

void file_identity_release(struct file_identity *identity)
{
    free(identity->model);
    free(identity->tag);
    identity->model = identity->tag = NULL;
}

static int compare_texts(const char *a, const char *b)
{
    return a == NULL || b == NULL ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

int file_identity_compare(const struct file_identity *a, const struct file_identity *b, bool with_slice)
{
    return ARRAY_ORDERS(array_order(a->device_id, b->device_id), array_order(a->model_id, b->model_id),
                        compare_texts(a->model, b->model), array_order(a->batch_num, b->batch_num),
                        array_order(a->input_pic_num, b->input_pic_num),
                        array_order(a->current_pic_count, b->current_pic_count), compare_texts(a->tag, b->tag),
                        array_order(a->process_id, b->process_id), array_order(a->group_id, b->group_id),
                        array_order(a->core_id, b->core_id), with_slice ? array_order(a->slice, b->slice) : 0);
}

/* ---- names that are no data ---- */

bool capture_is_config_name(const char *name)
{
    static const char *const prefixes[] = {"info.json",      "sample.json",   "start_info", "end_info",
                                           "host_start.log", "dev_start.log", "losses.json"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length) == 0 && (name[length] == '\0' || name[length] == '.'))
            return true;
    }
    return capture_match_name("{model}.{model_id}.net.info", name, NULL);
}

bool capture_is_tool_name(const char *name)
{
    const char *const rules = "prof_rule_", *const features = "incompatible_features.json";
    return strncmp(name, features, strlen(features)) == 0 ||
           (strncmp(name, rules, strlen(rules)) == 0 && strstr(name, ".json") != NULL);
}

/* Whether two names begin with the same word. */
static bool same_stream(const char *name, const char *pattern)
{
    size_t length = strcspn(pattern, ".{");
    return length > 0 && pattern[length] == '.' && strcspn(name, ".") == length && memcmp(name, pattern, length) == 0;
}

static bool is_stream_of_kind(const char *name, const struct record_kind *kind)
{
    for (size_t i = 0; kind->patterns != NULL && kind->patterns[i] != NULL; i++) {
        if (same_stream(name, kind->patterns[i]))
            return true;
    }
    return false;
}

bool capture_is_board_content(const char *name)
{
    return capture_match_name("cont.{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}",
                              name, NULL);
}

/* Files of boards begin with a kind and the number of the device; Ascend's cards have a word there. */
static bool is_of_board(const char *name)
{
    const char *dot = strchr(name, '.');
    size_t digits = dot != NULL ? strspn(dot + 1, "0123456789") : 0;
    return digits > 0 && (dot[1 + digits] == '.' || dot[1 + digits] == '\0');
}

bool capture_is_known_stream(const char *name)
{
    /* Those of which no kind is, and what names begin with of which only some are a kind's. */
    static const char *const others[] = {
        "HCCL.", "aging.", "biu.",    "ccu", "ctrlcpu.", "ge_logic_stream_info.", "host_", "lpm", "nano_stars_profile",
        "npu_",  "stars_", "unaging."};
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        if ((record_kinds[i]->families & FAMILY_ASCEND) != 0 && !is_of_board(name) &&
            is_stream_of_kind(name, record_kinds[i]))
            return true;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strncmp(name, others[i], strlen(others[i])) == 0)
            return true;
    }
    return false;
}
