"""The games' rules: pure functions from events to rulings, one module a game.

Every game's module offers the same four:
- `start(header) -> state`, raising `RecordError` for house rules or a start that cannot be;
- `apply(state, event) -> (state, rulings)`, pure and total;
- `summary(state)`: the counts that are shown;
- `expected(state)`: what may come next.

Belongs here: nothing but rules. Does not belong here: clocks, files, pixels, threads.
"""
