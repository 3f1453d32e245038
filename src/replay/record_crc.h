/* SPDX-License-Identifier: Zlib
 *
 * CRC32C (Castagnoli), as iSCSI has it: RFC 3720, 12.1 and appendix B.4.
 */
#ifndef ES_RECORD_CRC_H
#define ES_RECORD_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Of all bytes so far, where crc is of those before: 0 of none. */
uint32_t es__crc32c(uint32_t crc, const void *bytes, size_t size);

#endif
