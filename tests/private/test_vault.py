"""The vault: forces go in, and nothing comes out but who has won."""

from __future__ import annotations

from typing import Any

import pytest

from referee.private.store import Secret
from referee.private.vault import Vault

HEADER: Any = {"record": "referee/1", "game": "jungle-bluff", "players": ["Ana", "Bilal", "Chloé"], "options": {}}


class Kept:
    """A store that remembers what it was asked."""

    def __init__(self, secrets: tuple[Secret, ...] = ()) -> None:
        self.secrets = list(secrets)
        self.forgotten: list[int] = []

    def put(self, round_number: int, player: str, card: str) -> str | None:
        self.secrets.append(Secret(round_number, player, card))
        return f"seal {len(self.secrets)}"

    def read(self) -> list[Secret]:
        return self.secrets

    def forget(self, round_number: int) -> None:
        self.forgotten.append(round_number)


def happen(vault: Vault, t_us: int, event: str, **keys: Any) -> dict[str, Any]:
    word = {"t_us": t_us, "event": event, **keys}
    vault.happened(word)
    return word


def opened(vault: Vault) -> Vault:
    happen(vault, 0, "centre", cards=["3", "7", "9"])
    return vault


def laid(vault: Vault, **forces: str) -> Vault:
    opened(vault)
    for place, (player, card) in enumerate(forces.items(), start=1):
        assert vault.choose(player, card)
        happen(vault, place, "commit", player=player)
    return vault


def challenge(player: str, target: str) -> dict[str, Any]:
    return {"t_us": 20, "event": "challenge", "player": player, "target": target}


@pytest.mark.parametrize(
    ("holder", "challenger", "result"), [("6", "9", "challenger"), ("8", "3", "holder"), ("6", "6", "challenger")]
)
def test_a_challenge_is_answered_by_who_has_the_card_jb_14_and_jb_15(holder: str, challenger: str, result: str) -> None:
    vault = laid(Vault(HEADER), Ana=holder, Bilal=challenger, Chloé="1")
    happen(vault, 10, "take", player="Ana", card="9")
    assert vault.result(challenge("Bilal", "Ana")) == result


def test_a_challenge_whose_force_nobody_read_is_not_known_until_it_is_read() -> None:
    vault = opened(Vault(HEADER))
    for player, card in (("Ana", "6"), ("Bilal", None), ("Chloé", "1")):
        if card is not None:
            vault.choose(player, card)
        happen(vault, 1, "commit", player=player)
    happen(vault, 10, "take", player="Ana", card="9")
    assert vault.result(challenge("Bilal", "Ana")) == "unknown"
    assert vault.choose("Bilal", "7")
    assert vault.result(challenge("Bilal", "Ana")) == "challenger"


def test_what_the_rules_refuse_has_no_result() -> None:
    vault = laid(Vault(HEADER), Ana="6", Bilal="9", Chloé="1")
    assert vault.result(challenge("Ana", "Bilal")) is None
    assert vault.result(challenge("Chloé", "Ana")) is None


def test_a_force_may_be_changed_until_it_lies_and_not_after_jb_07() -> None:
    store = Kept()
    vault = opened(Vault(HEADER, store))
    assert vault.choose("Ana", "4")
    assert vault.choose("Ana", "6")
    assert store.secrets == []
    happen(vault, 1, "commit", player="Ana")
    assert store.secrets == [Secret(1, "Ana", "6")]
    assert not vault.choose("Ana", "5")
    assert vault.hand("Ana").may_choose is False


def test_a_special_card_in_a_classic_game_a_stranger_and_a_card_already_spent_cannot_be_chosen() -> None:
    vault = laid(Vault(HEADER), Ana="6", Bilal="9", Chloé="1")
    for place, (player, card) in enumerate((("Ana", "9"), ("Bilal", "7"), ("Chloé", "3")), start=10):
        happen(vault, place, "take", player=player, card=card)
    happen(vault, 30, "reveal", cards=["1", "9", "6"])
    assert not vault.choose("Ana", "1*")
    assert not vault.choose("Eva", "4")
    assert not vault.choose("Ana", "6")
    assert "6" not in vault.hand("Ana").cards
    assert "9" in vault.hand("Ana").cards


def test_other_cards_than_the_forces_that_were_read_do_not_agree_jb_21() -> None:
    vault = laid(Vault(HEADER), Ana="6", Bilal="9", Chloé="1")
    for place, (player, card) in enumerate((("Ana", "9"), ("Bilal", "7"), ("Chloé", "3")), start=10):
        happen(vault, place, "take", player=player, card=card)
    assert not vault.agrees({"t_us": 30, "event": "reveal", "cards": ["1", "9", "5"]})
    assert vault.agrees({"t_us": 30, "event": "reveal", "cards": ["9", "1", "6"]})
    assert vault.agrees({"t_us": 30, "event": "reveal", "cards": ["9", "?", "6"]})


