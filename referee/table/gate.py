"""When a waiting event may leave.

Belongs here: the conditions, item by item. Does not belong here: watermarks themselves, the buffer (`fusion`).

Written rules:
- a card leaves when the totem has spoken of the time up to its first frame, and it is told or will not be in time;
- a touch leaves when the camera has seen past it, far enough to say whose hands they are, and when no pile may hide a
  card that lay there before it;
- every condition has a limit, counted on the camera's watermark or on the clock that is told.
"""

from __future__ import annotations

from collections.abc import Callable

from referee.table.settings import FusionSettings
from referee.table.sight import Sight
from referee.table.touches import Touches
from referee.table.waiting import FallItem, FlipItem, GrabItem, Item
from referee.table.watermarks import Watermarks


class Gate:
    """Says of each item whether it may leave now; `is_plain` says whether the camera alone sees the totem then."""

    def __init__(
        self,
        marks: Watermarks,
        sight: Sight,
        touches: Touches,
        settings: FusionSettings,
        is_plain: Callable[[int], bool],
    ) -> None:
        self._marks = marks
        self._sight = sight
        self._touches = touches
        self._settings = settings
        self._is_plain = is_plain

    def is_open(self, item: Item) -> bool:
        """Whether the item may leave."""
        if isinstance(item, GrabItem | FallItem):
            return self._for_touch(item)
        if not self._marks.is_through("camera", item.t_us):
            return False
        return self._for_card(item) if isinstance(item, FlipItem) else self._totem_through(item.t_us)

    def _totem_through(self, t_us: int) -> bool:
        return self._marks.is_through("totem", t_us) or self._is_plain(t_us)

    def _for_card(self, item: FlipItem) -> bool:
        marks = self._marks
        if not self._totem_through(item.seen.between_us[1]):
            return False
        too_late = marks.past("camera") > item.t_us + self._settings.unread_us
        if marks.ended or marks.gave_up("camera", item.t_us) or too_late or item.unseen:
            return True
        return (item.is_read or item.closed or item.swept) and not self._sight.hidden(item.seen.between_us[0])

    def _for_touch(self, item: GrabItem | FallItem) -> bool:
        marks, need_us = self._marks, self._touches.need_us(item)
        if not marks.is_through("camera", need_us):
            return False
        gave_up = marks.ended or marks.gave_up("camera", need_us)
        if isinstance(item, GrabItem) and not item.looked:
            item.looked = True
            item.look_more = item.by == "totem" and not gave_up and self._touches.asks_for_more(item)
            return self._for_touch(item)
        if gave_up or marks.past("camera") > item.t_us + self._settings.hidden_us:
            return True
        return all(one.is_over for one in self._sight.hidden(item.t_us))
