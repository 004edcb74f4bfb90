/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/cell.h"

const char *cell_as_text(const struct table_cell *cell, char buffer[NUMBER_MAX], size_t *ret_length)
{
    if (cell->kind == CELL_TEXT ? cell->text == NULL : cell->value == DB_NULL) {
        *ret_length = strlen(TABLE_MISSING);
        return TABLE_MISSING;
    }
    if (cell->kind == CELL_TEXT) {
        *ret_length = cell->length;
        return cell->text;
    }
    *ret_length = (size_t)(number_put_shortest(buffer, cell->value, cell->decimals) - buffer);
    return buffer;
}
