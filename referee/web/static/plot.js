// What the totem felt: its rings and its sides over time, and each hand's first contact.

import { draw, labels, make } from "./page.js";
import { exact, read } from "./review.js";

const width = 900;
const left = 84; // room for "112.5 mm"
const right = 12;
const row = 34;

function curve(level, x, base, scale) {
  const points = level.map((value, n) => `${x(n).toFixed(1)},${(base - Math.min(1, value / scale) * (row - 6)).toFixed(1)}`);
  return `M${points.join("L")}`;
}

/** One drawing of curves between two times, with the hands on it; its `cursor` marks the frame shown. */
function drawing(curves, hands, from, to) {
  const rows = [
    ...curves.rings.map((ring) => ({ name: `${ring.mm} mm`, level: ring.level, kind: "ring" })).reverse(),
    ...curves.sectors.map((side) => ({ name: `${side.deg}°`, level: side.level, kind: "side" })),
  ];
  const top = 18 + hands.length * 20;
  const height = top + rows.length * row + 30;
  const x = (t_us) => left + ((t_us - from) / (to - from)) * (width - left - right);
  const scale = Math.max(1, ...rows.flatMap(({ level }) => level));
  const made = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": labels.totem, class: "plot" });
  for (const [n, { name, level, kind }] of rows.entries()) {
    const base = top + (n + 1) * row;
    made.append(
      draw("line", { class: "lane", x1: left, x2: width - right, y1: base, y2: base }),
      draw("text", { class: "lane-name", x: left - 6, y: base - 4, "text-anchor": "end" }, name),
      draw("path", { class: `level ${kind}`, d: curve(level, (place) => x(curves.t_us[place]), base, scale) }),
    );
  }
  hands.forEach((hand, n) => {
    const at = x(hand.t_us);
    if (at < left || at > width - right) return;
    const text = `${hand.player} ${exact(hand.t_us)}`;
    const end = at > width * 0.6 ? { x: at - 6, "text-anchor": "end" } : { x: at + 6 };
    made.append(
      draw("line", { class: `first hand-${n % 8}`, x1: at, x2: at, y1: 18 + n * 20 - 12, y2: height - 26 }),
      draw("text", { class: `first-name hand-${n % 8}`, y: 18 + n * 20, ...end }, text),
    );
  });
  const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2].find((one) => (to - from) / 1e6 / one <= 10) ?? 5;
  for (let t = Math.ceil(from / 1e6 / step) * step; t * 1e6 <= to; t += step) {
    made.append(draw("text", { class: "tick-name", x: x(t * 1e6), y: height - 8, "text-anchor": "middle" }, t.toFixed(2)));
    made.append(draw("line", { class: "tick", x1: x(t * 1e6), x2: x(t * 1e6), y1: top, y2: height - 24 }));
  }
  const cursor = draw("line", { class: "cursor", x1: left, x2: left, y1: top, y2: height - 26, visibility: "hidden" });
  made.append(cursor);
  return {
    made,
    cursor(t_us) {
      const inside = t_us >= from && t_us <= to;
      cursor.setAttribute("visibility", inside ? "visible" : "hidden");
      if (inside) for (const end of ["x1", "x2"]) cursor.setAttribute(end, x(t_us).toFixed(1));
    },
  };
}

/** The hands as a list: who, when, how many fingers, how low. */
export function listed(hands) {
  const first = hands.find((hand) => hand.grip)?.t_us ?? hands[0]?.t_us;
  return make(
    "ol",
    "hands",
    ...hands.map((hand, n) => {
      const after = hand.t_us - first;
      const later = after > 0 ? ` (+${(after / 1000).toFixed(1)} ms)` : "";
      const said = [`${labels["first-touch"]} ${exact(hand.t_us)}${later}`];
      if (hand.grip) said.push(`${hand.fingers} ${labels.fingers}`, `${labels.lowest} ${hand.lowest} mm`);
      else said.push(labels.brush);
      return make("li", `hand-${n % 8}`, make("b", "", make("bdi", "", hand.player)), " ", said.join(" · "));
    }),
  );
}

/** The plot of a stretch of readings; returns the place it is in and who moves its cursor. */
export function plot(path, stretch, hands) {
  const place = make("div", "plots");
  let current = null;
  let shown_us = null;
  const times = hands.map((hand) => hand.t_us);
  const near = times.length ? [Math.min(...times) - 120_000, Math.max(...times) + 250_000] : null;

  async function show(range) {
    const found = await read(path, range ? { from: Math.max(0, range[0]), to: range[1] } : {});
    if (!found?.t_us.length) return;
    const [from, to] = range ?? [found.t_us[0], found.t_us[found.t_us.length - 1] + 1];
    current = drawing(found, hands, from, to);
    place.replaceChildren(current.made);
    if (shown_us !== null) current.cursor(shown_us);
  }

  const choose = (text, range) => {
    const made = make("button", "quiet", text);
    made.type = "button";
    made.addEventListener("click", () => show(range));
    return made;
  };
  const buttons = make("div", "buttons", ...(near ? [choose(labels.near, near)] : []), choose(labels.whole, null));
  show(near);
  return {
    made: make("div", "", place, make("p", "calm", `${labels.rings}; ${labels.sides}`), buttons),
    cursor(t_us) {
      shown_us = t_us;
      current?.cursor(t_us);
    },
  };
}
