"""Bytes of the wire: CRC-32, COBS, little-endian numbers, all into buffers that already exist.

Belongs here: the loops that touch every byte, in viper, and the helpers that write one number. Nothing here
allocates. Every value stays below 2^30, because larger ones are heap objects on a 32-bit MicroPython; that is
why the CRC is worked out in two halves of 16 bits and a stamp is two numbers.

Sources: CRC-32 as in IEEE 802.3 (reflected, polynomial 0xEDB88320); COBS: Cheshire and Baker, IEEE/ACM
Transactions on Networking 7(2), 1999.
"""

from array import array

from compat import micropython, ptr8, ptr16


def _crc_tables():
    """256 low halves, then 256 high halves, of the CRC table."""
    tables = array("H", [0] * 512)
    for index in range(256):
        low, high = index, 0
        for _ in range(8):
            carry = low & 1
            low = (low >> 1) | ((high & 1) << 15)
            high >>= 1
            if carry:
                low ^= 0x8320
                high ^= 0xEDB8
        tables[index] = low
        tables[256 + index] = high
    return tables


CRC_TABLES = _crc_tables()


@micropython.viper
def crc_append(buffer, end: int, crc_tables) -> int:
    """Write the CRC-32 of buffer[:end] behind it, little-endian; returns the new end."""
    data = ptr8(buffer)
    table = ptr16(crc_tables)
    low = 0xFFFF
    high = 0xFFFF
    at = 0
    while at < end:
        index = (low ^ int(data[at])) & 0xFF
        low = ((low >> 8) | ((high & 0xFF) << 8)) ^ int(table[index])
        high = (high >> 8) ^ int(table[256 + index])
        at += 1
    low ^= 0xFFFF
    high ^= 0xFFFF
    data[end] = low & 0xFF
    data[end + 1] = low >> 8
    data[end + 2] = high & 0xFF
    data[end + 3] = high >> 8
    return end + 4


def crc_agrees(buffer, end, crc_tables):
    """1 when the last four of buffer[:end] are the CRC-32 of what stands before them, else 0."""
    if end < 4:
        return 0
    start = end - 4
    low = buffer[start] | (buffer[start + 1] << 8)
    high = buffer[start + 2] | (buffer[start + 3] << 8)
    crc_append(buffer, start, crc_tables)
    agrees = low == buffer[start] | (buffer[start + 1] << 8) and high == buffer[start + 2] | (buffer[start + 3] << 8)
    return 1 if agrees else 0


@micropython.viper
def cobs_encode(target, at: int, source, count: int) -> int:
    """Write source[:count] as one COBS frame with its closing 0 at target[at:]; returns the end."""
    out = ptr8(target)
    data = ptr8(source)
    code_at = at
    out_at = at + 1
    code = 1
    index = 0
    while index < count:
        byte = int(data[index])
        if byte != 0:
            out[out_at] = byte
            out_at += 1
            code += 1
        # A full block of 254 is closed only when more follows, so that no frame is longer than it must be.
        if byte == 0 or (code == 0xFF and index + 1 < count):
            out[code_at] = code
            code_at = out_at
            out_at += 1
            code = 1
        index += 1
    out[code_at] = code
    out[out_at] = 0
    return out_at + 1


@micropython.viper
def cobs_decode(buffer, count: int) -> int:
    """Undo COBS in place on buffer[:count] (without the closing 0); returns the length, or -1 if it cannot be."""
    data = ptr8(buffer)
    out_at = 0
    at = 0
    while at < count:
        code = int(data[at])
        if code == 0 or at + code > count:
            return -1
        at += 1
        last = at + code - 1
        while at < last:
            byte = int(data[at])
            if byte == 0:
                return -1
            data[out_at] = byte
            out_at += 1
            at += 1
        if code != 0xFF and at < count:
            data[out_at] = 0
            out_at += 1
    return out_at


@micropython.viper
def copy(target, at: int, source, start: int, count: int) -> int:
    """target[at:at+count] = source[start:start+count] without making a slice; returns the new end."""
    out = ptr8(target)
    data = ptr8(source)
    index = 0
    while index < count:
        out[at + index] = data[start + index]
        index += 1
    return at + count


@micropython.viper
def put_words(target, at: int, words, count: int) -> int:
    """Write `count` 16-bit numbers of an array little-endian at target[at:]; returns the new end."""
    out = ptr8(target)
    values = ptr16(words)
    index = 0
    while index < count:
        value = int(values[index])
        out[at] = value & 0xFF
        out[at + 1] = (value >> 8) & 0xFF
        at += 2
        index += 1
    return at


@micropython.viper
def fill(target, at: int, end: int):
    """target[at:end] = zeros."""
    out = ptr8(target)
    while at < end:
        out[at] = 0
        at += 1


def put_u16(target, at, value):
    target[at] = value & 0xFF
    target[at + 1] = (value >> 8) & 0xFF
    return at + 2


def put_u32(target, at, value):
    """A number from 0 to 2^30 - 1 in four bytes."""
    target[at] = value & 0xFF
    target[at + 1] = (value >> 8) & 0xFF
    target[at + 2] = (value >> 16) & 0xFF
    target[at + 3] = (value >> 24) & 0xFF
    return at + 4


def get_u30(source, at):
    """The low 30 bits of a little-endian 32-bit number."""
    return source[at] | (source[at + 1] << 8) | (source[at + 2] << 16) | ((source[at + 3] & 0x3F) << 24)
