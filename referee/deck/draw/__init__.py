"""Our own decks, drawn from code: SVG in millimetres; pictures and printed sheets are made from it."""
