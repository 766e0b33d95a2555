"""From a snapshot to what a page shows: finished words in one language, as plain JSON values.

Written rules of this module:
- a ruling that is not public is shown on no page: it may be a duel nobody has answered yet, or a secret;
- a page shows what it is given and works nothing out; every word here is text, never markup.
Does not belong here: HTML, the network.
"""

from __future__ import annotations

from typing import Any

from referee.announce.phrases import clock, placed
from referee.announce.sentences import card_words, count_words, event_sentence, margin_sentence, ruling_sentence
from referee.health import Freshness
from referee.web.board import Offer, Question, ShownRuling, SourceState, TableSnapshot
from referee.web.text import GAMES, WORDS, Words

SHOWN_RULINGS = 8
NOTICE_US = 15_000_000  # a notice is shown for so long

View = dict[str, Any]


def scoreboard(snapshot: TableSnapshot, language: str) -> View:
    """What everybody may see."""
    words = WORDS[language]
    headings, facts = count_words(language, snapshot.game)
    open_question = _open_question(snapshot)
    seen = [shown for shown in snapshot.rulings if shown.ruling["public"]]
    return {
        "game": GAMES.get(snapshot.game, snapshot.game),
        "phase": snapshot.phase,
        "clock": clock(snapshot.t_us).split(".")[0],
        "headline": _headline(snapshot, words, open_question is not None),
        "paused": snapshot.paused,
        "asking": open_question is not None,
        "mode": _mode(snapshot, words),
        "facts": [
            said
            for key, value in (snapshot.facts or {}).items()
            if (said := facts[key](value) if key in facts else f"{key}: {value}")
        ],
        "players": [
            {
                "name": seat.name,
                "turn": seat.name == snapshot.turn and snapshot.phase == "playing",
                "out": words.labels["out"] if seat.out else "",
                "counts": [
                    {"label": headings.get(key, key), "count": _count(count, language, snapshot.game)}
                    for key, count in seat.counts.items()
                ],
            }
            for seat in snapshot.seats
        ],
        "rulings": [_ruling(shown, snapshot.game, language) for shown in reversed(seen[-SHOWN_RULINGS:])],
        "ranking": [
            {"place": place, "names": ", ".join(names)} for place, names in placed([*map(list, snapshot.ranking)])
        ],
        "notices": [
            words.notices[notice.kind](notice.about)
            for notice in snapshot.notices
            if notice.kind in words.notices and snapshot.t_us - notice.t_us <= NOTICE_US
        ],
        "health": [
            _health(name, state, words)
            for name, state in (("camera", snapshot.camera), ("totem", snapshot.totem))
            if state is not None
        ],
    }


def operator(snapshot: TableSnapshot, language: str) -> View:
    """The same and what the operator may do about it."""
    words = WORDS[language]
    headings, _ = count_words(language, snapshot.game)
    question, last = _open_question(snapshot), snapshot.correctable
    playing = snapshot.phase == "playing"
    return {
        **scoreboard(snapshot, language),
        "question": None if question is None else _question(question, snapshot, language),
        "correct": None
        if last is None
        else {
            "ref": last.ref,
            "text": event_sentence(last.event, language, snapshot.game),
            "asks": words.corrections[last.asks] if last.asks else "",
            "list": last.asks == "card",
            "choices": [
                {"value": choice, "text": words.happened(choice) if last.asks == "who" else choice}
                for choice in last.choices
            ],
            "never": words.never,
        },
        "offers": [offer_view(offer, snapshot.game, language) for offer in snapshot.offers],
        "recount": [
            {
                "pile": pile,
                "text": words.recount(headings.get(pile, pile)),
                "counts": [{"name": seat.name, "count": seat.counts.get(pile) or 0} for seat in snapshot.seats],
            }
            for pile in snapshot.recountable
        ],
        "may": {
            "start": not playing,
            "pause": playing and not snapshot.paused,
            "resume": playing and snapshot.paused,
            "end": playing,
        },
    }


