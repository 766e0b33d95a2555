"""The journal: every game of a table, kept in one chain that shows a changed past.

Written rules of this room:
- one append-only table of entries; everything else can be made again from it;
- what was acknowledged is on the disk; a sync that failed is never tried again;
- it knows words, records and files. It never judges (`referee.ledger`), shows or listens.
Modules: `entries` (what is kept), `chain` (hashes), `schema` (tables and migrations), `derived` (lists made from the
entries), `store` (the one writer), `reading` (any number of readers).
"""
