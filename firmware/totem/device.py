"""The totem's logic: scans become numbered frames, commands become answers.

Belongs here: batches, commands, health. Does not belong here: pins, buses, ports. The hardware is handed in:

- `pads`: `scan()` → True when a scan is complete; then `counts` array('H'), `when` (counter at its end), `seat`
  (-1 or the seat pad driven), `deltas` array('h') or None; `missed`; `self_test(states)` fills a bytearray.
- `motion`: `read(now, seated)`, `tilt` and `yaw` (0.01°), `tilt_valid`, `yaw_valid`, `errors`.
- `switches`: `seated()`, `lamp(on)`.
- `port`: `read_byte()` → byte or -1, `ready()`, `write(block)` → bytes taken; none of them ever waits.

Written rules: `step` allocates nothing and waits for nobody; garbage is collected only when the host says so
(it knows when no round is live), and the pause is announced.
"""

import gc

import codec
import wire
from compat import TICKS_MASK, const, ticks_us
from outbox import BLOCK, Outbox
from stamp import Stamp, elapsed

_HEADER = const(17)  # kind, boot tag, sequence, first stamp, scans, shape
_RECORD = const(7)  # step, tilt, yaw, state
_INBOX = const(32)
_MAX_STEP_US = const(60000)
_BLOCKS_A_SERVICE = const(16)
_BYTES_A_SERVICE = const(32)
_MOTION_EVERY_US = const(5000)


