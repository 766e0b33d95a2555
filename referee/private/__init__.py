"""What one player alone may know: Jungle Bluff's forces, from the moment they are read until they are forgotten.

Written rules of this room:
- a force goes in by the player's own phone page or by the hooded camera, and is told to nobody but the rules;
- what comes out is who wins a challenge, and nothing that depends on a force in any other way, also not in time;
- no page, no voice, no record, no journal and no evidence may import this room (import contract); whoever wires a
  game hands them a door that is too narrow for a force.
"""
