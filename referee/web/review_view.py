"""From a kept game to what the review pages show: finished words in one language, as plain JSON values.

Written rules of this module:
- every word here is text, never markup; names come from players and decks and may be anything;
- a page shows what was kept and works nothing out about the game.
Does not belong here: who may see it (`reviews`), HTML, files of evidence (`evidence_view`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from referee import catalogue, review
from referee.announce.phrases import clock, millisecondes, milliseconds, seconds
from referee.announce.sentences import count_words, event_sentence, margin_sentence, ruling_sentence
from referee.corrections import Choices
from referee.journal.reading import GameRow, KeptGame, RulingRow
from referee.review import Difference
from referee.web.review_text import REVIEW
from referee.web.text import GAMES
from referee.words import UNFELT, Event, Ruling, was_felt

View = dict[str, Any]


def game_row(row: GameRow, language: str) -> View:
    """A game in the list."""
    words = REVIEW[language]
    return {
        "key": row.key,
        "game": GAMES.get(row.name, row.name),
        "players": list(row.players),
        "begun": day_and_time(row.begun),
        "state": words.states.get(row.state, row.state),
        "running": row.state == "running",
        "events": row.events,
        "rulings": row.rulings,
        "length": clock(row.last_us).split(".")[0],
        "closest": closeness(row.closest_us, language),
        "appeals": row.open_appeals,
    }


def ruling_row(row: RulingRow, language: str) -> View:
    """A ruling in the list of the closest."""
    words = REVIEW[language]
    return {
        "key": row.key,
        "place": row.place,
        "kind": words.kinds.get(row.kind, row.kind),
        "time": clock(row.t_us),
        "closeness": closeness(row.closeness_us, language),
        "players": list(row.players),
        "marks": _marks(words.labels, row.stands, row.upheld, row.appealed, False),
    }


def game(kept: KeptGame, language: str) -> View:
    """One game: what happened, in order, and how it stands."""
    headings, facts = count_words(language, kept.header["game"])
    counts = review.counts(kept)
    players = kept.header["players"]
    piles = {key: value for key, value in counts.items() if isinstance(value, Mapping) and set(value) <= {*players}}
    return {
        **game_row(kept.row, language),
        "timeline": timeline(kept, language),
        "counts": {
            "headings": [headings.get(key, key) for key in piles],
            "rows": [{"name": name, "counts": [_count(pile.get(name)) for pile in piles.values()]} for name in players],
            "facts": [said for key in facts if key in counts and (said := facts[key](counts[key]))],
        },
        "appeals-left": review.appeals_left(kept) if review.appeals_allowed(kept) else {},
    }


def timeline(kept: KeptGame, language: str) -> list[View]:
    """Events and rulings in the order kept; what was corrected or overturned is marked and stays."""
    corrected = {event["ref"] for event in kept.events if event["event"] == "correct" and "ref" in event}
    items: list[View] = []
    index = place = 0
    for line in kept.lines:
        if "ruling" in line:
            if not review.is_given_again(kept, place):
                items.append(ruling_item(kept, place, language))
            place += 1
        else:
            items.append(_event_item(kept, line, index, index in corrected, language))
            index += 1
    return items


def ruling_item(kept: KeptGame, place: int, language: str) -> View:
    """A ruling on the timeline."""
    words, one = REVIEW[language], kept.rulings[place]
    looked_at = any(said["place"] == place for said in kept.upheld)
    appealed = any(said["place"] == place for said in kept.appeals) and one.stands and not looked_at
    return {
        "what": "ruling",
        "place": place,
        "t_us": one.ruling["t_us"],
        "time": clock(one.ruling["t_us"]),
        "kind": one.ruling["ruling"],
        "heading": words.kinds.get(one.ruling["ruling"], one.ruling["ruling"]),
        "text": sentence(one.ruling, kept, language),
        "margin": margin_sentence(one.ruling.get("margin"), language),
        "void": not one.stands and one.ruling["ruling"] != "overturned",
        "marks": _marks(words.labels, one.stands, looked_at, appealed, place in review.bookmarks(kept)),
        "players": _players(one.ruling),
    }


def _event_item(kept: KeptGame, event: Event, index: int, corrected: bool, language: str) -> View:
    item: View = {
        "what": event["event"],
        "index": index,
        "t_us": event["t_us"],
        "time": clock(event["t_us"]),
        "text": event_sentence(event, language, kept.header["game"]),
        "void": corrected,
        "marks": [REVIEW[language].labels["corrected"]] if corrected else [],
        "players": _players(event),
    }
    if event["event"] == "grab":
        item["hands"] = [{"player": hand["player"], "t_us": hand["t_us"]} for hand in _felt(event["hands"])]
    if event["event"] == "correct":
        item["reason"] = str(event.get("reason") or "")
        item["t_us"] = kept.events[event["ref"]]["t_us"] if _is_index(event.get("ref"), kept) else event["t_us"]
    return item


def sentence(ruling: Ruling, kept: KeptGame, language: str) -> str:
    """A ruling in words; what makes others void names them by their number."""
    if ruling["ruling"] == "overturned":
        numbers = ", ".join(f"#{place}" for place in ruling["refs"])
        return f"{REVIEW[language].labels['void']}: {numbers}" if language == "en" else f"Ne tient plus : {numbers}"
    return ruling_sentence(ruling, language, kept.header["game"])


def ruling(kept: KeptGame, place: int, language: str) -> View:
    """One ruling: what it says, what it rests on, what was not ruled, and what was said of it since."""
    one = kept.rulings[place]
    places = [other.place for other in kept.rulings if other.ruling["ruling"] != "overturned"]
    return {
        **ruling_item(kept, place, language),
        "key": kept.row.key,
        "game": GAMES.get(kept.row.name, kept.row.name),
        "begun": day_and_time(kept.row.begun),
        "clauses": clauses(one.ruling["clauses"], language),
        "inputs": inputs(kept, place, language),
        "alternatives": alternatives(kept, place, language),
        "upheld": [
            {"by": str(said["by"]), "reason": str(said["reason"])} for said in kept.upheld if said["place"] == place
        ],
        "appeals": [str(said["player"]) for said in kept.appeals if said["place"] == place],
        "overturned": _overturned(kept, place, language),
        "previous": max((other for other in places if other < place), default=None),
        "next": min((other for other in places if other > place), default=None),
        "bookmarked": place in review.bookmarks(kept),
        "choices": _choices(review.choices_of(kept, place), kept, language) if one.stands else None,
        "other-choices": [
            _choices(found, kept, language) for found in (review.other_choices(kept, place) if one.stands else [])
        ],
        "appealable": _appealable(kept, place),
        "hands": hands(kept, place),
    }


def difference(found: Difference, kept: KeptGame, language: str) -> View:
    """What a correction would change."""
    headings, facts = count_words(language, kept.header["game"])

    def said(ruling: Ruling) -> View:
        return {
            "time": clock(ruling["t_us"]),
            "text": sentence(ruling, kept, language),
            "margin": margin_sentence(ruling.get("margin"), language),
        }

    changes = []
    for key, after in found.after.items():
        before = found.before.get(key)
        if before == after:
            continue
        if isinstance(after, Mapping) and isinstance(before, Mapping):
            named = headings.get(key, key)
            changes += [
                {"what": f"{named}, {name}", "before": str(_count(was)), "after": str(_count(now))}
                for name, now in after.items()
                if (was := before.get(name, "")) != now
            ]
        elif key in facts:
            changes.append({"what": "", "before": facts[key](before), "after": facts[key](after)})
        elif key == "turn":
            changes.append({"what": REVIEW[language].labels["player"], "before": before or "–", "after": after or "–"})
    return {
        "digest": found.digest,
        "void": [said(one.ruling) for one in found.void],
        "new": [said(one.ruling) for one in found.new],
        "changes": changes,
        "owed": found.owed,
    }


def clauses(ids: Sequence[str], language: str) -> list[View]:
    """The rules a ruling cites, with their sentences; an id no catalogue has stands alone."""
    found = []
    for name in ids:
        entry = catalogue.find(name)
        title, text = ("", "") if entry is None else (entry.title.said(language), entry.text.said(language))
        found.append({"id": name, "title": title, "text": text})
    return found


def closeness(us: int | None, language: str) -> str:
    """How close a ruling was; empty where no time decided it."""
    if us is None:
        return ""
    return millisecondes(us) if language == "fr" else milliseconds(us)


def day_and_time(begun: str | None) -> str:
    """When a game began, as it was on the table's clock; empty where that is not known."""
    try:
        return datetime.fromisoformat(begun).strftime("%Y-%m-%d %H:%M") if begun else ""
    except ValueError:
        return ""


