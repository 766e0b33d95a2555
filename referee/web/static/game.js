// One game: what happened, drawn over time and line by line.

import { draw, find, labels, make } from "./page.js";
import { inLanguage, link, marks, read } from "./review.js";

const base = `/review${location.pathname}`;
const lane = 26;
const left = 110;
const slowest = 14; // pixels a second

/** Where things happened: a line for each player, and one for the rulings. */
function timeline(shown) {
  const happened = shown.timeline.filter((item) => item.what !== "end");
  const last = Math.max(1e6, ...happened.map((item) => item.t_us));
  const second = Math.max(slowest, (find("#drawn").clientWidth - left - 30) / (last / 1e6));
  const width = left + 30 + (last / 1e6) * second;
  const names = shown.players;
  const height = (names.length + 1) * lane + 34;
  const x = (t_us) => left + (t_us / 1e6) * second;
  const y = (name) => (names.indexOf(name) + 0.5) * lane + 6;
  const below = (names.length + 0.5) * lane + 6;
  const made = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": labels.timeline });
  for (const [n, name] of [...names, labels.rulings].entries()) {
    const middle = (n + 0.5) * lane + 6;
    made.append(draw("line", { class: "lane", x1: left, x2: width, y1: middle, y2: middle }));
    const short = name.length > 13 ? `${name.slice(0, 12)}…` : name;
    made.append(draw("text", { class: "lane-name", x: 4, y: middle + 5 }, short, draw("title", {}, name)));
  }
  const every = last > 300e6 ? 30e6 : 10e6;
  for (let t_us = 0; t_us <= last; t_us += every) {
    const text = `${Math.floor(t_us / 60e6)}:${String(Math.floor(t_us / 1e6) % 60).padStart(2, "0")}`;
    made.append(draw("line", { class: "tick", x1: x(t_us), x2: x(t_us), y1: 0, y2: height - 20 }));
    made.append(draw("text", { class: "tick-name", x: x(t_us) + 3, y: height - 6 }, text));
  }
  for (const item of happened) {
    const title = draw("title", {}, `${item.time} ${item.text}`);
    const gone = item.void ? " void" : "";
    if (item.what === "ruling") {
      const dot = draw("circle", { class: `at ${item.kind}${gone}`, cx: x(item.t_us), cy: below, r: 7 }, title);
      made.append(draw("a", { href: inLanguage(`/games/${shown.key}/rulings/${item.place}`) }, dot));
    } else if (item.hands) {
      for (const hand of item.hands.filter(({ player }) => names.includes(player))) {
        const at = `M${x(hand.t_us)} ${y(hand.player) - 9}v18`;
        made.append(draw("path", { class: `touch${gone}`, d: at }, title.cloneNode(true)));
      }
    } else {
      for (const name of item.players.filter((player) => names.includes(player))) {
        const box = { x: x(item.t_us) - 4, y: y(name) - 5, width: 8, height: 10 };
        made.append(draw("rect", { class: `card ${item.what}${gone}`, ...box }, title.cloneNode(true)));
      }
    }
  }
  return made;
}

function line(item) {
  const made = make("li", `line ${item.what} ${item.kind ?? ""}${item.void ? " overturned" : ""}`);
  made.append(make("time", "", item.time));
  const said = make("span", "said");
  if (item.what === "ruling") {
    made.id = `ruling-${item.place}`;
    said.append(link(`${location.pathname}/rulings/${item.place}`, item.text));
  } else said.append(item.text);
  made.append(said);
  if (item.margin) made.append(make("span", "margin", item.margin));
  if (item.reason) made.append(make("span", "margin", `${labels.reason}: ${item.reason}`));
  if (item.marks.length) made.append(make("span", "marks", ...marks(item.marks)));
  return made;
}

function standing(counts, appeals) {
  const head = make("tr", "", make("td", ""), ...counts.headings.map((text) => make("th", "", text)));
  const rows = counts.rows.map((row) =>
    make("tr", "", make("th", "", make("bdi", "", row.name)), ...row.counts.map((n) => make("td", "", String(n ?? "")))),
  );
  for (const row of rows) row.firstChild.scope = "row";
  const table = make("table", "", make("thead", "", head), make("tbody", "", ...rows));
  const left = Object.entries(appeals).map(([name, n]) =>
    make("li", "", labels["appeals-left"].replace("{}", name).replace("{}", String(n))),
  );
  const parts = [table, make("p", "facts", counts.facts.join(" · "))];
  if (left.length) parts.push(make("h3", "", labels.appeals), make("ul", "facts", ...left));
  return parts;
}

const shown = await read(base);
if (shown) {
  document.title = `${shown.game} – ${shown.begun || shown.key}`;
  find("#title").textContent = `${shown.game} · ${shown.begun || shown.key}`;
  find("#about").append(
    ...shown.players.flatMap((name, n) => [n ? ", " : "", make("bdi", "", name)]),
    ` · ${shown.length} · ${shown.state}`,
  );
  find("#drawn").append(timeline(shown));
  find("#lines").append(...shown.timeline.map(line));
  find("#standing .body").append(...standing(shown.counts, shown["appeals-left"]));
  if (location.hash) document.querySelector(CSS.escape(location.hash).replace("\\#", "#"))?.scrollIntoView();
}
find("#alone").addEventListener("change", (event) => {
  find("#lines").classList.toggle("alone", event.target.checked);
});
find("#print").addEventListener("click", () => window.print());
