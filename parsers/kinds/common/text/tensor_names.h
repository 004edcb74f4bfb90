/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of tensors: data types, formats and shapes as CANN's reports write them. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_TEXT_TENSOR_NAMES_H
#define MSPROF_PARSERS_KINDS_COMMON_TEXT_TENSOR_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CANN of 2022 wrote some names otherwise than later ones ("FORMAT_ND" for "ND"). */
enum tensor_era { TENSOR_ERA_2022, TENSOR_ERA_NOW };

/* Added to a data type and a format that are MindSpore's numbers: theirs are below it. Greater numbers are none of
 * them. */
#define TENSOR_OF_MINDSPORE 0x40000000U
/* Whether a data type in a record of before 2023 is MindSpore's number: those of GE end below. */
bool tensor_type_is_mindspores(uint32_t data_type);

#define TENSOR_NAME_MAX 64   /* bytes that tensor_type_put and tensor_format_put may write */
#define TENSOR_SHAPE_MAX 128 /* bytes that tensor_shape_put may write for 8 dimensions */

/* Each writes at p without a final NUL and returns the end. A value without a name is written as its number. */
char *tensor_type_put(char *p, uint32_t data_type, enum tensor_era era);
/* format: its low 8 bits name it; the 16 above are a sub-format, appended as ":<n>" when not 0. */
char *tensor_format_put(char *p, uint32_t format, enum tensor_era era);
/* "64,3,7,7": without the zeros behind the last dimension. */
char *tensor_shape_put(char *p, const uint32_t *dimensions, size_t count);

#endif
