// What is drawn over the live picture: seats to be dragged, corners to be tapped, where a lamp shines back.
//
// Places are pixels of the picture; what they are in millimetres is worked out by the referee.

import { draw, find, labels, make } from "./page.js";

const NUDGE = 12; // pixels of the picture for one press of an arrow key
let dragged = null; // the zone under a finger: its drawing stays until the new place is known
let corners = [];
let whole = true;
let last = "";

/** A place of the page as a place of the picture. */
function at(over, event) {
  const box = over.getBoundingClientRect();
  const [, , width, height] = over.getAttribute("viewBox").split(" ").map(Number);
  const x = ((event.clientX - box.left) / box.width) * width;
  const y = ((event.clientY - box.top) / box.height) * height;
  return [Math.round(10 * x) / 10, Math.round(10 * y) / 10];
}

function name(zone) {
  return zone.player ? `${zone.player}: ${labels[`zone-${zone.kind}`] ?? zone.kind}` : (labels[`zone-${zone.kind}`] ?? zone.name);
}

function zoneDrawing(over, zone, size, send) {
  const group = draw("g", { class: `zone ${zone.kind}`, tabindex: 0, role: "button", "aria-label": name(zone) });
  group.dataset.zone = zone.name;
  group.dataset.player = zone.player ?? "";
  const label = draw("text", { x: zone.middle[0], y: zone.middle[1], "font-size": size[0] / 40 }, zone.player ?? labels[`zone-${zone.kind}`] ?? zone.name);
  group.append(draw("polygon", { points: zone.points.map((point) => point.join(",")).join(" ") }), label);
  const move = (x, y) => send({ do: "move", zone: zone.name, x, y, whole });
  // With one place of a player all of them go along.
  const together = () =>
    whole && zone.player ? [...over.querySelectorAll(".zone")].filter((one) => one.dataset.player === zone.player) : [group];
  group.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    group.setPointerCapture(event.pointerId);
    dragged = { zone: zone.name, from: at(over, event) };
    for (const one of together()) one.classList.add("dragged");
  });
  group.addEventListener("pointermove", (event) => {
    if (!dragged || dragged.zone !== zone.name) return;
    const [x, y] = at(over, event);
    const by = `translate(${x - dragged.from[0]} ${y - dragged.from[1]})`;
    for (const one of together()) one.setAttribute("transform", by);
  });
  const drop = (event) => {
    if (!dragged || dragged.zone !== zone.name) return;
    const [x, y] = at(over, event);
    const by = [x - dragged.from[0], y - dragged.from[1]];
    dragged = null;
    if (Math.hypot(...by) > 3) move(zone.middle[0] + by[0], zone.middle[1] + by[1]);
    last = ""; // drawn anew with the next state, moved or not
  };
  group.addEventListener("pointerup", drop);
  group.addEventListener("pointercancel", () => {
    dragged = null;
    last = "";
  });
  group.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [-NUDGE, 0], ArrowRight: [NUDGE, 0], ArrowUp: [0, -NUDGE], ArrowDown: [0, NUDGE] }[event.key];
    if (!by) return;
    event.preventDefault();
    move(zone.middle[0] + by[0], zone.middle[1] + by[1]);
  });
  return group;
}

function glareDrawings(glare, size) {
  const high = size[1] / glare.length;
  const wide = size[0] / glare[0].length;
  return glare.flatMap((row, y) =>
    row.flatMap((share, x) =>
      share > 0.002
        ? [draw("rect", { class: "glare", x: x * wide, y: y * high, width: wide, height: high, "fill-opacity": Math.min(0.75, 0.25 + 4 * share) })]
        : [],
    ),
  );
}

function cornerDrawings(size) {
  const made = corners.map(([x, y], place) => {
    const number = draw("text", { x: x + size[0] / 60, y: y - size[1] / 60, "font-size": size[0] / 40 }, String(place + 1));
    return draw("g", { class: "corner" }, draw("circle", { cx: x, cy: y, r: size[0] / 120 }), number);
  });
  if (corners.length > 1) {
    made.unshift(draw(corners.length === 4 ? "polygon" : "polyline", { class: "corner-line", points: corners.map((point) => point.join(",")).join(" ") }));
  }
  return made;
}

function tapped(over, event) {
  if (over.dataset.tap !== "yes" || corners.length >= 4) return;
  corners.push(at(over, event));
  last = "";
}

/** The fields below the picture while corners are tapped. */
function cornerFields(place, send) {
  if (place.querySelector(".corners")) {
    place.querySelector(".corner-next").textContent =
      corners.length < 4 ? labels["corner-next"].replace("{}", corners.length + 1) : "";
    place.querySelector(".use").disabled = corners.length < 4;
    return;
  }
  const input = (key) => {
    const made = make("input", key);
    made.type = "number";
    made.min = "1";
    made.step = "any";
    made.inputMode = "decimal";
    return [made, make("label", "field", make("span", "", labels[key]), made)];
  };
  const [width, wide] = input("width-mm");
  const [height, high] = input("height-mm");
  const use = make("button", "use", labels["use-corners"]);
  use.type = "button";
  use.disabled = true;
  use.addEventListener("click", () =>
    send({ do: "corners", points: corners, width_mm: Number(width.value), height_mm: Number(height.value) }),
  );
  const again = make("button", "quiet", labels["corners-again"]);
  again.type = "button";
  again.addEventListener("click", () => {
    corners = [];
    last = "";
    send({ do: "by", way: "corners" });
  });
  const fields = make("div", "numbers", wide, high);
  place.append(make("div", "corners", make("p", "corner-next calm"), fields, make("div", "buttons", use, again)));
}

function togetherField(place) {
  if (place.querySelector(".together")) return;
  const input = make("input", "");
  input.type = "checkbox";
  input.checked = whole;
  input.addEventListener("change", () => (whole = input.checked));
  place.append(make("label", "mark together", input, labels["whole-seat"]));
}

/** Draws over the picture what the open step has to show there. */
export function over(place, state, send) {
  const eye = find("#eye");
  const size = state.camera.size;
  const table = state.open === "table" ? state.step : null;
  const tap = Boolean(table && table.by === "corners" && !table.seen);
  if (!place.dataset.ready) {
    place.dataset.ready = "yes";
    place.addEventListener("pointerdown", (event) => tapped(place, event));
  }
  place.dataset.tap = tap ? "yes" : "no";
  if (!table || table.by !== "corners") {
    corners = [];
    eye.querySelector(".corners")?.remove();
  } else {
    cornerFields(eye, send);
  }
  if (table && table.zones.length) togetherField(eye);
  else eye.querySelector(".together")?.remove();
  if (!size || dragged) return;
  const glare = state.open === "light" && state.step.found ? state.step.found.glare : null;
  const value = JSON.stringify([state.open, size, table?.zones, tap, glare, corners]);
  if (value === last) return;
  last = value;
  const focused = document.activeElement?.dataset?.zone;
  place.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
  const zones = table ? table.zones.map((zone) => zoneDrawing(place, zone, size, send)) : [];
  place.replaceChildren(...(glare ? glareDrawings(glare, size) : []), ...zones, ...(tap ? cornerDrawings(size) : []));
  if (focused) [...place.children].find((one) => one.dataset.zone === focused)?.focus();
}
