"""Games played by chance."""

from __future__ import annotations

from referee.deck.folder import resolve_deck
from referee.sim.games import deck, play


def test_the_cards_that_are_dealt_are_those_of_the_shipped_deck() -> None:
    shipped = resolve_deck("builtin:totem-rush")
    cards = sorted(card.id for card in shipped.cards for _ in range(card.count))
    assert sorted(deck(4)) == cards
    assert sorted(deck(3)) == [card for card in cards if card != "arrow/colour"]


def test_the_same_seed_plays_the_same_game_and_another_seed_another() -> None:
    players = ["Ana", "Bilal", "Chloé"]
    assert play(7, players) == play(7, players)
    assert play(7, players) != play(8, players)
