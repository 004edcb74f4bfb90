/* SPDX-License-Identifier: Apache-2.0 */
/* An ini file: whatever it holds, what is accepted can be found again, and a mistake never shows a line's content. */
#include "base/format/ini.h"
#include "tests/fuzz/support.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = ERR_INIT;
    struct ini ini;
    int result = ini_parse(&ini, (const char *)data, size, "x.ini", &err);

    EXPECT(result == 0 || (err.code != ERR_NONE && ini.count == 0));
    for (size_t i = 0; i < ini.count; i++) {
        const struct ini_entry *entry = &ini.entries[i];

        EXPECT(entry->line >= 1 && entry->section[0] != '\0' && ini_has_section(&ini, entry->section));
        EXPECT(entry->key == NULL || ini_find(&ini, entry->section, entry->key) == entry);
    }
    ini_release(&ini);
    return 0;
}