def exact(t_us: int, language: str) -> str:
    """A moment on the table clock to a tenth of a millisecond."""
    said = f"{seconds(t_us, 4)} s"
    return said.replace(".", ",") if language == "fr" else said


def inputs(kept: KeptGame, place: int, language: str) -> list[View]:
    """What a ruling rests on, each with its source and time."""
    return [_input(word, kept, language) for word in kept.decisions.get(place, {}).get("inputs", [])]


def alternatives(kept: KeptGame, place: int, language: str) -> list[View]:
    """What was not ruled, why, and what it would have given."""
    return [_alternative(word, kept, language) for word in kept.decisions.get(place, {}).get("alternatives", [])]


def cards_shown(event: Event | None) -> list[str]:
    """Which cards a card may be, the one that was read first; empty where the event says nothing of it."""
    if event is None or not isinstance(event.get("card"), str):
        return []
    others = [*(event.get("may_be") or ()), *([event["runner_up"]] if event.get("runner_up") else [])]
    read = [] if event["card"] == "?" else [event["card"]]
    return list(dict.fromkeys([*read, *map(str, others)]))


def _input(word: Mapping[str, Any], kept: KeptGame, language: str) -> View:
    words = REVIEW[language]
    what, who = str(word.get("what", "")), word.get("player")
    name = words.inputs.get(what)
    details = []
    if word.get("perhaps"):  # it stands for somebody who may have been there: what it says of fingers is no reading
        details.append(words.labels["perhaps"])
        word = {key: value for key, value in word.items() if key not in UNFELT}
    elif what == "hand" and not was_felt(word):
        details.append(words.labels["unfelt"])
        word = {key: value for key, value in word.items() if key not in UNFELT}
    if isinstance(word.get("card"), str):
        details.append(word["card"])
    others = [card for card in cards_shown(word) if card != word.get("card")]
    if others:
        details.append(f"{words.labels['candidates' if word['card'] == '?' else 'nearest']}: {', '.join(others)}")
    if "fingers" in word:
        details.append(f"{_range(word['fingers'])} {words.labels['fingers']}")
    if "lowest_mm" in word:
        details.append(f"{words.labels['lowest']} {_range(word['lowest_mm'])} mm")
    if word.get("grip") is False:
        details.append(words.labels["brush"])
    if what == "doubt":
        details.append(", ".join(map(str, word.get("why", []))))
    if isinstance(word.get("confidence"), int | float):
        details.append(f"{words.labels['confidence']} {100 * word['confidence']:.1f} %")
    return {
        "what": name.replace("{}", str(who or "?")) if name else event_sentence({"event": what, **word}, language),
        "source": words.sources.get(str(word.get("source", "")), str(word.get("source", ""))),
        # When a hand came is a measurement or nothing: a person says who was first, and not when.
        "time": "" if _is_said(word) or not isinstance(word.get("t_us"), int) else exact(word["t_us"], language),
        "details": details,
    }


