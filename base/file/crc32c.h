/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C (Castagnoli): the sum behind the signature of subscription records. */
#ifndef MSPROF_BASE_FILE_CRC32C_H
#define MSPROF_BASE_FILE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

#define CRC32C_INIT UINT32_C(0xffffffff)

/* Goes on from crc (CRC32C_INIT at the start) over length bytes: reflected polynomial 0x82f63b78. Without the final
 * inversion that RFC 3720 (appendix B.4) makes: the signature has none. */
uint32_t crc32c_add(uint32_t crc, const void *bytes, size_t length);

#endif
