"""The output that speaks.

Belongs here: the thread between agenda, sounds and player. Does not belong here: words (`sentences`, `prompts`), the
order of things (`agenda`), devices (`players`, `voice`).

The thread says what is due; phrases are rendered ahead by another (`background`). A call from outside takes a lock,
changes the agenda and cuts the player where it must: it never waits for a device.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from referee.amounts import amount
from referee.announce.manners import Importance, for_the_ear, manner_of
from referee.announce.outputs import Clock, Health, Notice, Status
from referee.announce.prompts import OVERTURNED, OVERTURNED_SEVERAL, reminder
from referee.announce.sentences import ruling_sentence
from referee.announce.speech.agenda import Agenda, Utterance
from referee.announce.speech.ahead import phrases_ahead
from referee.announce.speech.background import Background
from referee.announce.speech.players import Player
from referee.announce.speech.sounds import Sounds
from referee.announce.speech.spoken import phrases, said_names
from referee.announce.speech.voice import Sound, Voice
from referee.errors import HardwareError

_PAUSE_S = 0.12
_RETRY_S = 15.0
"""After the speaker failed, utterances are let go for this long: a sound card that is not there is asked seldom."""
_LOOK_S = 0.01
_MOST_REMEMBERED = 4096


class Speech:
    """Says rulings aloud in one language.

    `voice` is made by the thread, so that a missing one costs a sentence; `ahead` makes the one that renders ahead,
    None for no rendering ahead.
    """

    name = "speech"

    def __init__(
        self,
        game: str,
        players: Sequence[str],
        language: str,
        player: Player,
        voice: Callable[[], Voice],
        cache: Path,
        *,
        pronounce: Mapping[str, str] | None = None,
        remind_after_us: int = 0,
        now_us: Clock,
        ahead: Callable[[], Voice] | None = None,
    ) -> None:
        self.health = Health()
        self._game = game
        self._language = language
        self._names = said_names(players, language, pronounce or {})
        self._player = player
        self._make_voice = voice
        self._cache = cache
        self._now_us = now_us
        self._remind_after_us = remind_after_us
        self._changed = threading.Condition()
        self._agenda = Agenda()
        self._current: Utterance | None = None
        self._overtaken = False
        self._moments: dict[int, int] = {}
        self._overturned_until_us = -1
        self._said: deque[int] = deque(maxlen=_MOST_REMEMBERED)
        self._closing = False
        self._voice: Voice | None = None
        self._sounds: Sounds | None = None
        self._speaker_ill = self._voice_ill = ""
        self._silent_until_s = 0.0
        self._background: Background | None = None
        if ahead is not None:
            self._background = Background(phrases_ahead(game, players, language, self._names), ahead, cache)
        self._thread = threading.Thread(target=self._run, name="speech", daemon=True)
        self._thread.start()

    # --- called from outside ----------------------------------------------------------------------------

    def ruled(self, notice: Notice) -> None:
        """Put a ruling on the agenda; it cuts off whatever matters less."""
        manner = manner_of(notice.ruling)
        if manner is None:
            return
        with self._changed:
            self._moments[notice.place] = notice.ruling["t_us"]
            restated = notice.ruling["t_us"] <= self._overturned_until_us
        if restated and manner.importance is Importance.NOTICE and not manner.replaces:
            return  # a warning of minutes ago
        sentence = ruling_sentence(for_the_ear(notice.ruling), self._language, self._game)
        said = phrases(sentence, self._language, self._names)
        now_us = self._now_us()
        self._add(
            Utterance(
                said[:1] if manner.brief else said,
                manner.importance,
                now_us,
                None if manner.lives_us is None else now_us + manner.lives_us,
                notice.place,
                notice.ruling["ruling"],
                manner.replaces,
                restated,
            )
        )

    def overturned(self, places: frozenset[int]) -> None:
        """Take rulings back: those not said yet are never said, and that others do not hold is said."""
        with self._changed:
            self._agenda.withdraw(places)
            moments = [self._moments.pop(place) for place in places if place in self._moments]
            self._overturned_until_us = max([self._overturned_until_us, *moments])
            heard = places & {*self._said}
            self._said = deque((place for place in self._said if place not in heard), _MOST_REMEMBERED)
            if self._current is not None and self._current.place in places:
                self._stop_current()
        if heard:
            sentence = (OVERTURNED if len(heard) == 1 else OVERTURNED_SEVERAL)[self._language]
            told = phrases(sentence, self._language, self._names)
            self._add(Utterance(told, Importance.RULING, self._now_us(), kind="overturned"))

    def status(self, status: Status) -> None:
        """Begin to wait for somebody anew; a reminder follows when it takes too long."""
        sentence = reminder(status, self._language) if self._remind_after_us else ""
        now_us = self._now_us()
        told = Utterance(phrases(sentence, self._language, self._names), Importance.REMINDER, now_us, kind="reminder")
        with self._changed:
            self._agenda.remind(now_us + self._remind_after_us, told if sentence else None)
            self._changed.notify()

    def close(self, wait_s: float) -> None:
        """Say what waits, for `wait_s` at most, then be silent and end the thread."""
        end_s = time.monotonic() + wait_s
        with self._changed:
            self._agenda.remind(0, None)
            self._changed.notify()
            while (len(self._agenda) or self._current is not None) and self._thread.is_alive():
                rest_s = end_s - time.monotonic()
                if rest_s <= 0:
                    break
                self._changed.wait(min(rest_s, 0.05))
            self._closing = True
            self._player.cut()
            self._changed.notify()
        self._thread.join(max(0.0, end_s - time.monotonic()) + 5.0)
        if self._background is not None:
            self._background.close()

    @property
    def current(self) -> Utterance | None:
        """What is being said, or about to be."""
        return self._current

    def begun(self, place: int) -> bool:
        """Whether the ruling at this place has been heard, or its first word."""
        with self._changed:
            return place in self._said

    @property
    def ahead(self) -> int:
        """How many phrases are still to be rendered ahead."""
        return 0 if self._background is None else self._background.left

    # --- the thread -------------------------------------------------------------------------------------

    def _add(self, utterance: Utterance) -> None:
        if not utterance.phrases:
            return
        with self._changed:
            self._agenda.add(utterance)
            ruling = utterance.importance is Importance.RULING
            if ruling and self._current is not None and self._current.importance < Importance.RULING:
                self._stop_current()
            self._changed.notify()

    def _stop_current(self) -> None:
        """Be silent, or never begin; the caller holds the lock."""
        self._overtaken = True
        self._player.cut()

    def _run(self) -> None:
        try:
            self._warm_up()
            while (utterance := self._next()) is not None:
                self._say(utterance)
                with self._changed:
                    self._current = None
                    self._changed.notify()
        except Exception as error:  # our own bug: the game goes on without speech
            self.health.ill(f"speech has stopped: {error!r}")
        finally:
            self._player.close()
            if self._voice is not None:
                self._voice.close()

    def _next(self) -> Utterance | None:
        """The next utterance, marked as current; None at the end."""
        with self._changed:
            while not self._closing:
                now_us = self._now_us()
                found = self._agenda.next(now_us)
                if found is not None:
                    self._current, self._overtaken = found, False
                    return found
                wait_us = self._agenda.wait_us(now_us)
                self._changed.wait(None if wait_us is None else wait_us / 1e6)
            return None

    def _warm_up(self) -> None:
        """Start the engine before it is needed; without one, say so before the game begins."""
        try:
            self._ready()
        except HardwareError as error:
            self._voice_ill = str(error)
            self._say_how_it_is()

    def _ready(self) -> Sounds:
        if self._sounds is None:
            self._voice = self._make_voice()
            self._sounds = Sounds(self._cache, self._voice)
            self._voice.start()
        return self._sounds

    def _say(self, utterance: Utterance) -> None:
        if time.monotonic() < self._silent_until_s:
            return
        try:
            sounds = self._ready()
            due = utterance.due_phrases(self._now_us())
            found = (self._sound(sounds, phrase) for phrase in due)
            first = next((sound for sound in found if sound is not None), None)
            if first is not None and self._begin(utterance, " ".join(due), first.rate_hz):
                self._play(first, found)
                self._speaker_ill = ""
        except HardwareError as error:
            self._speaker_ill = str(error)
            self._silent_until_s = time.monotonic() + _RETRY_S
        self._say_how_it_is()

    def _play(self, first: Sound, others: Iterator[Sound | None]) -> None:
        """Play sounds to their end; each of the others is rendered while the one before is heard."""
        self._player.write(first)
        for sound in others:
            if sound is not None and not self._overtaken:
                self._player.write(Sound(sound.rate_hz, bytes(2 * round(_PAUSE_S * sound.rate_hz))))
                self._player.write(sound)
        self._player.end()
        while self._player.playing():
            time.sleep(_LOOK_S)

    def _begin(self, utterance: Utterance, text: str, rate_hz: int) -> bool:
        """Open the player, unless the utterance was overtaken while its sound was made."""
        places = () if utterance.place is None else (utterance.place,)
        with self._changed:
            if self._closing or self._overtaken:
                return False
            self._player.begin(text, places, rate_hz)
            if utterance.place is not None:
                self._said.append(utterance.place)
        return True

    def _sound(self, sounds: Sounds, phrase: str) -> Sound | None:
        """The sound of a phrase; None where this voice has none for it."""
        try:
            sound = sounds.get(phrase)
        except HardwareError as error:
            self._voice_ill = str(error)
            return None
        self._voice_ill = "" if sound.pcm else f"the voice has no sound for: {phrase}"
        return sound if sound.pcm else None

    def _say_how_it_is(self) -> None:
        lost = self._agenda.lost
        behind = f"speech was too far behind: {amount(lost, 'ruling was', 'rulings were')} only shown" if lost else ""
        ahead = "" if self._background is None else self._background.trouble
        self.health.sentence = self._speaker_ill or self._voice_ill or behind or ahead
