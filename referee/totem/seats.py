"""Seat pads: whose skin an electrode feels, from how far its reading moves when a seat is driven.

Belongs here: the share of each electrode's touch that answers to each seat, and matching hands with seats.
Does not belong here: directions, fingers.

Rules: below a tenth of a touch nobody is named; skins that touch answer for each other, so a seat's own
hand is
the one where it answers most, and a name needs a clear lead over the others.
(The principle: DiamondTouch, Dietz and Leigh, UIST 2001; Carpacio, Wang et al., UIST 2017.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.totem.contacts import Feel
from referee.totem.touch import Known, Segment, Touch

Floats = NDArray[np.float32]

# A tenth of a touch, less the part of a touch that fringing fields and cross-talk add and no seat answers for.
LEAST_COUPLING = 0.085
AT_HOME = 0.7
# Below this share a seat is not even listened to.
LEAST_ANSWER = 0.06
# The next best seat must answer less than this share of the best one's answer on the same hand.
NEXT_SHARE = 0.5
# A seat that answers this share of its best has a hand that lies alone on the electrode.
ALONE = 0.75
# Touching skins lend less than half of a coupling.
USUAL_SHARE = 0.55
# Of one hand alone, two seats answer everywhere in the same proportion; where it varies so much, each has its own skin.
OWN_SKINS = 2.0
WINDOW_US = 70_000
# Of a touch too short to be read as a hand: electrodes with less than this share of the strongest, or so little beside
# their noise, do not count; a seat is heard against so many scans before it at least; its answer must stand so many
# standard errors out, and be so much likelier than that the next one's stands out.
FELT_SHARE, FELT_SIGMAS = 0.3, 4.5
QUIET_SCANS = 8
CLEAR_ERRORS, CLEAR_NATS = 4.0, 7.0


@dataclass(frozen=True)
class SeatAnswers:
    """Per seat and electrode (P, E): counts that answered `moved`, counts of touch at that time `touched`.

    `usual` (P) is each seat's coupling as enrolled (0: unknown), `pitch_mm` (P) from finger to finger of its player.
    """

    names: tuple[str, ...]
    moved: Floats
    touched: Floats
    scatter: Floats
    usual: Floats | None = None
    pitch_mm: tuple[float, ...] = ()

    def coupling(self, weight: Floats) -> Floats:
        """Share of the touch on the weighted electrodes (E) that answers to each seat, (P)."""
        top = (self.moved * self.touched * weight).sum(axis=1)
        bottom = (self.touched**2 * weight).sum(axis=1)
        return np.asarray(top / np.maximum(bottom, 1.0), np.float32)

    def error(self, weight: Floats) -> Floats:
        """Standard error of `coupling`, (P)."""
        spread = np.sqrt(((self.touched * weight) ** 2).sum(axis=1)) * self.scatter
        bottom = (self.touched**2 * weight).sum(axis=1)
        return np.asarray(spread / np.maximum(bottom, 1.0), np.float32)

    def two_skins(self, seat: int, other: int, felt: Feel) -> bool:
        """Whether each of two seats answers for skin of its own, and not one through the other's hand.

        What touching skins lend is the same share of every electrode; so the proportion of the two answers is the
        same everywhere, unless two hands lie there.
        """
        strong = felt.active & (felt.final > 0.2 * felt.scale)
        if int(strong.sum()) < 2:
            return False
        ratio = np.maximum(self.ratios(felt)[:, strong], 0.0) + LEAST_ANSWER / 4
        low, high = np.percentile(ratio[seat] / ratio[other], (5.0, 95.0))
        return bool(high > OWN_SKINS * low)

    def ratios(self, felt: Feel) -> Floats:
        """Share of each electrode's touch that answers to each seat, (P, E); 0 where nothing touches."""
        ratio = self.moved / np.maximum(self.touched, 8.0)
        return np.where(felt.active, ratio, 0.0).astype(np.float32)

    def view(self, seat: int, felt: Feel) -> SeatView:
        """One seat's answers as the network sees them."""
        ratio = self.ratios(felt)
        strong = felt.active & (felt.final > 0.2 * felt.scale)
        top = float(np.percentile(ratio[seat][strong], 90)) if strong.any() else 1.0
        others = np.delete(ratio, seat, axis=0).max(axis=0) if len(ratio) > 1 else np.zeros_like(ratio[0])
        share = np.clip(ratio[seat] / max(top, 0.03), 0.0, 1.0)
        apart = self._apart(seat, ratio, strong)
        pitch = self.pitch_mm[seat] if self.pitch_mm else 0.0
        return SeatView(seat, share.astype(np.float32), apart, ratio[seat], others.astype(np.float32), pitch)

    def _apart(self, seat: int, ratio: Floats, strong: NDArray[np.bool_]) -> Floats:
        """Share of each electrode (E) that is this seat's own skin, what skins that touch lend it taken away.

        Where another seat answers as much as it ever does, its hand lies alone: what this seat answers there is lent
        (`leak`), and between that and its own best lies its share.
        """
        tops = np.percentile(ratio[:, strong], 90, axis=1) if strong.any() else ratio.max(axis=1)
        level = ratio / np.maximum(tops, LEAST_ANSWER)[:, None]
        mine = np.clip(level[seat], 0.0, 1.2)
        leak = 0.0
        for other in range(len(ratio)):
            alone = strong & (level[other] > ALONE) & (mine < ALONE) & (tops[other] > LEAST_ANSWER)
            if other != seat and alone.any():
                leak = max(leak, float(np.median(mine[alone])))
        return np.asarray(np.clip((mine - leak) / max(1.0 - leak, 0.2), 0.0, 1.0), np.float32)