class Device:
    """One totem. `settings` is the module `config` or anything with its names; `boot_id` four random bytes."""

    def __init__(self, settings, pads, motion, switches, port, boot_id, ticks=ticks_us):
        self.settings = settings
        self.pads = pads
        self.motion = motion
        self.switches = switches
        self.port = port
        self.boot_id = boot_id
        self._ticks = ticks
        self.pad_count = settings.RINGS * settings.SECTORS
        self.with_seats = settings.SEATS > 0
        record = _RECORD + 2 * self.pad_count
        if self.with_seats:
            record += 1 + 2 * self.pad_count
        self.record_bytes = record
        payload = max(_HEADER + settings.BATCH * record + 4, 64 + 2 * settings.RINGS, 80 + self.pad_count)
        self._payload = bytearray(payload)
        self._answer = bytearray(max(160, 64 + 2 * settings.RINGS, 16 + self.pad_count))
        self._states = bytearray(self.pad_count)
        self._block = bytearray(BLOCK)
        self._inbox = bytearray(_INBOX)
        self._inbox_end = 0
        self.outbox = Outbox(payload + payload // 254 + 3, settings.WINDOW_BYTES)
        now = ticks()
        self.stamp = Stamp(now)
        self._end = 0
        self._in_batch = 0
        self._last_when = now
        self._motion_when = now
        self.lamp_on = False
        self.leaving = False
        self.scans = 0
        self.bad_commands = 0
        self.short_writes = 0
        self.longest_gap_us = 0
        self.longest_collect_us = 0

    def step(self):
        """One scan, then a little traffic."""
        complete = self.pads.scan()
        now = self._ticks()
        self.stamp.follow(now)
        if elapsed(now, self._motion_when) >= _MOTION_EVERY_US:
            self._motion_when = now
            self.motion.read(now, self.switches.seated())
        if complete:
            self._append()
        self.service()

    def service(self):
        """Read a few bytes of commands and write a few blocks, as far as that goes at once."""
        port = self.port
        budget = _BYTES_A_SERVICE
        while budget > 0:
            byte = port.read_byte()
            if byte < 0:
                break
            self._take(byte)
            budget -= 1
        blocks = _BLOCKS_A_SERVICE
        while blocks > 0 and port.ready() and self.outbox.fill(self._block):
            if port.write(self._block) != BLOCK:
                # The rest of the block is lost; the host sees a broken frame and asks again.
                self.short_writes += 1
                break
            blocks -= 1

    # -- scans to frames

    def _append(self):
        pads = self.pads
        step_us = elapsed(pads.when, self._last_when)
        if self.scans > 0 and step_us > self.longest_gap_us:
            self.longest_gap_us = step_us
        self._last_when = pads.when
        if self._in_batch > 0 and step_us > _MAX_STEP_US:
            self.seal()
        payload = self._payload
        if self._in_batch == 0:
            self._end = self._header(wire.SCANS)
            self.stamp.put(payload, 7, pads.when)
            payload[15] = 0
            payload[16] = 1 if self.with_seats else 0
            self._end = _HEADER
            step_us = 0
        motion = self.motion
        at = codec.put_u16(payload, self._end, step_us)
        at = codec.put_u16(payload, at, motion.tilt)
        at = codec.put_u16(payload, at, motion.yaw)
        state = 0
        if self.switches.seated():
            state |= wire.SEATED
        if self.lamp_on:
            state |= wire.LAMP_ON
        if motion.tilt_valid:
            state |= wire.TILT_VALID
        if motion.yaw_valid:
            state |= wire.YAW_VALID
        payload[at] = state
        at += 1
        if self.with_seats:
            payload[at] = pads.seat & 0xFF
            at += 1
        at = codec.put_words(payload, at, pads.counts, self.pad_count)
        if self.with_seats:
            at = codec.put_words(payload, at, pads.deltas, self.pad_count)
        self._end = at
        self._in_batch += 1
        payload[15] = self._in_batch
        self.scans = (self.scans + 1) & 0x3FFFFFFF
        if self._in_batch >= self.settings.BATCH:
            self.seal()

    def _header(self, kind):
        payload = self._payload
        payload[0] = kind
        payload[1] = self.boot_id[0]
        payload[2] = self.boot_id[1]
        return codec.put_u32(payload, 3, self.outbox.next_sequence)

    def seal(self):
        """Close the batch that is being filled, if any, and put it into the window."""
        if self._in_batch > 0:
            self._in_batch = 0
            self.outbox.add(self._payload, codec.crc_append(self._payload, self._end, codec.CRC_TABLES))

    def _announce_pause(self, reason, began, lasted_us):
        self.seal()
        payload = self._payload
        at = self._header(wire.PAUSE)
        at = self.stamp.put(payload, at, began)
        at = codec.put_u32(payload, at, lasted_us)
        payload[at] = reason
        self.outbox.add(payload, codec.crc_append(payload, at + 1, codec.CRC_TABLES))
        # The announced pause is not a gap of the scanning.
        self._last_when = self._ticks()

    # -- commands

    def _take(self, byte):
        if byte != 0:
            if self._inbox_end < _INBOX:
                self._inbox[self._inbox_end] = byte
            if self._inbox_end <= _INBOX:
                self._inbox_end += 1
            return
        length = self._inbox_end
        self._inbox_end = 0
        if length == 0:
            return
        if length <= _INBOX:
            length = codec.cobs_decode(self._inbox, length)
            if length >= 5 and codec.crc_agrees(self._inbox, length, codec.CRC_TABLES):
                self._obey(self._inbox, length - 4)
                return
        self.bad_commands += 1

    def _obey(self, command, length):
        kind = command[0]
        now = self._ticks()
        self.stamp.follow(now)
        if kind == wire.PING and length == 5:
            self._pong(command, now)
        elif kind == wire.ASK_HELLO and length == 1:
            self._hello()
        elif kind == wire.STREAM and length == 6:
            if command[1]:
                self.outbox.stream_from(codec.get_u30(command, 2))
            else:
                self.outbox.stop()
        elif kind == wire.RESEND and length == 7:
            self._resend(command)
        elif kind == wire.ASK_HEALTH and length == 1:
            self._health(now)
        elif kind == wire.ASK_SELF_TEST and length == 1:
            self._self_test(now)
        elif kind == wire.SET_LAMP and length == 2:
            self._set_lamp(command[1] != 0)
        elif kind == wire.COLLECT and length == 1:
            self._collect(now)
        elif kind == wire.LEAVE and length == 1:
            self.leaving = True
        else:
            self._refuse(kind)

    def _send(self, end):
        self.outbox.reply(self._answer, codec.crc_append(self._answer, end, codec.CRC_TABLES))

    def _hello(self):
        settings = self.settings
        answer = self._answer
        answer[0] = wire.HELLO
        answer[1] = wire.PROTOCOL_VERSION
        answer[2] = settings.VERSION[0]
        answer[3] = settings.VERSION[1]
        answer[4] = settings.VERSION[2]
        at = codec.copy(answer, 5, self.boot_id, 0, 4)
        answer[at] = ord(settings.BUILD)
        answer[at + 1] = settings.RINGS
        answer[at + 2] = settings.SECTORS
        answer[at + 3] = settings.SEATS
        answer[at + 4] = settings.FEATURES
        answer[at + 5] = settings.BATCH
        at = codec.put_u16(answer, at + 6, settings.PERIOD_US)
        at = codec.put_u16(answer, at, self.outbox.slots)
        at = codec.put_u32(answer, at, self.outbox.oldest())
        at = codec.put_u32(answer, at, self.outbox.next_sequence)
        at = codec.put_u16(answer, at, settings.DIAMETER_TENTHS)
        at = codec.put_u16(answer, at, settings.HEIGHT_TENTHS)
        ring = 0
        while ring < settings.RINGS:
            at = codec.put_u16(answer, at, settings.RING_TENTHS[ring])
            ring += 1
        self._send(at)

    def _pong(self, command, received):
        answer = self._answer
        answer[0] = wire.PONG
        at = codec.copy(answer, 1, command, 1, 4)
        at = self.stamp.put(answer, at, received)
        at = self.stamp.put(answer, at, self._ticks())
        self._send(at)

    def _resend(self, command):
        if not self.outbox.send_again(codec.get_u30(command, 1), command[5] | (command[6] << 8)):
            answer = self._answer
            answer[0] = wire.GONE
            at = codec.copy(answer, 1, command, 1, 4)
            at = codec.put_u32(answer, at, self.outbox.oldest())
            at = codec.put_u32(answer, at, self.outbox.next_sequence)
            self._send(at)

    def _health(self, now):
        answer = self._answer
        outbox = self.outbox
        answer[0] = wire.HEALTH
        at = self.stamp.put(answer, 1, now)
        at = codec.put_u32(answer, at, self.scans)
        at = codec.put_u32(answer, at, self.pads.missed)
        at = codec.put_u32(answer, at, outbox.pushed_out)
        at = codec.put_u32(answer, at, outbox.sent_again)
        at = codec.put_u32(answer, at, outbox.replies_dropped)
        at = codec.put_u32(answer, at, self.bad_commands)
        at = codec.put_u32(answer, at, self.short_writes)
        at = codec.put_u32(answer, at, self.motion.errors)
        at = codec.put_u32(answer, at, self.longest_gap_us)
        at = codec.put_u32(answer, at, self.longest_collect_us)
        self._send(at)

    def _self_test(self, now):
        self.seal()
        self.pads.self_test(self._states)
        answer = self._answer
        answer[0] = wire.SELF_TEST
        state = 0
        if self.switches.seated():
            state |= wire.SEATED
        if self.motion.tilt_valid:
            state |= wire.TILT_VALID
        if self.motion.yaw_valid:
            state |= wire.YAW_VALID
        answer[1] = state
        answer[2] = self.pad_count
        self._send(codec.copy(answer, 3, self._states, 0, self.pad_count))
        self._announce_pause(wire.PAUSE_SELF_TEST, now, elapsed(self._ticks(), now))

    def _set_lamp(self, on):
        self.switches.lamp(on)
        now = self._ticks()
        self.lamp_on = on
        answer = self._answer
        answer[0] = wire.LAMP
        answer[1] = 1 if on else 0
        self._send(self.stamp.put(answer, 2, now))

    def _collect(self, now):
        gc.collect()
        lasted_us = elapsed(self._ticks(), now)
        if lasted_us > self.longest_collect_us:
            self.longest_collect_us = lasted_us
        self._announce_pause(wire.PAUSE_COLLECT, now, lasted_us)

    def _refuse(self, kind):
        answer = self._answer
        answer[0] = wire.REFUSED
        answer[1] = kind
        known = wire.ASK_HELLO <= kind <= wire.LEAVE
        answer[2] = wire.REFUSED_LENGTH if known else wire.REFUSED_UNKNOWN
        self._send(3)


def run(device, period_us, ticks=ticks_us, collect=True):
    """Scan every `period_us` until told to leave; the time left over in a period goes to the host."""
    if collect:
        gc.collect()
        gc.disable()
    # Adding to a counter near its wrap would make a number over 2^30; taking away never does.
    back = TICKS_MASK - period_us + 1
    due = ticks()
    while not device.leaving:
        device.step()
        while elapsed(ticks(), due) < period_us:
            device.service()
        late = elapsed(ticks(), due) > 4 * period_us
        due = ticks() if late else (due - back) & TICKS_MASK
