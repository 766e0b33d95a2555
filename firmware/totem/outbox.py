"""Frames on their way to the host: a window of numbered frames, answers, and blocks of 64 bytes.

Belongs here: which byte goes out next. Does not belong here: what a frame means, and how a block leaves.

Written rules:
- A numbered frame stays in the window until younger ones push it out; sent or not, it can be sent again.
- When the host does not read, the oldest unsent frames are pushed out and counted; nothing ever waits.
- Answers go before repeats, repeats before new frames, always whole frames.
- Everything leaves in blocks of exactly 64 bytes, filled up with the frame delimiter 0. The buffer of the
  RP2040's USB port holds 256 and empties by 64: filled only by whole blocks, it has either no room or room for
  a block, so a write after "there is room" cannot wait.
"""

from array import array

import codec
from compat import const

BLOCK = const(64)
SEQUENCE_MASK = 0x3FFFFFFF
_REPLY_ROOM = const(1024)


class Outbox:
    """Window of at least eight encoded frames of up to `frame_bytes`, in about `window_bytes` of memory."""

    def __init__(self, frame_bytes, window_bytes):
        self.frame_bytes = frame_bytes
        self.slots = max(8, window_bytes // frame_bytes)
        self._store = bytearray(self.slots * frame_bytes)
        self._lengths = array("H", [0] * self.slots)
        self.next_sequence = 0
        self._next_slot = 0
        self.held = 0
        self.unsent = 0
        self._again_from = 0
        self._again = 0
        self._reply = bytearray(_REPLY_ROOM)
        self._reply_end = 0
        self._reply_at = 0
        self._current = bytearray(frame_bytes)
        self._current_end = 0
        self._current_at = 0
        self.streaming = False
        self.pushed_out = 0
        self.sent_again = 0
        self.replies_dropped = 0

    def add(self, payload, end):
        """Encode payload[:end] (its CRC included) as the frame `next_sequence` of the window."""
        start = self._next_slot * self.frame_bytes
        length = codec.cobs_encode(self._store, start, payload, end) - start
        self._lengths[self._next_slot] = length
        self._next_slot += 1
        if self._next_slot == self.slots:
            self._next_slot = 0
        self.next_sequence = (self.next_sequence + 1) & SEQUENCE_MASK
        if self.held < self.slots:
            self.held += 1
        if self.unsent < self.slots:
            self.unsent += 1
        elif self.streaming:
            self.pushed_out += 1

    def reply(self, payload, end):
        """Encode payload[:end] as an answer that goes out first; dropped and counted when there is no room."""
        if self._reply_end + end + end // 254 + 3 > _REPLY_ROOM:
            self.replies_dropped += 1
            return
        self._reply_end = codec.cobs_encode(self._reply, self._reply_end, payload, end)

    def oldest(self):
        """Number of the oldest frame that can still be sent again."""
        return (self.next_sequence - self.held) & SEQUENCE_MASK

    def stream_from(self, sequence):
        """Start to send, from the frame `sequence` on or from the oldest one kept."""
        behind = (self.next_sequence - sequence) & SEQUENCE_MASK
        self.unsent = behind if behind <= self.held else self.held
        self._again = 0
        self.streaming = True

    def stop(self):
        """Stop to send numbered frames; they stay in the window."""
        self.streaming = False
        self._again = 0

    def send_again(self, sequence, count):
        """Queue frames for a repeat; returns False when the first of them has left the window."""
        behind = (self.next_sequence - sequence) & SEQUENCE_MASK
        if behind > self.held or behind == 0:
            return False
        self._again_from = sequence
        self._again = min(count, behind)
        return True

    def pending(self):
        """True while there is something to send."""
        if self._current_at < self._current_end or self._reply_at < self._reply_end:
            return True
        return self.streaming and (self._again > 0 or self.unsent > 0)

    def _take_next(self):
        if self._reply_at < self._reply_end:
            # All answers queued so far go out together, as a row of whole frames.
            count = min(self._reply_end - self._reply_at, self.frame_bytes)
            codec.copy(self._current, 0, self._reply, self._reply_at, count)
            self._reply_at += count
            if self._reply_at == self._reply_end:
                self._reply_at = 0
                self._reply_end = 0
            self._current_end = count
        elif self._again > 0:
            self._load(self._again_from)
            self._again_from = (self._again_from + 1) & SEQUENCE_MASK
            self._again -= 1
            self.sent_again += 1
        else:
            self._load((self.next_sequence - self.unsent) & SEQUENCE_MASK)
            self.unsent -= 1
        self._current_at = 0

    def _load(self, sequence):
        behind = (self.next_sequence - sequence) & SEQUENCE_MASK
        self._current_end = 0
        if behind == 0 or behind > self.held:
            return
        slot = self._next_slot - behind
        if slot < 0:
            slot += self.slots
        # Copied, because the window may push this frame out while it is half sent.
        self._current_end = codec.copy(self._current, 0, self._store, slot * self.frame_bytes, self._lengths[slot])

    def fill(self, block):
        """Fill a block with what is next, padded with zeros; returns False when there is nothing to send."""
        if not self.pending():
            return False
        at = 0
        while at < BLOCK and self.pending():
            if self._current_at == self._current_end:
                self._take_next()
            count = min(BLOCK - at, self._current_end - self._current_at)
            at = codec.copy(block, at, self._current, self._current_at, count)
            self._current_at += count
        codec.fill(block, at, BLOCK)
        return True
