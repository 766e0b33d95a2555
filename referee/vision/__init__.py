"""From frames to sightings: geometry, finding cards, reading symbols, hands."""
