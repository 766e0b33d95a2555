"""What this very machine can do: the referee's own work measured here, and a picture size and rate proposed from it.

Written rules of this room:
- measured is the product itself (decoding, watching, feeling, keeping), on a simulated table that comes in as data;
- measuring (`measure`) and proposing (`propose`) are apart; proposing is pure.
Does not belong here: figures for the documentation (`benchmarks/`), what is wrong with a table (`referee.doctor`).
"""
