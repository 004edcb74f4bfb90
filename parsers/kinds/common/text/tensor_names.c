/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/text/tensor_names.h"

#include "base/number.h"

#include <string.h>

static const char *const format_names[] = {
    [0] = "NCHW",
    [1] = "NHWC",
    [2] = "ND",
    [3] = "NC1HWC0",
    [4] = "FRACTAL_Z",
    [5] = "NC1C0HWPAD",
    [6] = "NHWC1C0",
    [7] = "FSR_NCHW",
    [8] = "FRACTAL_DECONV",
    [9] = "C1HWNC0",
    [10] = "FRACTAL_DECONV_TRANSPOSE",
    [11] = "FRACTAL_DECONV_SP_STRIDE_TRANS",
    [12] = "NC1HWC0_C04",
    [13] = "FRACTAL_Z_C04",
    [14] = "CHWN",
    [15] = "FRACTAL_DECONV_SP_STRIDE8_TRANS",
    [16] = "HWCN",
    [17] = "NC1KHKWHWC0",
    [18] = "BN_WEIGHT",
    [19] = "FILTER_HWCK",
    [20] = "HASHTABLE_LOOKUP_LOOKUPS",
    [21] = "HASHTABLE_LOOKUP_KEYS",
    [22] = "HASHTABLE_LOOKUP_VALUE",
    [23] = "HASHTABLE_LOOKUP_OUTPUT",
    [24] = "HASHTABLE_LOOKUP_HITS",
    [25] = "C1HWNCoC0",
    [26] = "MD",
    [27] = "NDHWC",
    [28] = "FRACTAL_ZZ",
    [29] = "FRACTAL_NZ",
    [30] = "NCDHW",
    [31] = "DHWCN",
    [32] = "NDC1HWC0",
    [33] = "FRACTAL_Z_3D",
    [34] = "CN",
    [35] = "NC",
    [36] = "DHWNC",
    [37] = "FRACTAL_Z_3D_TRANSPOSE",
    [38] = "FRACTAL_ZN_LSTM",
    [39] = "FRACTAL_Z_G",
    [40] = "RESERVED",
    [41] = "ALL",
    [42] = "NULL",
    [43] = "ND_RNN_BIAS",
    [44] = "FRACTAL_ZN_RNN",
    [45] = "NYUV",
    [46] = "NYUV_A",
    [47] = "NCL",
    [48] = "FRACTAL_Z_WINO",
    [49] = "C1HWC0",
};

#define FRAMEWORK_FORMATS 200 /* from here on MindSpore's own formats */
static const char *const framework_format_names[] = {
    [0] = "UNKNOWN_",
    [1] = "DEFAULT_",
    [2] = "NC1KHKWHWC0_",
    [3] = "ND_",
    [4] = "NCHW_",
    [5] = "NHWC_",
    [6] = "HWCN_",
    [7] = "NC1HWC0_",
    [8] = "FRAC_Z_",
    [9] = "C1HWNCOC0_",
    [10] = "FRAC_NZ_",
    [11] = "NC1HWC0_C04_",
    [12] = "FRACTAL_Z_C04_",
    [13] = "NDHWC_",
    [14] = "FRACTAL_ZN_LSTM_",
    [15] = "FRACTAL_ZN_RNN_",
    [16] = "ND_RNN_BIAS_",
    [17] = "NDC1HWC0_",
    [18] = "NCDHW_",
    [19] = "FRACTAL_Z_3D_",
    [20] = "DHWNC_",
    [21] = "DHWCN_",
};

static const char *const data_type_names[] = {
    [0] = "FLOAT",           [1] = "FLOAT16",         [2] = "INT8",
    [3] = "INT32",           [4] = "UINT8",           [6] = "INT16",
    [7] = "UINT16",          [8] = "UINT32",          [9] = "INT64",
    [10] = "UINT64",         [11] = "DOUBLE",         [12] = "BOOL",
    [13] = "STRING",         [14] = "DUAL_SUB_INT8",  [15] = "DUAL_SUB_UINT8",
    [16] = "COMPLEX64",      [17] = "COMPLEX128",     [18] = "QINT8",
    [19] = "QINT16",         [20] = "QINT32",         [21] = "QUINT8",
    [22] = "QUINT16",        [23] = "RESOURCE",       [24] = "STRING_REF",
    [25] = "DUAL",           [26] = "DT_VARIANT",     [27] = "DT_BF16",
    [28] = "DT_UNDEFINED",   [29] = "DT_INT4",        [30] = "DT_UINT1",
    [31] = "DT_INT2",        [32] = "DT_UINT2",       [33] = "DT_COMPLEX32",
    [34] = "DT_HIFLOAT8",    [35] = "DT_FLOAT8_E5M2", [36] = "DT_FLOAT8_E4M3FN",
    [37] = "DT_FLOAT8_E8M0", [38] = "DT_FLOAT6_E3M2", [39] = "DT_FLOAT6_E2M3",
    [40] = "DT_FLOAT4_E2M1", [41] = "DT_FLOAT4_E1M2",
};

