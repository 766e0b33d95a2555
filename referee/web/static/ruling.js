// One ruling: what it rests on, what was seen and felt, and what is decided about it.

import { beside, decide } from "./decide.js";
import { find, labels, make } from "./page.js";
import { listed, plot } from "./plot.js";
import { link, marks, read } from "./review.js";
import { stepper } from "./video.js";

const base = `/review${location.pathname}`;
const game = location.pathname.replace(/\/rulings\/\d+$/, "");
const media = (id) => `/review${game}/evidence/${id}`;
const body = (id) => find(`#${id} .body`);

function say(text) {
  const place = find("#answer");
  place.textContent = text;
  place.hidden = false;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => (place.hidden = true), 5000);
}

/** Fills a part of the page; one with nothing to show is left out. */
function part(id, content) {
  find(`#${id}`).hidden = content.length === 0;
  body(id).replaceChildren(...content);
}

function picture(id, name) {
  const made = make("img", "");
  made.alt = name;
  made.loading = "lazy";
  made.src = media(id);
  const open = make("a", "", made);
  open.href = media(id);
  return open;
}

function places(shown) {
  const printed = make("button", "quiet", labels.print);
  printed.type = "button";
  printed.addEventListener("click", () => window.print());
  const parts = [];
  if (shown.previous !== null) parts.push(link(`${game}/rulings/${shown.previous}`, `← ${labels.previous}`));
  const whole = link(game, labels["game-page"]);
  whole.hash = `ruling-${shown.place}`;
  parts.push(whole);
  if (shown.next !== null) parts.push(link(`${game}/rulings/${shown.next}`, `${labels.next} →`));
  return [...parts, printed];
}

function said(shown) {
  const parts = [
    make("p", "facts", `#${shown.place} · ${shown.time} · ${shown.heading}`),
    make("p", `ruling-said${shown.void ? " overturned" : ""}`, shown.text),
  ];
  if (shown.margin) parts.push(make("p", "margin", shown.margin));
  if (shown.marks.length) parts.push(make("p", "marks", ...marks(shown.marks)));
  if (shown.overturned) {
    const { by, reason, instead } = shown.overturned;
    if (by || reason) parts.push(make("p", "", `${labels["stands-not"]} ${labels.by} ${by}: ${reason}`));
    for (const one of instead) parts.push(make("p", "", `${labels.replaced} `, link(`${game}/rulings/${one.place}`, one.text)));
  }
  for (const one of shown.upheld) parts.push(make("p", "", `${labels.upheld} ${labels.by} ${one.by}: ${one.reason}`));
  if (shown.appeals.length) parts.push(make("p", "", `${labels.appeals}: ${shown.appeals.join(", ")}`));
  if (shown.running) parts.push(make("p", "calm", labels.running));
  return parts;
}

function watched(shown) {
  const first = shown.hands.find((hand) => hand.grip)?.t_us ?? null;
  const plots = [];
  const clips = [];
  const totem = shown.hands.length ? [listed(shown.hands)] : [];
  for (const stretch of shown.stretches) {
    for (const id of stretch.counts) {
      const made = plot(`${media(id)}/curves`, stretch, shown.hands);
      plots.push(made);
      totem.push(made.made);
    }
    if (stretch.clip?.t_us.length) {
      const told = (t_us) => plots.forEach((one) => one.cursor(t_us));
      clips.push(stepper(media(stretch.clip.id), stretch.clip, first ?? shown.t_us, told));
    }
    if (stretch.frames.length) {
      const frames = stretch.frames.map(({ id }) => picture(id, labels["decision-frames"]));
      clips.push(make("details", "frames", make("summary", "", labels["decision-frames"]), make("div", "pictures", ...frames)));
    }
    for (const text of stretch.missing) clips.push(make("p", "calm", `${labels.missing}: ${text}`));
  }
  if (!clips.length) clips.push(make("p", "calm", labels["no-video"]));
  if (!plots.length && totem.length) totem.push(make("p", "calm", labels["no-totem"]));
  part("video", clips);
  part("totem", totem);
}

