/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a record a number stands of which, for some records, a range is known. Arithmetic on bytes only. */
#ifndef MSPROF_FEATURES_LAYOUTS_SEARCH_H
#define MSPROF_FEATURES_LAYOUTS_SEARCH_H

#include "base/array.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Records of one size, each as one big integer: its least significant byte first, whatever the byte order of the file.
 * Behind each are MATRIX_PADDING zero bytes. */
#define MATRIX_PADDING 16
struct matrix {
    unsigned char *bytes; /* rows * stride */
    size_t rows, size, stride;
    struct search_clock *clock; /* NULL: searches take as long as they take */
};

/* Until when a search may go on. Once it is late, searches end with what they have found. */
struct search_clock {
    int64_t end_ns; /* of the monotonic clock; 0: there is no such */
    bool late;
};

struct search_clock search_clock_start(int64_t seconds); /* 0: without an end */
bool search_is_late(struct search_clock *clock);         /* false for NULL */

int matrix_init(struct matrix *matrix, size_t rows, size_t size, struct err *err);
void matrix_release(struct matrix *matrix);
static inline const unsigned char *matrix_row(const struct matrix *matrix, size_t row)
{
    return matrix->bytes + row * matrix->stride;
}
/* Copies the record at bytes into a row. */
void matrix_set(struct matrix *matrix, size_t row, const unsigned char *bytes, bool big_endian);

/* The bits (1..64) of a row from a bit on; bit 0 is the lowest of the first byte. */
uint64_t matrix_bits(const unsigned char *row, uint32_t bit, unsigned bits);

/* Known range of a value: low <= value <= high; low > high: nothing. */
struct interval {
    int64_t low, high;
};

extern const int64_t infer_scales[];
extern const size_t infer_scale_count;

enum place_mode { PLACE_PLAIN, PLACE_MINUS, PLACE_DELTA, PLACE_SHARE, PLACE_PLUS };

/* A place whose values all fall into their intervals. */
struct place_found {
    uint32_t bit;  /* of the record as a big integer */
    unsigned bits; /* that are needed for the values seen */
    int64_t scale;
    enum place_mode mode;
    uint32_t other_bit;   /* PLACE_MINUS: of the number that is subtracted, as wide as this one */
    int64_t divide;       /* PLACE_SHARE: value = raw / divide of another column */
    unsigned whole_bits;  /* PLACE_MINUS, PLACE_DELTA: the width that was tried; else 0 */
    double evidence;      /* bits: the sum over distinct rows of how unlikely each is by chance */
    size_t rows_that_say; /* distinct ones */
};

struct place_list ARRAY_OF(struct place_found);

#define SEARCH_MAX_PLACES 256 /* of one column: beyond, its values say too little */

/* A column's intervals made ready: rows that say most come first. */
struct search_column {
    const struct interval *intervals; /* one a row of the matrix */
    uint32_t *order;                  /* the rows that are known */
    size_t known;
    size_t distinct;         /* different intervals */
    int64_t lowest, highest; /* over all low ends */
};

int search_column_init(struct search_column *column, const struct interval *intervals, size_t rows, struct err *err);
void search_column_release(struct search_column *column);

/* Adds every bit position and scale at which all rows of the matrix fit. only_scale 0: all scales. */
int search_plain(const struct matrix *matrix, const struct search_column *column, int64_t only_scale,
                 struct place_list *list, struct err *err);
/* Finds the pairs of whole numbers of 32 or 64 bits whose difference fits. */
int search_minus(const struct matrix *matrix, const struct search_column *column, struct place_list *list,
                 struct err *err);
/* Whole numbers of 32 or 64 bits whose difference to the record before fits; the matrix holds every record, and row 0
 * stands for itself. */
int search_delta(const struct matrix *matrix, const struct search_column *column, struct place_list *list,
                 struct err *err);

/* Bits of evidence that a search of this width and scale gives, and the bits of its tries. */
double search_evidence(const struct search_column *column, int64_t scale, unsigned bits);

#endif
