#include "exporters/utf8.h"

size_t utf8_decode(const char *text, size_t length, uint32_t *ret)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)text[0];
    size_t bytes;
    uint32_t character;
    if (first < 0x80) {
        *ret = first;
        return 1;
    } else if ((first & 0xe0) == 0xc0) {
        bytes = 2;
        character = first & 0x1f;
    } else if ((first & 0xf0) == 0xe0) {
        bytes = 3;
        character = first & 0x0f;
    } else if ((first & 0xf8) == 0xf0) {
        bytes = 4;
        character = first & 0x07;
    } else {
        return 0;
    }
    if (bytes > length)
        return 0;
    for (size_t i = 1; i < bytes; i++) {
        unsigned char next = (unsigned char)text[i];
        if ((next & 0xc0) != 0x80)
            return 0;
        character = character << 6 | (next & 0x3f);
    }
    if (character < smallest[bytes] || character > 0x10ffff || (character >= 0xd800 && character <= 0xdfff))
        return 0;
    *ret = character;
    return bytes;
}
