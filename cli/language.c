/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue is in the program, not in a file: boards, archives and packages of Python have it likewise, and no
 * locale needs to be installed, which glibc's gettext() asks for. */
#include "cli/language.h"

#include "base/language.h"
#include "cli/command.h"
#include "cli/screen.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct message {
    const char *english, *translation;
} messages[] = {
#define MESSAGE(english, translation) {english, translation},
#include "catalogue_zh_CN.h"
#undef MESSAGE
    {NULL, NULL},
};
#define MESSAGES (sizeof messages / sizeof *messages - 1)

/* Places of messages by their hash, plus 1; never more than half full. */
static uint16_t slots[8192];
#define SLOTS (sizeof slots / sizeof *slots)
_Static_assert(MESSAGES <= SLOTS / 2, "slots has room for the catalogue");

/* FNV-1a */
static size_t slot_of(const char *text)
{
    uint32_t value = 2166136261U;

    for (; *text != '\0'; text++)
        value = (value ^ (unsigned char)*text) * 16777619U;
    return (value ^ value >> 16) & (SLOTS - 1);
}

static const char *find_translation(const char *text)
{
    for (size_t slot = slot_of(text); slots[slot] != 0; slot = (slot + 1) & (SLOTS - 1))
        if (strcmp(messages[slots[slot] - 1].english, text) == 0)
            return messages[slots[slot] - 1].translation;
    return NULL;
}

static void fill_slots(void)
{
    for (size_t i = 0; messages[i].english != NULL; i++) {
        size_t slot = slot_of(messages[i].english);
        while (slots[slot] != 0)
            slot = (slot + 1) & (SLOTS - 1);
        slots[slot] = (uint16_t)(i + 1);
    }
}

/* Whether a name of a locale, of so many bytes, is a language's, whatever its characters. */
static bool is_locale(const char *name, size_t length, const char *language)
{
    const size_t wanted = strlen(language);

    return length >= wanted && strncmp(name, language, wanted) == 0 &&
           (length == wanted || name[wanted] == '.' || name[wanted] == '@');
}

/* The locale of messages; "C" where none is set. */
static const char *locale_of_messages(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0')
            return value;
    }
    return "C";
}

/* Whether the catalogue comes before English in a list of locales with colons between. */
static bool wants_catalogue(const char *list)
{
    for (size_t length; *list != '\0'; list += length + (list[length] == ':')) {
        length = strcspn(list, ":");
        if (is_locale(list, length, "zh_CN"))
            return true;
        if (is_locale(list, length, "en") || strncmp(list, "en_", 3) == 0 || is_locale(list, length, "C"))
            return false;
    }
    return false;
}

void language_choose(void)
{
    const char *locale = locale_of_messages(), *list = getenv("LANGUAGE");

    if (strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0 || screen_is_ascii() ||
        !wants_catalogue(list != NULL && list[0] != '\0' ? list : locale))
        return;
    fill_slots();
    language_set(find_translation, find_translation);
}

/* Whether what a command prints, in the format that is chosen, is for people alone. */
static bool is_for_people(const struct settings *settings)
{
    const struct command *command = command_get(settings->command);

    if (command->run == NULL) /* it needs a further word, and prints its help */
        return true;
    if (command->people.formats == 0)
        return command->people.all;
    const int *format = (const int *)((const char *)settings + command->people.setting);
    return (command->people.formats >> *format & 1) != 0;
}

void language_choose_results(const struct settings *settings)
{
    if (!language_is_set())
        return;
    if (settings->command == COMMAND_MCP && !settings->help)
        language_set(NULL, NULL);
    else if (!settings->help && (settings->titles == TITLES_ENGLISH || !is_for_people(settings)))
        language_set(find_translation, NULL);
}
