"""Reading up to 26 pads of one Pico at once: all charged, all let go together, the GPIO word sampled while they fall.

Belongs here: the loops that touch the RP2040's GPIO registers, and what their samples mean. Does not belong here:
which pin is which pad (`pads_pico`).

A pad with its 1 MOhm to ground falls in about R * C: tens of microseconds. The longer it takes, the more
capacitance there is, so a reading rises with touch. Sampling the whole input word and looking through it
afterwards costs the same for 1 pad and for 24.

Source: RP2040 data sheet, section 2.3.1.7 (SIO registers). `decode` is plain arithmetic and runs anywhere; the
other loops run on an RP2040 only. Not for the RP2350: its stepping A2 latches inputs (erratum E9).
"""

from compat import micropython, ptr8, ptr16, ptr32

SIO = 0xD0000000
# Register numbers in words from SIO: GPIO_IN 1, GPIO_OUT_SET 5, GPIO_OUT_CLR 6, GPIO_OE_SET 9, GPIO_OE_CLR 10


@micropython.viper
def charge(sio_address, mask: int):
    """Drive the pads high."""
    sio = ptr32(sio_address)
    sio[5] = mask
    sio[9] = mask


@micropython.viper
def release(sio_address, mask: int, falling: int, rising: int, words, steps: int):
    """Let the pads go and sample the input word `steps` times; lower and raise other outputs in the same breath.

    Interrupts must be off. `falling` is the sync wire on the primary, `rising` the seat pad whose turn it is.
    """
    sio = ptr32(sio_address)
    samples = ptr32(words)
    sio[6] = falling
    sio[10] = mask
    sio[5] = rising
    step = 0
    while step < steps:
        samples[step] = sio[1]
        step += 1


@micropython.viper
def rest(sio_address, mask: int):
    """Hold the pads low until the next reading."""
    sio = ptr32(sio_address)
    sio[6] = mask
    sio[9] = mask


@micropython.viper
def wait_high(sio_address, mask: int, tries: int) -> int:
    """Wait for a pin to be high; 1 when it is, 0 when that took longer than `tries` looks."""
    sio = ptr32(sio_address)
    while tries > 0:
        if int(sio[1]) & mask:
            return 1
        tries -= 1
    return 0


@micropython.viper
def follow_release(sio_address, mask: int, sync: int, words, steps: int) -> int:
    """As `release`, at the moment the sync wire falls; 0 when it does not fall in time."""
    sio = ptr32(sio_address)
    samples = ptr32(words)
    tries = 4000
    while int(sio[1]) & sync:
        tries -= 1
        if tries == 0:
            return 0
    sio[10] = mask
    step = 0
    while step < steps:
        samples[step] = sio[1]
        step += 1
    return 1


@micropython.viper
def decode(words, steps: int, pins, pads: int, counts, first: int, mask: int):
    """counts[first + p] = the sample in which pad p (GPIO pins[p]) was first seen low; `steps` if it never was."""
    samples = ptr32(words)
    pin = ptr8(pins)
    out = ptr16(counts)
    pad = 0
    while pad < pads:
        out[first + pad] = steps
        pad += 1
    charged = mask
    step = 0
    while step < steps:
        fell = charged & ~int(samples[step])
        if fell:
            charged ^= fell
            pad = 0
            while pad < pads:
                if (fell >> int(pin[pad])) & 1:
                    out[first + pad] = step
                pad += 1
            if charged == 0:
                return
        step += 1


@micropython.viper
def subtract(deltas, counts, driven, at: int, count: int):
    """deltas[at:at+count] = driven - counts (the store keeps 16 bits)."""
    out = ptr16(deltas)
    plain = ptr16(counts)
    other = ptr16(driven)
    end = at + count
    while at < end:
        out[at] = int(other[at]) - int(plain[at])
        at += 1


@micropython.viper
def raise_pins(sio_address, mask: int):
    """Outputs high."""
    sio = ptr32(sio_address)
    sio[5] = mask


@micropython.viper
def lower_pins(sio_address, mask: int):
    """Outputs low."""
    sio = ptr32(sio_address)
    sio[6] = mask


@micropython.viper
def let_go(sio_address, mask: int):
    """Pins as inputs."""
    sio = ptr32(sio_address)
    sio[10] = mask


@micropython.viper
def look(sio_address) -> int:
    """The input word."""
    sio = ptr32(sio_address)
    return int(sio[1])


@micropython.viper
def copy_words(target, source, count: int):
    """target[:count] = source[:count], 16 bits each."""
    out = ptr16(target)
    data = ptr16(source)
    at = 0
    while at < count:
        out[at] = data[at]
        at += 1


@micropython.viper
def pack_link(frame, pulses: int, pads: int, counts, driven) -> int:
    """Write a secondary's frame for the primary; returns its length."""
    out = ptr8(frame)
    out[0] = 0xA5
    out[1] = pulses
    total = 0xA5 + pulses
    at = 2
    pulse = 0
    while pulse < pulses:
        values = ptr16(counts)
        if pulse == 1:
            values = ptr16(driven)
        pad = 0
        while pad < pads:
            value = int(values[pad])
            out[at] = value & 0xFF
            out[at + 1] = (value >> 8) & 0xFF
            total += (value & 0xFF) + ((value >> 8) & 0xFF)
            at += 2
            pad += 1
        pulse += 1
    out[at] = total & 0xFF
    out[at + 1] = (total >> 8) & 0xFF
    return at + 2


@micropython.viper
def unpack_link(frame, size: int, pads: int, counts, driven, first: int) -> int:
    """Read a secondary's frame of `size` bytes into the arrays at `first`; 0 when it is not whole."""
    data = ptr8(frame)
    pulses = int(data[1])
    if int(data[0]) != 0xA5 or size != 4 + 2 * pads * pulses:
        return 0
    total = 0
    at = 0
    while at < size - 2:
        total += int(data[at])
        at += 1
    if int(data[at]) != total & 0xFF or int(data[at + 1]) != (total >> 8) & 0xFF:
        return 0
    at = 2
    pulse = 0
    while pulse < pulses:
        values = ptr16(counts)
        if pulse == 1:
            values = ptr16(driven)
        pad = 0
        while pad < pads:
            values[first + pad] = int(data[at]) | (int(data[at + 1]) << 8)
            at += 2
            pad += 1
        pulse += 1
    return 1