@dataclass(frozen=True)
class SeatView:
    """One seat's answers per electrode (E): relative to its best, the same without what touching skins lend it, as
    share of the touch, and the best other's. `pitch_mm`: from finger to finger of that player's hand, 0 if unknown.
    """

    seat: int
    share: Floats
    apart: Floats
    own: Floats
    others: Floats
    pitch_mm: float = 0.0


def answers(touch: Touch, felt: Feel) -> SeatAnswers | None:
    """What the seats answered around the moment the touch settled; None without seat pads."""
    segment = touch.segment
    if segment.seat_index is None or segment.seat_delta is None or not segment.seat_names:
        return None
    t = segment.t_us
    begin = int(np.searchsorted(t, felt.settle_us - WINDOW_US))
    end = int(np.searchsorted(t, felt.settle_us + WINDOW_US // 2))
    # Seats whose hand has gone by then are heard in the scans before.
    begin = max(begin, touch.start)
    end = min(max(end, begin + 1), touch.stop)
    names = segment.seat_names
    moved = np.zeros((len(names), segment.layout.electrodes), np.float32)
    touched = np.zeros_like(moved)
    scatter = np.full(len(names), 1e3, np.float32)
    before = max(int(np.searchsorted(t, t[touch.start] - 40_000)), 0)
    for seat in range(len(names)):
        now = np.nonzero(segment.seat_index[begin:end] == seat)[0] + begin
        if not len(now):
            continue
        # Each electrode has a little offset of its own when a seat is driven: heard before anyone touched.
        quiet = np.nonzero(segment.seat_index[:before] == seat)[0]
        offset = np.zeros(segment.layout.electrodes, np.float32)
        noise = 3.0
        if len(quiet) >= 3:
            offset = segment.seat_delta[quiet].mean(axis=0)
            noise = float(np.median(segment.seat_delta[quiet].std(axis=0))) + 0.3
        moved[seat] = segment.seat_delta[now].mean(axis=0) - offset
        touched[seat] = segment.above[now].mean(axis=0)
        scatter[seat] = noise * float(np.sqrt(1.0 / len(now) + 1.0 / max(len(quiet), 3)))
    touched = np.where(felt.active, np.maximum(touched, 0.0), 0.0).astype(np.float32)
    known = [segment.known.get(name, Known()) for name in names]
    usual = np.array([one.coupling for one in known], np.float32)
    return SeatAnswers(names, moved, touched, scatter, usual, tuple(one.pitch_mm for one in known))


def loudest_seat(seats: SeatAnswers, query: int, felt: Feel) -> int | None:
    """The seat whose own hand lies on an electrode; None: none answers clearly there."""
    ratio = seats.ratios(felt)
    strong = felt.active & (felt.final > 0.2 * felt.scale)
    top = np.percentile(ratio[:, strong], 90, axis=1) if strong.any() else ratio.max(axis=1)
    here = ratio[:, query]
    error = seats.scatter / max(float(felt.final[query]), 1.0)
    clear = (here > LEAST_ANSWER) & (here > 4.0 * error)
    score = np.where(clear, here * np.clip(here / np.maximum(top, 0.03), 0, 1) ** 2, 0.0)
    best = int(np.argmax(score))
    return best if score[best] > 0 else None


def unheard_seat(seats: SeatAnswers, felt: Feel, heard: set[int]) -> tuple[int, int] | None:
    """A seat that answers clearly and is no found hand's, and the electrode where it leads most; or None."""
    ratio = seats.ratios(felt)
    strong = felt.active & (felt.final > 0.2 * felt.scale)
    best: tuple[float, int, int] | None = None
    for seat in range(len(seats.names)):
        if seat in heard or not strong.any():
            continue
        others = np.delete(ratio, seat, axis=0).max(axis=0) if len(ratio) > 1 else 0.0 * ratio[0]
        lead = np.where(strong, ratio[seat] / np.maximum(ratio[seat] + others, 0.05), 0.0)
        electrode = int(np.argmax(lead * np.sqrt(np.maximum(felt.final, 0.0))))
        error = float(seats.scatter[seat]) / max(float(felt.final[electrode]), 1.0)
        here = float(ratio[seat, electrode])
        if here > max(LEAST_ANSWER, 4.0 * error) and (best is None or here > best[0]):
            best = (here, seat, electrode)
    return None if best is None else (best[1], best[2])


def match_hands(seats: SeatAnswers, hands: list[Floats]) -> list[list[str]]:
    """The players each hand may belong to by its seat's answer (hands: weights (E)), the clearest first.

    One name is a clear answer; several are seats that answer alike there; none is silence.
    """
    if not hands:
        return []
    heard = np.stack([seats.coupling(weight) for weight in hands])
    error = np.stack([seats.error(weight) for weight in hands])
    best_of = heard.argmax(axis=0)
    usual = np.zeros(len(seats.names), np.float32) if seats.usual is None else seats.usual
    # An enrolled seat that answers with much less than its usual coupling is heard through somebody else's skin.
    full = np.where(usual > 0, heard >= USUAL_SHARE * usual, True)
    names: list[list[str]] = []
    for k, (row, spread) in enumerate(zip(heard, error, strict=True)):
        # A seat whose hand lies elsewhere answers here only through touching skin: less than there. And a seat
        # has one hand.
        at_home = (row >= AT_HOME * heard.max(axis=0)) & (best_of == k) & (row > 3.0 * spread)
        at_home &= full[k]
        claim = np.where(at_home, row, 0.0)
        sure = bool((at_home & (row >= LEAST_COUPLING + 1.5 * spread)).any())
        top = float(claim.max()) if sure else np.inf
        order = [int(seat) for seat in np.argsort(-claim) if claim[seat] > NEXT_SHARE * top]
        names.append([seats.names[seat] for seat in order])
    return names


def seat_felt(segment: Segment, begin: int, end: int) -> str | None:
    """The player whose seat answers for what is felt in some scans; None without seat pads, and where it is not clear.

    The answer is the share of what is felt that moves with the seat, by least squares over its scans and electrodes.
    """
    index, delta, names = segment.seat_index, segment.seat_delta, segment.seat_names
    if index is None or delta is None or not names:
        return None
    above = np.maximum(segment.above[begin:end], 0.0)
    least = np.maximum(FELT_SIGMAS * segment.noise, FELT_SHARE * float(above.max()))
    felt = np.where(above > least, above, 0.0)
    shares, errors = np.zeros(len(names)), np.full(len(names), np.inf)
    for seat in range(len(names)):
        now = np.nonzero(index[begin:end] == seat)[0]
        quiet = np.nonzero(index[:begin] == seat)[0]
        weight = float((felt[now] ** 2).sum())
        if len(quiet) < QUIET_SCANS or weight <= 0.0:
            continue
        heard = delta[quiet]
        moved = delta[begin + now] - heard.mean(axis=0)
        scatter = float(np.median(heard.std(axis=0))) + 0.3
        shares[seat] = float((moved * felt[now]).sum()) / weight
        errors[seat] = scatter / weight**0.5
    return clear_seat(names, shares, errors)


def clear_seat(names: Sequence[str], shares: NDArray[np.float64], errors: NDArray[np.float64]) -> str | None:
    """The seat whose answer is clear beside all others' (each with its standard error); None: nobody knows."""
    best = int(np.argmax(shares))
    own, error = float(shares[best]), float(errors[best])
    if not own >= max(LEAST_COUPLING + 1.5 * error, CLEAR_ERRORS * error):
        return None
    others = np.delete(np.arange(len(names)), best)
    if len(others):
        # A seat that was not heard enough may be the one.
        if not np.isfinite(errors[others]).all() or float(shares[others].max()) >= NEXT_SHARE * own:
            return None
        beside = float((np.maximum(shares[others], 0.0) / errors[others]).max())
        if ((own / error) ** 2 - beside**2) / 2 < CLEAR_NATS:
            return None
    return names[best]
