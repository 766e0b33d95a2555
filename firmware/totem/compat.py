"""What MicroPython's compiler knows and CPython does not, so that the same files run under both.

Belongs here: stand-ins for `micropython`, `const` and the viper casts, and `ticks_us`. Under MicroPython the
decorators and casts are handled by the compiler and the stand-ins are never looked at.
"""

TICKS_MASK = 0x3FFFFFFF  # ticks_us of the RP2040 wraps at 2^30

try:
    from time import ticks_us as _raw_ticks_us

    import micropython
    from micropython import const

    def ptr8(buffer):
        return buffer

    ptr16 = ptr32 = ptr8

    def ticks_us():
        """Microseconds since some moment, modulo 2^30 on every port (the desktop's counter is wider)."""
        return _raw_ticks_us() & TICKS_MASK

except ImportError:
    from time import monotonic_ns

    def const(value):
        return value

    def ptr8(buffer):
        return buffer

    ptr16 = ptr32 = ptr8

    class micropython:
        """CPython runs the plain function where MicroPython compiles it to machine code."""

        @staticmethod
        def viper(function):
            return function

        @staticmethod
        def native(function):
            return function

    def ticks_us():
        return (monotonic_ns() // 1000) & TICKS_MASK
