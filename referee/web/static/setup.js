// The set-up page: it shows how far the set-up is and sends what is asked for; whether it can be is judged elsewhere.

import { post } from "./call.js";
import { fill, find, labels, make } from "./page.js";
import { panels } from "./setup_panels.js";
import { over } from "./setup_table.js";

const STATE_EVERY = 350;
const PICTURE_EVERY = 150;
const language = document.body.dataset.language;
let shown = null; // the step that is open
let waiting = 0; // the number of the order whose answer is still to come

function say(text, kind) {
  const place = find("#answer");
  place.textContent = text;
  place.className = kind;
  place.hidden = !text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => (place.hidden = true), kind === "no" ? 9000 : 4000);
}

/** Sends an order; its answer comes with the state. */
export async function send(order) {
  const reply = await post(`/setup/order?lang=${language}`, order);
  if (!reply) say(labels.failed, "no");
  else if (reply.status === 202) waiting = (await reply.json()).order;
  else say(await reply.text(), "no");
}

function answer({ order, ok, text }) {
  if (!waiting || order < waiting) return;
  waiting = 0;
  if (text) say(text, ok ? "good" : "no");
}

function stepRow(step, open) {
  const row = make("button", `step ${step.state.replace(" ", "-")}`);
  row.type = "button";
  if (step.name === open) row.setAttribute("aria-current", "step");
  row.append(make("b", "", labels[`step-${step.name}`]), make("span", "state", labels[`state-${step.state}`]));
  if (step.why) row.append(make("span", "why", step.why));
  row.addEventListener("click", () => send({ do: "open", step: step.name }));
  return make("li", "", row);
}

function finish(state) {
  const row = make("button", "quiet finish", labels.finish);
  row.type = "button";
  row.addEventListener("click", () => send({ do: "finish" }));
  return make("li", "", state.finished ? make("p", "said", labels.finished) : row);
}

function health(camera) {
  const text = camera.live ? labels[camera.freshness] : labels.recording;
  const size = camera.size ? ` ${camera.size[0]}×${camera.size[1]}` : "";
  const rate = camera.fps ? `, ${camera.fps} fps` : "";
  return [make("li", camera.freshness, make("b", "", labels["the-camera"]), ` ${text}${size}${rate}`)];
}

/** Each block of a step has a place of its own, so that what is typed in one stays when another changes. */
function blocks(place, made, name) {
  if (place.dataset.step !== name) {
    place.replaceChildren();
    place.dataset.step = name;
  }
  const wanted = new Set(made.map(({ id }) => id));
  for (const old of [...place.children]) if (!wanted.has(old.dataset.block)) old.remove();
  let before = null;
  for (const { id, value, build } of made) {
    let block = [...place.children].find((child) => child.dataset.block === id);
    if (!block) {
      block = make("div", "block");
      block.dataset.block = id;
    }
    if (block.previousElementSibling !== before || block.parentElement !== place) {
      if (before) before.after(block);
      else place.prepend(block);
    }
    before = block;
    fill(block, value, build);
  }
}

function show(state) {
  find("#profile").textContent = state.profile;
  fill(find("#health"), state.camera, health);
  const open = state.open === "cards" ? "deck" : state.open;
  fill(find("#steps ol"), [state.steps, open, state.finished], () => [
    ...state.steps.map((step) => stepRow(step, open)),
    finish(state),
  ]);
  if (shown !== open) {
    shown = open;
    find("#steps [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }
  const trouble = state.camera.problem && state.camera.freshness === "lost" ? labels["camera-lost"] : "";
  const place = find("#trouble");
  place.textContent = trouble ? `${trouble}: ${state.camera.problem}` : "";
  place.hidden = !trouble;
  find("#step-title").textContent = state.open ? labels[`step-${state.open}`] : labels["choose-step"];
  document.body.dataset.open = state.open ?? "";
  document.body.classList.toggle("busy", state.busy);
  const panel = panels[state.open];
  const said = state.said.filter(({ kind }) => kind !== "good").map(({ kind, text }) => ({ kind, text }));
  const last = {
    id: "said",
    value: [said, state.busy],
    build: () => [
      ...(state.busy ? [make("p", "calm", labels.busy)] : []),
      ...(state.open ? [] : said.map(({ kind, text }) => make("p", kind, text))),
    ],
  };
  const made = panel ? panel(state.step, send) : [];
  blocks(find("#step .body"), [...made, last], state.open ?? "");
  over(find("#over"), state, send);
  answer(state.answer);
}

async function look() {
  try {
    const reply = await fetch(`/setup/state?lang=${language}`);
    if (reply.ok) {
      show(await reply.json());
    } else {
      find("#trouble").textContent = await reply.text();
      find("#trouble").hidden = false;
    }
  } catch {
    find("#trouble").textContent = labels.lost;
    find("#trouble").hidden = false;
  }
  setTimeout(look, document.hidden ? 4 * STATE_EVERY : STATE_EVERY);
}

function watch() {
  const picture = find("#picture");
  const view = find("#eye .view");
  const none = find("#eye .calm");
  let number = 0;
  const next = () => {
    if (document.hidden) setTimeout(next, 1000);
    else picture.src = `/setup/picture?n=${(number += 1)}`;
  };
  picture.addEventListener("load", () => {
    view.hidden = false;
    none.hidden = true;
    setTimeout(next, PICTURE_EVERY);
  });
  picture.addEventListener("error", () => setTimeout(next, 1000));
  next();
}

look();
watch();
