// How the hands came to the totem at the last ruling, where the table has chosen to show it; slowed pictures where it
// has chosen those.

import { draw, find, make } from "./page.js";

const there = document.body.dataset.replay !== "off";
const later = [1500, 4000, 8000]; // the pictures come a while after the ruling
let current;
let waiting = [];

function hands(list) {
  const first = list[0].t_us;
  const last = Math.max(40_000, list[list.length - 1].t_us - first);
  const row = 30;
  const made = draw("svg", { viewBox: `0 0 640 ${list.length * row}` });
  list.forEach((hand, n) => {
    const x = 180 + ((hand.t_us - first) / last) * 300;
    const y = n * row + 20;
    const text = n === 0 ? hand.player : `${hand.player} +${((hand.t_us - first) / 1000).toFixed(1)} ms`;
    made.append(
      draw("line", { class: "lane", x1: 180, x2: 640, y1: y - 6, y2: y - 6 }),
      draw("line", { class: hand.grip ? "hand" : "hand brush", x1: x, x2: 640, y1: y - 6, y2: y - 6 }),
      draw("text", { class: "hand-name", x: 172, y, "text-anchor": "end" }, text),
    );
  });
  return made;
}

function pictures(clip, first) {
  const video = make("video", "");
  Object.assign(video, { muted: true, playsInline: true, autoplay: true, loop: true, src: `/replay/clip/${clip.id}` });
  video.addEventListener("loadedmetadata", () => {
    const place = clip.t_us.findIndex((t_us) => t_us >= first - 700_000);
    video.currentTime = (Math.max(0, place) / clip.t_us.length) * video.duration;
    video.playbackRate = 0.4;
  });
  return video;
}

async function look(place) {
  try {
    const reply = await fetch("/replay");
    if (!reply.ok || place !== current) return false;
    const shown = await reply.json();
    const box = find("#replay");
    const close = shown.place === place && shown.hands.length > 1;
    box.hidden = !close && !shown.clip;
    const parts = close ? [hands(shown.hands)] : [];
    if (shown.clip && shown.place === place) parts.push(pictures(shown.clip, shown.hands[0]?.t_us ?? 0));
    box.replaceChildren(...parts);
    return Boolean(shown.clip);
  } catch {
    return false;
  }
}

/** Shows the ruling at a place; called at every change of the table. */
export function showReplay(place) {
  if (!there || place === current) return;
  current = place;
  waiting.forEach(clearTimeout);
  waiting = [];
  find("#replay").hidden = true;
  if (place === null) return;
  let done = false;
  const once = async () => {
    if (!done) done = await look(place);
  };
  once();
  if (document.body.dataset.replay === "pictures") waiting = later.map((ms) => setTimeout(once, ms));
}