def test_forces_are_forgotten_at_the_end_of_their_round_where_the_table_wants_it_so() -> None:
    store = Kept()
    vault = laid(Vault(HEADER, store, forget="round"), Ana="6", Bilal="9", Chloé="1")
    for place, (player, card) in enumerate((("Ana", "9"), ("Bilal", "7"), ("Chloé", "3")), start=10):
        happen(vault, place, "take", player=player, card=card)
    assert store.forgotten == []
    happen(vault, 30, "reveal", cards=["1", "9", "6"])
    assert store.forgotten == [1]
    assert "6" in vault.hand("Ana").cards


def test_a_game_goes_on_with_the_forces_that_were_kept() -> None:
    store = Kept((Secret(1, "Ana", "6"), Secret(1, "Bilal", "9"), Secret(1, "Chloé", "1")))
    events: list[Any] = [{"t_us": 0, "event": "centre", "cards": ["3", "7", "9"]}]
    events += [{"t_us": 1, "event": "commit", "player": name} for name in HEADER["players"]]
    events += [{"t_us": 9, "event": "take", "player": "Ana", "card": "9"}]
    assert Vault(HEADER, store, events=events).result(challenge("Bilal", "Ana")) == "challenger"


def test_a_person_who_says_that_a_challenge_ended_otherwise_is_followed() -> None:
    vault = laid(Vault(HEADER), Ana="6", Bilal="9", Chloé="1")
    happen(vault, 10, "take", player="Ana", card="9")
    happen(vault, 20, "challenge", player="Bilal", target="Ana", result="holder")
    assert vault.result(challenge("Chloé", "Ana")) == "unknown"
    assert vault.result(challenge("Chloé", "Bilal")) is None


def test_no_representation_names_a_force() -> None:
    vault = laid(Vault(HEADER, Kept()), Ana="6", Bilal="9", Chloé="1")
    shown = f"{vault!r} {Secret(1, 'Ana', '6')!r} {vault.hand('Ana')!r}"
    assert "6" not in shown.replace("round", "")


def test_the_commitment_of_a_force_is_handed_on_once() -> None:
    vault = laid(Vault(HEADER, Kept()), Ana="6", Bilal="9", Chloé="1")
    assert vault.sealed() == [("Ana", "seal 1"), ("Bilal", "seal 2"), ("Chloé", "seal 3")]
    assert vault.sealed() == []


def test_forces_that_the_record_opens_again_are_known_to_a_game_that_goes_on() -> None:
    events: list[Any] = [{"t_us": 0, "event": "centre", "cards": ["3", "7", "9"]}]
    for place, (name, card) in enumerate(zip(HEADER["players"], ("6", "9", "1"), strict=True)):
        events.append({"t_us": 2 * place, "event": "commit", "player": name})
        events.append({"t_us": 2 * place + 1, "event": "force", "player": name, "card": card})
    events.append({"t_us": 9, "event": "take", "player": "Ana", "card": "9"})
    vault = Vault(HEADER, events=events)
    assert vault.result(challenge("Bilal", "Ana")) == "challenger"
    assert not vault.hand("Bilal").may_choose


S = 1_000_000


def unseen(*choices: tuple[int, str], until_us: int = 31 * S) -> Vault:
    """A round in which nobody saw Bilal's force: a person says so after a take; `choices` are Bilal's, with times."""
    vault = opened(Vault(HEADER))
    for place, (player, card) in enumerate((("Ana", "6"), ("Chloé", "1")), start=1):
        vault.choose(player, card)
        happen(vault, place, "commit", player=player)
    happen(vault, 10 * S, "take", player=None, card="9")
    for at_us, card in choices:
        vault.now(at_us)
        assert vault.choose("Bilal", card)
    vault.now(until_us)
    laid_by_then = {"t_us": 10 * S - 1, "event": "commit", "player": "Bilal"}
    happen(vault, until_us, "correct", before=3, by="operator", reason="noticed late", **{"with": laid_by_then})
    taken = {"t_us": 10 * S, "event": "take", "player": "Ana", "card": "9"}
    happen(vault, until_us, "correct", ref=3, by="operator", reason="settled", **{"with": taken})
    return vault


@pytest.mark.parametrize(
    ("choices", "result"),
    [
        (((5 * S, "9"),), "challenger"),
        (((5 * S, "4"), (6 * S, "9"), (30 * S, "4")), "challenger"),  # the last one is for the next round
        (((5 * S, "4"), (30 * S, "9")), "holder"),
        (((12 * S, "9"), (30 * S, "4")), "challenger"),  # chosen late, and it lay already
        (((30 * S, "9"),), "unknown"),  # it may be this round's or the next one's
    ],
)
def test_jb_07_of_a_force_that_nobody_saw_what_was_chosen_by_then_counts_and_not_what_was_chosen_since(
    choices: tuple[tuple[int, str], ...], result: str
) -> None:
    assert unseen(*choices).result(challenge("Bilal", "Ana")) == result


def test_a_force_that_was_laid_long_ago_by_a_persons_word_is_not_chosen_any_more() -> None:
    for until_us, may in ((31 * S, False), (15 * S, True)):
        vault = unseen(until_us=until_us)
        assert vault.hand("Bilal").may_choose == may
        assert vault.choose("Bilal", "9") == may
        assert vault.result(challenge("Bilal", "Ana")) == ("challenger" if may else "unknown")
