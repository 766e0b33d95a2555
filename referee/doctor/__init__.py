"""The doctor: what somebody who comes to help would ask about a table, looked up by the machine itself.

Written rules of this room:
- probing and judging are apart: a `probe` takes what a device or a file says as plain facts, and a `judge` turns facts
  into findings without touching anything;
- every family of probes runs in a process of its own with a time limit, so that a driver that hangs or crashes costs
  its own line and nothing else;
- what a finding says, and what to do about it, stands in `sentences.toml`, in English and in French;
- it looks and changes nothing: no setting, no file but the one it writes and takes away to time the disk.
Does not belong here: calibration, a running game.
"""