#define FRAMEWORK_DATA_TYPES 229 /* from here on MindSpore's own data types */
static const char *const framework_data_type_names[] = {
    [0] = "NUMBER_TYPE_BEGIN_",
    [1] = "BOOL_",
    [2] = "INT_",
    [3] = "INT8_",
    [4] = "INT16_",
    [5] = "INT32_",
    [6] = "INT64_",
    [7] = "UINT_",
    [8] = "UINT8_",
    [9] = "UINT16_",
    [10] = "UINT32_",
    [11] = "UINT64_",
    [12] = "FLOAT_",
    [13] = "FLOAT16_",
    [14] = "FLOAT32_",
    [15] = "FLOAT64_",
    [16] = "COMPLEX_",
    [17] = "NUMBER_TYPE_END_",
};

#define COUNT(list) (sizeof(list) / sizeof *(list))
#define UNDEFINED_IN_GRAPH 28
#define UNDEFINED UINT32_MAX /* what a framework says that does not know */

static const char *pick(const char *const *names, size_t count, uint32_t value)
{
    return value < count ? names[value] : NULL;
}

#define FIRST_MINDSPORE_TYPE 30
#define LAST_MINDSPORE_TYPE 45

bool tensor_type_is_mindspores(uint32_t data_type)
{
    return data_type >= FIRST_MINDSPORE_TYPE && data_type <= LAST_MINDSPORE_TYPE;
}

/* The names of its own numbers end with '_' only where 200 is added to them. */
static char *put_mindspores(char *p, const char *name, uint32_t number)
{
    if (name == NULL)
        return number_put_unsigned(p, number);
    size_t length = strlen(name) - 1;
    memcpy(p, name, length);
    return p + length;
}

static char *put_text(char *p, const char *text)
{
    size_t length = strlen(text);
    memcpy(p, text, length);
    return p + length;
}

static bool is_mindspores(uint32_t number)
{
    return number >= TENSOR_OF_MINDSPORE && number < 2 * TENSOR_OF_MINDSPORE;
}

char *tensor_type_put(char *p, uint32_t data_type, enum tensor_era era)
{
    uint32_t own = data_type & ~TENSOR_OF_MINDSPORE;
    if (is_mindspores(data_type))
        return put_mindspores(
            p, pick(framework_data_type_names, COUNT(framework_data_type_names), own - (FIRST_MINDSPORE_TYPE - 1)),
            own);
    const char *name =
        data_type >= FRAMEWORK_DATA_TYPES
            ? pick(framework_data_type_names, COUNT(framework_data_type_names), data_type - FRAMEWORK_DATA_TYPES)
            : pick(data_type_names, COUNT(data_type_names), data_type);
    if (data_type == UNDEFINED || (data_type == UNDEFINED_IN_GRAPH && era == TENSOR_ERA_2022))
        name = "UNDEFINED";
    return name != NULL ? put_text(p, name) : number_put_unsigned(p, data_type);
}

/* The two-letter formats had a prefix in 2022. */
static const char *format_name(uint32_t format, enum tensor_era era)
{
    if (era == TENSOR_ERA_2022) {
        switch (format) {
        case 2:
            return "FORMAT_ND";
        case 26:
            return "FORMAT_MD";
        case 34:
            return "FORMAT_CN";
        case 35:
            return "FORMAT_NC";
        default:
            break;
        }
    }
    if (format >= FRAMEWORK_FORMATS)
        return pick(framework_format_names, COUNT(framework_format_names), format - FRAMEWORK_FORMATS);
    return pick(format_names, COUNT(format_names), format);
}

char *tensor_format_put(char *p, uint32_t format, enum tensor_era era)
{
    uint32_t own = format & ~TENSOR_OF_MINDSPORE;
    if (format == UNDEFINED)
        return put_text(p, "UNDEFINED");
    if (is_mindspores(format))
        return put_mindspores(p, pick(framework_format_names, COUNT(framework_format_names), own), own);
    uint32_t sub_format = format >> 8 & 0xffff;
    const char *name = format_name(format & 0xff, era);
    p = name != NULL ? put_text(p, name) : number_put_unsigned(p, format & 0xff);
    if (sub_format != 0) {
        *p++ = ':';
        p = number_put_unsigned(p, sub_format);
    }
    return p;
}

char *tensor_shape_put(char *p, const uint32_t *dimensions, size_t count)
{
    while (count > 0 && dimensions[count - 1] == 0)
        count--;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            *p++ = ',';
        p = number_put_unsigned(p, dimensions[i]);
    }
    return p;
}
