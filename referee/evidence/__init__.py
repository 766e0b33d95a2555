"""Evidence: what the camera saw and the totem felt around a ruling, kept as files.

Written rules of this room:
- it knows frames, counts, times and bytes; which moment of a game matters is told to it, why it does not know;
- a child process holds the last seconds and writes the files; the game's own thread only hands over, and never waits
  for a disk;
- pixels outside the table are gone before anything is encoded, and nothing is encoded before it is known where the
  table lies;
- a file is whole, on the disk and under its final name before anybody is told of it;
- evidence that cannot be kept is said once, and the game goes on without it.
Does not belong here: rules, records, the journal, pages.
"""