def _is_said(word: Mapping[str, Any]) -> bool:
    """Whether a hand stands where a person has put it."""
    return word.get("what") == "hand" and word.get("source") in ("operator", "players", "person")


def _alternative(word: Mapping[str, Any], kept: KeptGame, language: str) -> View:
    words = REVIEW[language]
    why = word.get("why_not") or {}
    named = words.alternatives.get(str(word.get("what")), str(word.get("what")))
    text = named.replace("{}", str(word.get("player", "?")))
    by = str(why.get("by", ""))
    reason = words.why_not.get(by) or (margin_sentence(why, language) if by else "")
    if "instead_of" in word:
        reason = f"{word['instead_of']}: {reason}"
    if isinstance(why.get("confidence"), int | float):
        reason += f" ({words.labels['confidence']} {100 * why['confidence']:.1f} %)"
    return {
        "text": f"{text}: {word['card']}" if "card" in word else text,
        "why": reason,
        "same": bool(word.get("same")),
        "gives": [sentence(one, kept, language) for one in word.get("gives", [])],
    }


def _overturned(kept: KeptGame, place: int, language: str) -> View | None:
    """By whom a ruling was overturned, why, and what was ruled instead."""
    own = kept.rulings[place]
    void = (one for one in kept.rulings if one.ruling["ruling"] == "overturned" and place in one.ruling["refs"])
    by = next(void, None)
    if by is None:
        return None
    event = kept.events[by.event] if by.event >= 0 else {}
    instead = [
        other
        for other in kept.rulings[by.place + 1 :]
        if other.event == by.event and other.ruling["t_us"] == own.ruling["t_us"]
    ]
    return {
        "by": str(event.get("by") or ""),
        "reason": str(event.get("reason") or ""),
        "instead": [{"place": other.place, "text": sentence(other.ruling, kept, language)} for other in instead],
    }


