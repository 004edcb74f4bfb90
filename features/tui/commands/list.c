/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of which one is chosen and some are seen: findings, tables, changes. */
#include "features/tui/commands/tui.h"

void tui_list_follow(struct tui_list *list, size_t room)
{
    if (list->row < list->top)
        list->top = list->row;
    if (list->row >= list->top + room)
        list->top = list->row - room + 1;
}

static void move(struct tui_list *list, size_t count, int64_t rows)
{
    const int64_t wanted = (int64_t)list->row + rows, last = (int64_t)count - 1;

    list->row = wanted < 0 || last < 0 ? 0 : (size_t)(wanted < last ? wanted : last);
}

bool tui_list_key(struct tui_list *list, size_t count, size_t room, int key)
{
    switch (key) {
    case PRESSED_UP:
        move(list, count, -1);
        return true;
    case PRESSED_DOWN:
        move(list, count, 1);
        return true;
    case PRESSED_PAGE_UP:
        move(list, count, -(int64_t)room);
        return true;
    case PRESSED_PAGE_DOWN:
        move(list, count, (int64_t)room);
        return true;
    case PRESSED_FIRST:
        list->row = 0;
        return true;
    case PRESSED_LAST:
        move(list, count, INT32_MAX);
        return true;
    default:
        return false;
    }
}

size_t tui_list_room(const struct tui_area *area)
{
    return area->rows > 3 ? (size_t)area->rows - 2 : 1;
}