def offer_view(offer: Offer, game: str, language: str) -> View:
    """One thing a player may say, in words."""
    words = WORDS[language]
    return {
        "player": offer.player,
        "call": offer.call,
        "text": words.calls[offer.call],
        "sure": offer.sure,
        "list": len(offer.choices) > 6,
        "choices": [
            {"value": choice, "text": words.call_choice(offer.call, card_words(choice, language, game))}
            for choice in offer.choices
        ],
    }


def _count(count: int | str | None, language: str, game: str) -> int | str:
    """A count, or a card in words; `?` where something that nobody has settled leaves it open."""
    if count is None:
        return "?"
    return count if isinstance(count, int) else card_words(count, language, game)


def _open_question(snapshot: TableSnapshot) -> Question | None:
    """The question, if it may be asked aloud."""
    question = snapshot.question
    return question if question is not None and question.ruling["public"] else None


def _headline(snapshot: TableSnapshot, words: Words, asking: bool) -> str:
    if snapshot.phase != "playing":
        return words.phases[snapshot.phase]
    if snapshot.paused:
        return words.paused
    if asking:
        return words.asked
    if snapshot.turn:
        return words.turn_of(snapshot.turn)
    waits = words.waits.get(snapshot.waiting_for)
    return words.no_turn if waits is None else waits(snapshot.waiting_on)


def _mode(snapshot: TableSnapshot, words: Words) -> View | None:
    if snapshot.colour_mode is None:
        return None
    return {"colour": snapshot.colour_mode, "text": words.colours if snapshot.colour_mode else words.shapes}


def _ruling(shown: ShownRuling, game: str, language: str) -> View:
    ruling = shown.ruling
    return {
        "place": shown.place,
        "time": clock(ruling["t_us"]).split(".")[0],
        "kind": ruling["ruling"],
        "text": ruling_sentence(ruling, language, game),
        "margin": margin_sentence(ruling.get("margin"), language),
        "overturned": WORDS[language].labels["overturned"] if shown.overturned else "",
    }


def _health(name: str, state: SourceState, words: Words) -> View:
    said = words.states[state.freshness]
    if state.freshness is not Freshness.FRESH and (state.age_us or 0) >= 1_000_000:
        said += " " + words.since((state.age_us or 0) // 1_000_000)
    return {"name": words.sources[name], "state": state.freshness.value, "text": said}


def _question(question: Question, snapshot: TableSnapshot, language: str) -> View:
    words, ruling = WORDS[language], question.ruling
    kind = ruling["ruling"]
    view: View = {
        "id": question.id,
        "text": ruling_sentence(ruling, language, snapshot.game),
        "margin": margin_sentence(ruling.get("margin"), language),
    }
    if kind == "choice-needed":
        choices = [{"value": choice, "text": words.choices.get(choice, choice)} for choice in ruling["options"]]
        return {**view, "do": "choose", "choices": choices}
    if kind == "share-needed":
        return {**view, "do": "share", "cards": ruling["cards"], "losers": list(ruling["losers"])}
    if question.lay is not None:
        view["text"] += " " + words.lay(question.lay, card_words(str(question.card), language, snapshot.game))
        choices = [{"value": card, "text": words.already} for card in question.cards]
        return {**view, "do": "settle", "choices": choices, "never": words.not_yet}
    if question.pile is not None:
        view["text"] = words.on_pile(snapshot.seats[question.pile - 1].name) + " " + view["text"]
    if question.cards:
        choices = [{"value": card, "text": card} for card in question.cards]
        if question.under is not None:
            view["text"] += " " + words.under(question.under)
        return {**view, "do": "settle", "list": True, "choices": choices, "never": words.never}
    if question.soon or question.claims:
        view["text"] += " " + (words.soon if question.soon else words.had_drawn)
    names = dict.fromkeys([*ruling["candidates"], *question.others])
    said = words.holds if question.holds else words.happened
    choices = [{"value": name, "text": said(name)} for name in names]
    if question.fell:
        return {**view, "text": words.fell, "do": "settle", "choices": choices, "never": words.by_itself}
    if question.holds:
        return {**view, "do": "settle", "choices": choices, "never": words.never}
    view["too"] = {"text": words.too, "names": list(question.others)}
    return {**view, "do": "settle", "choices": choices, "never": words.nobody}