def _choices(found: Choices | None, kept: KeptGame, language: str) -> View | None:
    if found is None:
        return None
    words = REVIEW[language]
    return {
        "ref": found.ref,
        "event": event_sentence(found.event, language, kept.header["game"]),
        "first": list(found.first),
        "order": list(found.order),
        "players": list(found.players),
        "cards": list(found.cards),
        "choices": [{"value": value, "text": words.labels[f"choice-{value}"]} for value in found.choices],
        "shares": [{"player": name, "count": count} for name, count in found.shares],
    }


def _appealable(kept: KeptGame, place: int) -> list[View]:
    """Who may appeal against a ruling, and how often still."""
    if not review.appeals_allowed(kept) or not kept.rulings[place].stands:
        return []
    if any(said["place"] == place for said in (*kept.upheld, *kept.appeals)):
        return []
    return [{"player": name, "left": left} for name, left in review.appeals_left(kept).items() if left > 0]


def hands(kept: KeptGame, place: int) -> list[View]:
    """The hands of the scramble that a ruling came from as they were felt, in the order of their first contacts."""
    decision = kept.decisions.get(place, {})
    judged = decision.get("inputs", [])
    felt = [word for word in judged if word.get("what") == "hand"]
    if any(map(_is_said, felt)):  # what was felt is what stood there before
        before = decision.get("event", -1)
        felt = kept.events[before].get("hands", []) if 0 <= before < len(kept.events) else []
    if not judged and kept.rulings[place].stands and (event := review.cause(kept, place)) is not None:
        felt = [] if "settled_by" in event else event.get("hands", [])
    return [
        {
            "player": hand["player"] or "?",
            "t_us": hand["t_us"],
            "fingers": _range(hand["fingers"]),
            "lowest": _range(hand["lowest_mm"]),
            "grip": hand.get("grip", True),
        }
        for hand in sorted(_felt(felt), key=lambda hand: hand["t_us"])
    ]


def _felt(hands: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The hands that were felt, without those that stand for somebody whose hand a nameless one may have been."""
    return [hand for hand in hands if not hand.get("perhaps")]


def _marks(labels: Mapping[str, str], stands: bool, upheld: bool, appealed: bool, marked: bool) -> list[str]:
    said = {"stands-not": not stands, "upheld": upheld, "appeal-open": appealed, "bookmarked": marked}
    return [labels[key] for key, true in said.items() if true]


def _players(word: Mapping[str, Any]) -> list[str]:
    named = [word.get("winner"), word.get("player"), *(word.get("losers") or ()), *(word.get("players") or ())]
    named += [hand["player"] for hand in word.get("hands") or ()]
    return list(dict.fromkeys(name for name in named if isinstance(name, str)))


def _range(value: Any) -> str:
    return f"{value[0]:g}–{value[1]:g}" if isinstance(value, list) else f"{value:g}"


def _is_index(value: Any, kept: KeptGame) -> bool:
    return isinstance(value, int) and 0 <= value < len(kept.events)


def _count(count: Any) -> Any:
    """A count; `?` where something that nobody has settled leaves it open."""
    return "?" if count is None else count
