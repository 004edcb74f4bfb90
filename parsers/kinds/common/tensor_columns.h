/* SPDX-License-Identifier: Apache-2.0 */
/* The five tensors of a tensor record: 44 bytes each, kind, format, data type and eight dimensions. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_TENSOR_COLUMNS_H
#define MSPROF_PARSERS_KINDS_COMMON_TENSOR_COLUMNS_H

#include "parsers/record.h"

#define TENSORS_OF_A_RECORD 5
#define TENSOR_DIMENSIONS 8
#define TENSOR_COLUMN_COUNT (3 + TENSOR_DIMENSIONS)
#define TENSOR_BYTES 44

/* The columns of tensor n begin at `first`. */
#define TENSOR_COLUMN_(first, n, at, column, title, doc)                                                               \
    [(first) + (n)*TENSOR_COLUMN_COUNT + (at)] = {                                                                     \
        "tensor" #n "_" column, "Tensor " #n " " title, COLUMN_INTEGER, UNIT_NONE, COLUMN_TRANSIENT, NULL, doc}
#define TENSOR_DIMENSION_(first, n, d)                                                                                 \
    TENSOR_COLUMN_(first, n, 3 + (d), "dimension" #d, "dimension " #d, "A dimension; 0 ends the shape.")
#define TENSOR_COLUMNS_(first, n)                                                                                      \
    TENSOR_COLUMN_(first, n, 0, "kind", "kind", "0 input, 1 output."),                                                 \
        TENSOR_COLUMN_(first, n, 1, "format", "format", "Format in the low 8 bits, sub-format in the 16 above."),      \
        TENSOR_COLUMN_(first, n, 2, "data_type", "data type", "Data type of an element."),                             \
        TENSOR_DIMENSION_(first, n, 0), TENSOR_DIMENSION_(first, n, 1), TENSOR_DIMENSION_(first, n, 2),                \
        TENSOR_DIMENSION_(first, n, 3), TENSOR_DIMENSION_(first, n, 4), TENSOR_DIMENSION_(first, n, 5),                \
        TENSOR_DIMENSION_(first, n, 6), TENSOR_DIMENSION_(first, n, 7)
#define TENSOR_COLUMNS(first)                                                                                          \
    TENSOR_COLUMNS_(first, 0), TENSOR_COLUMNS_(first, 1), TENSOR_COLUMNS_(first, 2), TENSOR_COLUMNS_(first, 3),        \
        TENSOR_COLUMNS_(first, 4)

#define TENSOR_FIELD_(start, n, at, name) FIELD("tensor" #n "_" name, (start) + (n)*TENSOR_BYTES + 4 * (at), 4)
#define TENSOR_FIELDS_(start, n)                                                                                       \
    TENSOR_FIELD_(start, n, 0, "kind"), TENSOR_FIELD_(start, n, 1, "format"), TENSOR_FIELD_(start, n, 2, "data_type"), \
        TENSOR_FIELD_(start, n, 3, "dimension0"), TENSOR_FIELD_(start, n, 4, "dimension1"),                            \
        TENSOR_FIELD_(start, n, 5, "dimension2"), TENSOR_FIELD_(start, n, 6, "dimension3"),                            \
        TENSOR_FIELD_(start, n, 7, "dimension4"), TENSOR_FIELD_(start, n, 8, "dimension5"),                            \
        TENSOR_FIELD_(start, n, 9, "dimension6"), TENSOR_FIELD_(start, n, 10, "dimension7")
/* start: offset of the first tensor in the record. */
#define TENSOR_FIELDS(start)                                                                                           \
    TENSOR_FIELDS_(start, 0), TENSOR_FIELDS_(start, 1), TENSOR_FIELDS_(start, 2), TENSOR_FIELDS_(start, 3),            \
        TENSOR_FIELDS_(start, 4)

#endif