/** Each card as it was read, and beside it the deck's own pictures of what it is or may be. */
function cards(shown) {
  const pictures = Object.assign({}, ...shown.stretches.map((stretch) => stretch.pictures));
  const crops = shown.stretches.flatMap((stretch) => stretch.crops);
  return crops.map((crop) => {
    const read = crop.card !== "?";
    const others = crop.candidates.filter((card) => card !== crop.card);
    const drawn = crop.candidates.map((card) => {
      const told = read ? (card === crop.card ? labels["in-the-deck"] : labels.nearest) : labels.candidates;
      const text = make("figcaption", "", make("span", "facts", told), make("b", "", card));
      return make("figure", "candidate", ...(pictures[card] ? [picture(pictures[card], card)] : []), text);
    });
    const own = make("figure", "crop", picture(crop.id, crop.card), make("figcaption", "", make("b", "", crop.card), make("bdi", "", crop.player)));
    const alone = read && !others.length && !pictures[crop.card];
    return make("div", "compared", own, ...(alone ? [] : drawn));
  });
}

const inputs = (words) =>
  words.map((word) =>
    make("p", "input", make("b", "", word.what), ` ${word.details.join(" · ")}`, make("span", "facts", ` ${word.source} ${word.time}`)),
  );

function alternative(word) {
  const gives = word.same ? [labels["comes-same"]] : [labels["would-give"], ...(word.gives.length ? word.gives : ["–"])];
  const parts = [make("p", "", make("b", "", word.text), word.why ? ` – ${word.why}` : "")];
  return make("div", "alternative", ...parts, ...gives.map((text) => make("p", "facts", text)));
}

function evidence(shown) {
  const rows = shown.evidence.map((row) => {
    const item = make("li", "");
    const text = `${row.kind} ${row.id} · ${row.kilobytes} kB`;
    if (row.gone) item.append(`${text} · ${labels.gone}: ${row.gone}`);
    else if (row.kind === "sheet") item.append(text);
    else {
      const to = make("a", "", text);
      to.href = media(row.id);
      item.append(to);
    }
    return item;
  });
  return rows.length ? [make("ul", "files", ...rows)] : [];
}

function deciding(shown) {
  const made = beside(shown, base, say, renew);
  if (shown.may.decide && !shown.void && shown.kind !== "overturned") made.unshift(...decide(shown, base, say, follow));
  if (shown["read-only"]) made.push(make("p", "calm", labels["read-only"]));
  part("decide", made);
}

let media_shown = "";

function show(shown) {
  document.title = `#${shown.place} ${shown.heading} – ${shown.game}`;
  find("#title").textContent = `${shown.game} · ${shown.begun || shown.key}`;
  find("#places").replaceChildren(...places(shown));
  find("#said").replaceChildren(...said(shown));
  const now = JSON.stringify([shown.stretches, shown.hands]);
  if (now !== media_shown) watched(shown); // a video that is being looked at stays where it is
  media_shown = now;
  part("cards", cards(shown));
  part("inputs", inputs(shown.inputs));
  part("clauses", shown.clauses.map((clause) => make("p", "", make("b", "", `${clause.id} ${clause.title}`), ` ${clause.text}`)));
  part("alternatives", shown.alternatives.map(alternative));
  part("evidence", evidence(shown));
  deciding(shown);
}

async function renew() {
  const shown = await read(base);
  if (shown) show(shown);
  return shown;
}

/** After overturning: a game that is running takes a moment to be worked out again. */
async function follow(onItsWay) {
  for (let tries = 0; tries < 25; tries += 1) {
    const shown = await renew();
    if (!shown || shown.void || !onItsWay) return;
    await new Promise((wake) => setTimeout(wake, 200));
  }

}

renew();
