// The list of games, and the closest rulings of all of them.

import { find, labels, make } from "./page.js";
import { inLanguage, link, marks, read } from "./review.js";

const form = find("#search");
const asked = new URLSearchParams(location.search);
const kinds = JSON.parse(document.body.dataset.kinds);
const closest = asked.get("view") === "closest";
let next = {};

for (const [value, text] of Object.entries(kinds)) {
  const option = make("option", "", text);
  option.value = value;
  form.elements.kind.append(option);
}
const fields = ["player", "from", "to", "kind", "closer", "text"];
for (const name of fields) form.elements[name].value = asked.get(name) ?? "";

const searched = () =>
  Object.fromEntries(fields.map((name) => [name, form.elements[name].value]).filter(([, value]) => value));

for (const [id, view] of [["games", {}], ["closest", { view: "closest" }]]) {
  const tab = find(`#tab-${id}`);
  tab.href = `${inLanguage("/games")}&${new URLSearchParams({ ...searched(), ...view })}`;
  if (closest === (id === "closest")) tab.setAttribute("aria-current", "page");
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const view = closest ? { view: "closest" } : {};
  location.assign(`${inLanguage("/games")}&${new URLSearchParams({ ...searched(), ...view })}`);
});

function names(players) {
  return make("span", "names", ...players.flatMap((name, n) => [n ? ", " : "", make("bdi", "", name)]));
}

function game(row) {
  const head = link(`/games/${row.key}`, row.game, " · ", row.begun || row.key);
  const facts = [`${row.length}`, `${labels["rulings-count"]}: ${row.rulings}`, row.state];
  if (row.closest) facts.push(`${labels["closest-call"]} ${row.closest}`);
  const item = make("li", row.running ? "running" : "", head, names(row.players), make("span", "facts", facts.join(" · ")));
  if (row.appeals) item.append(...marks([labels["appeal-open"]]));
  return item;
}

function ruling(row) {
  const head = link(`/games/${row.key}/rulings/${row.place}`, make("b", "", row.closeness), " · ", row.kind);
  return make("li", "", head, names(row.players), make("span", "facts", row.time), ...marks(row.marks));
}

async function more() {
  const found = await read("/review/games", { ...searched(), ...(closest ? { view: "closest" } : {}), ...next });
  if (!found) return;
  const rows = closest ? found.rulings.map(ruling) : found.games.map(game);
  find("#list").append(...rows);
  find("#empty").hidden = find("#list").childElementCount > 0;
  next = closest ? { offset: found.offset } : { after: found.after };
  find("#more").hidden = closest ? found.offset === null : found.after === null;
}

find("#more").addEventListener("click", more);
more();
