"""Standard input and output as the totem's port: the USB cable on a board, a pipe or a terminal on a desk.

Belongs here: asking whether something may be read or written, and doing it without waiting.
"""

import select
import sys


class TerminalPort:
    """Standard input and output as the USB port, never waiting."""

    def __init__(self):
        self._in = sys.stdin.buffer
        self._out = sys.stdout.buffer
        self._byte = bytearray(1)
        self._readable = select.poll()
        # The first event of a poll object makes its result tuple; it is made here and not in the scan loop.
        self._readable.register(sys.stdout, select.POLLOUT)
        for _ in self._readable.ipoll(1000):
            pass
        self._readable.unregister(sys.stdout)
        self._readable.register(sys.stdin, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(sys.stdout, select.POLLOUT)
        self.ready()

    def read_byte(self):
        for _, events in self._readable.ipoll(0):
            if events & select.POLLIN and self._in.readinto(self._byte):
                return self._byte[0]
            # The other end has gone for good.
            raise SystemExit
        return -1

    def ready(self):
        for _, events in self._writable.ipoll(0):
            return bool(events & select.POLLOUT)
        return False

    def write(self, block):
        return self._out.write(block)
