/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/capture/capture_settings.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTING_NAME_MAX 160

static struct capture_setting *find(const struct capture_settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->count; i++) {
        if (strcmp(settings->items[i].name, name) == 0)
            return &settings->items[i];
    }
    return NULL;
}

const struct capture_setting *capture_setting_find(const struct capture_settings *settings, const char *name)
{
    return find(settings, name);
}

/* Finds or adds; NULL with err set. */
static struct capture_setting *add(struct capture_settings *settings, const char *name, struct err *err)
{
    struct capture_setting *setting = find(settings, name);
    if (setting != NULL)
        return setting;
    char *copy = strdup(name);
    if (copy == NULL) {
        err_no_memory(err);
        return NULL;
    }
    if (array_reserve(settings, 1, err) < 0) {
        free(copy);
        return NULL;
    }
    setting = &settings->items[settings->count++];
    *setting = (struct capture_setting){.name = copy};
    return setting;
}

static int take_value(struct capture_settings *settings, const char *name, const struct json *value, struct err *err)
{
    const char *text = json_string(value);
    int64_t number = 0;
    bool flag;
    if (json_boolean(value, &flag))
        text = flag ? "on" : "off";
    if (name == NULL || (text == NULL && !json_integer(value, &number)))
        return 0;
    struct capture_setting *setting = add(settings, name, err);
    char *copy = text != NULL ? strdup(text) : NULL;
    if (setting == NULL || (text != NULL && copy == NULL)) {
        free(copy);
        return err_no_memory(err);
    }
    free(setting->text);
    setting->text = copy;
    setting->number = number;
    return 0;
}

static int take_members(struct capture_settings *settings, const struct json *object, struct err *err)
{
    int status = 0;
    if (!json_is_object(object))
        return 0;
    for (const struct json *member = json_first(object); status == 0 && member != NULL; member = json_next(member))
        status = take_value(settings, json_key(member), member, err);
    return status;
}

int capture_settings_take(struct capture_settings *settings, const struct json *root, struct err *err)
{
    const struct json *cards = json_member(root, "netCard");
    int status = take_members(settings, json_first(json_member(root, "DeviceInfo")), err);
    if (status == 0)
        status = take_members(settings, root, err);
    if (!json_is_array(cards))
        return status;
    for (const struct json *card = json_first(cards); status == 0 && card != NULL; card = json_next(card)) {
        char name[SETTING_NAME_MAX];
        const char *card_name = json_string(json_member(card, "netCardName"));
        if (card_name == NULL)
            continue;
        snprintf(name, sizeof name, "netCard.%s", card_name);
        status = take_value(settings, name, json_member(card, "speed"), err);
    }
    return status;
}

const char *capture_setting_text(const struct capture_settings *settings, const char *name)
{
    const struct capture_setting *setting = find(settings, name);
    return setting != NULL ? setting->text : NULL;
}

void capture_settings_release(struct capture_settings *settings)
{
    for (size_t i = 0; i < settings->count; i++) {
        free(settings->items[i].name);
        free(settings->items[i].text);
    }
    free(settings->items);
    *settings = (struct capture_settings){.items = NULL};
}
