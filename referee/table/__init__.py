"""The table: zones and seats, and how sightings, scrambles and calls become the events of a game.

Written rules of this room:
- event time: events leave it in the order in which they happened, each source kept back until the others have
  seen past it; what is learnt afterwards leaves as a `correct`;
- withheld beats wrong: a player, an order or a card that is not sure is null, an interval or `?`;
- every wait has a limit, everything kept is bounded, every input ends in an event or is dropped on purpose;
- it is told which events may come next; that may make it more careful, never decide anything.
Does not belong here: how a symbol or a finger is read (`vision`, `totem`), what follows from an event (`rules`).
"""
