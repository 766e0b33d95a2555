// The operator hands seats out: a code for each, shown once and drawn here.

import { post } from "./call.js";
import { draw, fill, find, labels, make } from "./page.js";

const EVERY_MS = 4000;

/** A code as a picture: dark modules on light, with the quiet edge that it comes with. */
export function picture(rows) {
  const size = rows.length;
  const path = rows
    .flatMap((row, y) => [...row].map((module, x) => (module === "1" ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  const svg = draw("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "shape-rendering": "crispEdges" });
  svg.append(draw("rect", { width: size, height: size, fill: "#fff" }), draw("path", { d: path, fill: "#000" }));
  return svg;
}

function close() {
  const place = find("#code");
  place.replaceChildren();
  place.hidden = true;
}

async function handOut(player) {
  const reply = await post("/operator/seats/hand-out", { player });
  if (!reply?.ok) return;
  const code = await reply.json();
  const done = make("button", "quiet", labels["seat-close"]);
  done.type = "button";
  done.addEventListener("click", close);
  find("#code").replaceChildren(
    make("p", "said", `${labels.for} `, make("bdi", "", code.player)),
    picture(code.code),
    make("p", "address", code.address),
    make("div", "buttons", done),
  );
  find("#code").hidden = false;
  find("#code").scrollIntoView({ block: "nearest" });
  await refresh();
}

async function takeBack(player) {
  await post("/operator/seats/take-back", { player });
  close();
  await refresh();
}

function row({ player, state, text }) {
  const out = make("button", "", labels["seat-hand-out"]);
  out.type = "button";
  out.addEventListener("click", () => handOut(player));
  const parts = [make("bdi", "who", player), make("span", `state ${state}`, text), out];
  if (state !== "free") {
    const back = make("button", "quiet", labels["seat-take-back"]);
    back.type = "button";
    back.addEventListener("click", () => takeBack(player));
    parts.push(back);
  }
  return make("div", "buttons seat-row", ...parts);
}

async function refresh() {
  let seats = [];
  try {
    const reply = await fetch(`/operator/seats${location.search}`);
    if (reply.ok) seats = (await reply.json()).seats;
  } catch {
    return;
  }
  find("#seats").hidden = seats.length === 0;
  fill(find("#seats .body"), seats, (shown) => shown.map(row));
}

/** Shows how the seats are for as long as the page is open. */
export function showSeats() {
  refresh();
  setInterval(refresh, EVERY_MS);
}
