"""Sheets to print for a table: mat, calibration board, templates for the totem's pads and for seat pads.

Written rules of this room:
- true to scale: everything is in millimetres, vector, and every page has a 100 mm ruler to check the printer by;
- what is on a sheet is said once, in the module that reads it back (`calibration.boards`, `referee.vision.table`,
  `referee.table.layouts`), and only drawn here;
- a drawing is one plane of its own; how it comes onto paper, in one page or in several to be glued, is `paper` and
  `pages` alone.
Does not belong here: cards (`referee.deck.printing`).
"""
