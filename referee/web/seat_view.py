"""What one seat's phone page shows: the game in short, what this player may say, and their own secret.

Written rules of this module:
- the shown board is the public one; what is a player's own comes through `hand_view` and goes to nobody else;
- every word here is text, never markup.
Does not belong here: who asks (`seat_pages`), HTML.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.announce.sentences import card_words
from referee.web import view
from referee.web.board import TableSnapshot
from referee.web.seats import OwnHand

SHOWN_RULINGS = 4


@dataclass(frozen=True)
class SeatShow:
    """Shows a table to one player."""

    player: str

    def __call__(self, snapshot: TableSnapshot, language: str) -> view.View:
        """The page's content."""
        board = view.scoreboard(snapshot, language)
        keys = ("game", "phase", "headline", "paused", "clock", "ranking", "notices", "facts")
        return {
            **{key: board[key] for key in keys},
            "player": self.player,
            "turn": any(seat["turn"] for seat in board["players"] if seat["name"] == self.player),
            "players": board["players"],
            "rulings": board["rulings"][:SHOWN_RULINGS],
            "offers": [
                view.offer_view(offer, snapshot.game, language)
                for offer in snapshot.offers
                if offer.player == self.player
            ],
        }


def hand_view(hand: OwnHand, game: str, language: str) -> view.View:
    """A player's own secret, for their eyes: never which card was chosen, a neighbour may look over a shoulder."""
    return {
        "cards": [{"value": card, "text": card_words(card, language, game)} for card in hand.cards],
        "chosen": hand.chosen,
        "laid": hand.laid,
        "mayChoose": hand.may_choose,
    }
