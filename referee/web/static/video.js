// A clip that is stepped frame by frame, with the time at which each frame was exposed.
//
// The clip holds one video frame for each camera frame, at an even rate; the times are in a list beside it.

import { labels, make } from "./page.js";
import { exact } from "./review.js";

function button(text, what, name = "") {
  const made = make("button", "quiet", text);
  made.type = "button";
  if (name) {
    made.setAttribute("aria-label", name);
    made.title = name;
  }
  made.addEventListener("click", what);
  return made;
}

/** The clip at `path`; `first` is the time of the first touch (or null), `told` hears the time of each frame shown. */
export function stepper(path, clip, first, told) {
  const times = clip.t_us;
  const many = times.length;
  const video = make("video", "");
  video.muted = true;
  video.playsInline = true;
  video.preload = "auto";
  video.width = clip.width;
  video.height = clip.height;
  video.src = path;
  const said = make("output", "frame");
  const slider = make("input", "");
  Object.assign(slider, { type: "range", min: "0", max: String(many - 1), step: "1", value: "0" });
  slider.setAttribute("aria-label", labels.frame);
  let at = 0;
  let wanted = null; // the frame asked for while the video is still on its way to another

  const length = () => (Number.isFinite(video.duration) ? video.duration : ((times[many - 1] - times[0]) / 1e6) * (many / (many - 1)));

  function show(frame) {
    at = frame;
    slider.value = String(frame);
    const gap = frame > 0 ? clip.numbers[frame] - clip.numbers[frame - 1] - 1 : 0;
    const missing = gap > 0 ? ` · ${gap} ${labels["not-kept"]}` : "";
    said.textContent = `${labels.frame} ${frame + 1} ${labels.of} ${many} · ${labels.exposed} ${exact(times[frame])}${missing}`;
    said.dataset.frame = String(frame);
    told(times[frame]);
  }

  function go(frame) {
    const next = Math.min(many - 1, Math.max(0, frame));
    video.pause();
    show(next);
    if (video.seeking) wanted = next;
    else video.currentTime = ((next + 0.5) * length()) / many;
  }

  const nearest = (t_us) => times.reduce((best, time, n) => (Math.abs(time - t_us) < Math.abs(times[best] - t_us) ? n : best), 0);
  const toggle = () => (video.paused ? video.play() : video.pause());

  video.addEventListener("seeked", () => {
    if (wanted === null) return;
    const next = wanted;
    wanted = null;
    video.currentTime = ((next + 0.5) * length()) / many;
  });
  video.addEventListener("timeupdate", () => {
    if (!video.paused) show(Math.min(many - 1, Math.floor((video.currentTime / length()) * many)));
  });
  video.addEventListener("loadedmetadata", () => go(first === null ? 0 : nearest(first)), { once: true });
  slider.addEventListener("input", () => go(Number(slider.value)));

  const play = button("▶", toggle, labels.play);
  for (const [event, text, name] of [["play", "❚❚", labels.stop], ["pause", "▶", labels.play]]) {
    video.addEventListener(event, () => {
      play.textContent = text;
      play.setAttribute("aria-label", name);
      play.title = name;
    });
  }
  const steps = { ArrowLeft: -1, ",": -1, ArrowRight: 1, ".": 1 };
  document.addEventListener("keydown", (event) => {
    const busy = event.target.closest("input, textarea, select, button, a, [contenteditable]");
    if ((busy && busy !== slider) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in steps) go(at + steps[event.key]);
    else if (event.key === " ") toggle();
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(many - 1);
    else return;
    event.preventDefault();
  });
  const buttons = make("div", "buttons", button("◀", () => go(at - 1), labels.before), play, button("▶▏", () => go(at + 1), labels.after));
  if (first !== null) buttons.append(button(labels["to-touch"], () => go(nearest(first))));
  show(0);
  return make("div", "stepper", video, said, slider, buttons, make("p", "calm keys", labels.keys));
}
