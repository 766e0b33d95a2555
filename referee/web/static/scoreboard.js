// The scoreboard: shows, and asks nothing.

import { showReplay } from "./replay.js";
import { fill, find, follow, head, make, ruling } from "./page.js";

function player(seat) {
  const row = make("tr", seat.turn ? "turn" : "");
  const name = make("th", "", make("bdi", "", seat.name));
  name.scope = "row";
  if (seat.out) name.append(" ", make("span", "out", seat.out));
  row.append(name, ...seat.counts.map((count) => make("td", "", String(count.count))));
  return row;
}

function headings(seats) {
  const row = make("tr", "", make("td", ""));
  row.append(
    ...(seats[0]?.counts ?? []).map((count) => {
      const cell = make("th", "", count.label);
      cell.scope = "col";
      return cell;
    }),
  );
  return row;
}

follow((board) => {
  head(board);
  document.title = `${board.headline} – ${board.game}`;
  document.body.dataset.players = board.players.length > 6 ? "many" : "few";
  fill(find("#notices"), board.notices, (notices) => notices.map((text) => make("li", "", text)));
  fill(find("thead"), board.players, (seats) => [headings(seats)]);
  fill(find("#players"), board.players, (seats) => seats.map(player));
  fill(find("#ranking"), board.ranking, (places) =>
    places.map(({ place, names }) => make("li", "", make("b", "", `${place}.`), " ", names)),
  );
  fill(find("#latest"), board.rulings.slice(0, 1), (rulings) => rulings.map(ruling));
  fill(find("#rulings"), board.rulings.slice(1), (rulings) => rulings.map(ruling));
  showReplay(board.rulings.find((said) => !said.overturned)?.place ?? null);
});
