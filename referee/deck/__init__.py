"""Which cards there are: deck folders, our own printable decks, pairs that are easy to confuse."""
