// The operator's page: what a person decides. It sends what was tapped; whether it can be is judged by the referee.

import { post } from "./call.js";
import { fill, find, follow, head, labels, make, ruling } from "./page.js";
import { offer, sureButton } from "./say.js";
import { showSeats } from "./seats.js";

async function send(command) {
  const answer = find("#answer");
  const reply = await post("/operator/command", command);
  let text = labels.refused;
  if (!reply) text = labels.failed;
  else if (reply.status === 202) text = labels.done;
  else if (reply.status === 409) text = labels.late;
  else if (reply.status === 401 || reply.status === 403) text = await reply.text();
  answer.textContent = text;
  answer.hidden = false;
  clearTimeout(send.timer);
  send.timer = setTimeout(() => (answer.hidden = true), 4000);
}

const button = (text, command, how) =>
  sureButton(text, () => send(typeof command === "function" ? command() : command), how);

function numberField(name, value) {
  const input = make("input", "");
  input.type = "number";
  input.min = "0";
  input.max = "1000";
  input.step = "1";
  input.inputMode = "numeric";
  input.value = String(value);
  input.dataset.name = name;
  return make("label", "number", make("bdi", "", name), input);
}

function markField(name) {
  const input = make("input", "");
  input.type = "checkbox";
  input.dataset.name = name;
  return make("label", "mark", input, make("bdi", "", name));
}

const marked = (place) => [...place.querySelectorAll("input:checked")].map((input) => input.dataset.name);

const numbers = (place) =>
  Object.fromEntries([...place.querySelectorAll("input")].map((input) => [input.dataset.name, Number(input.value)]));

/** Buttons for a few choices, a list for many (cards); `how` is the kind of button. */
function choose(asked, command, how = {}) {
  if (!asked.list) {
    return make("div", "buttons", ...asked.choices.map(({ value, text }) => button(text, () => command(value), how)));
  }
  const list = make("select", "");
  list.setAttribute("aria-label", labels.which);
  list.append(
    ...asked.choices.map(({ value, text }) => {
      const option = make("option", "", text);
      option.value = value;
      return option;
    }),
  );
  return make("div", "buttons", list, button(labels.set, () => command(list.value), how));
}

function question(asked) {
  if (!asked) return [make("p", "calm", labels.calm)];
  const parts = [make("p", "said", asked.text)];
  if (asked.margin) parts.push(make("p", "margin", asked.margin));
  if (asked.do === "share") {
    const fields = make("div", "numbers", ...asked.losers.map((name) => numberField(name, 0)));
    const left = make("p", "left");
    const ready = button(labels.share, () => ({ do: "share", question: asked.id, shares: numbers(fields) }));
    const count = () => {
      const given = Object.values(numbers(fields)).reduce((sum, number) => sum + number, 0);
      left.textContent = `${asked.cards - given} ${labels.left}`;
      ready.disabled = given !== asked.cards;
    };
    fields.addEventListener("input", count);
    count();
    return [...parts, fields, left, make("div", "buttons", ready)];
  }
  const key = asked.do === "choose" ? "choice" : "answer";
  // Marked first: the tap on whose hand was first sends it all.
  const marks = asked.too?.names.length ? make("div", "marks", ...asked.too.names.map(markField)) : null;
  if (marks) parts.push(make("p", "ask", asked.too.text), marks);
  const buttons = choose(asked, (value) => {
    const others = marks ? marked(marks) : [];
    return { do: asked.do, question: asked.id, [key]: value, ...(others.length ? { others } : {}) };
  });
  if (asked.never) {
    buttons.append(
      button(asked.never, { do: asked.do, question: asked.id, [key]: null }, { sure: true, className: "quiet" }),
    );
  }
  return [...parts, buttons];
}

function correct(last) {
  if (!last) return [];
  const how = { sure: true, className: "quiet" };
  const command = (choice) => ({ do: "correct", ref: last.ref, choice });
  const parts = [make("p", "said", last.text)];
  if (last.choices.length) parts.push(make("p", "ask", last.asks), choose(last, command, how));
  const never = button(last.never, command(null), how);
  parts.push(make("div", "buttons", never));
  return parts;
}

function calls(offers) {
  return offers.map((one) => {
    const say = (choice) => send({ do: "say", player: one.player, call: one.call, ...(choice ? { choice } : {}) });
    return make("div", "buttons", make("bdi", "who", one.player), ...offer(one, say));
  });
}

function controls(may) {
  const buttons = [];
  if (may.start) buttons.push(button(labels.start, { do: "start" }));
  if (may.pause) buttons.push(button(labels.pause, { do: "pause" }));
  if (may.resume) buttons.push(button(labels.resume, { do: "resume" }));
  if (may.end) buttons.push(button(labels.end, { do: "end" }, { sure: true, className: "quiet" }));
  return [make("div", "buttons", ...buttons)];
}

function recount(piles) {
  return piles.map(({ pile, text, counts }) => {
    const fields = make("div", "numbers", ...counts.map(({ name, count }) => numberField(name, count)));
    const ready = button(labels.set, () => {
      // Only what was changed was counted.
      const before = Object.fromEntries(counts.map(({ name, count }) => [name, count]));
      const changed = Object.entries(numbers(fields)).filter(([name, count]) => before[name] !== count);
      return { do: "recount", pile, counts: Object.fromEntries(changed) };
    });
    return make("details", "", make("summary", "", text), fields, make("div", "buttons", ready));
  });
}

follow((board) => {
  head(board);
  document.title = `${labels.operator} – ${board.game}`;
  const body = (id) => find(`#${id} .body`);
  find("#question").classList.toggle("asking", Boolean(board.question));
  fill(body("question"), board.question, question);
  fill(find("#notices"), board.notices, (notices) => notices.map((text) => make("li", "", text)));
  find("#calls").hidden = board.offers.length === 0;
  fill(body("calls"), board.offers, calls);
  fill(body("controls"), board.may, controls);
  find("#correct").hidden = !board.correct;
  fill(body("correct"), board.correct, correct);
  find("#recount").hidden = board.recount.length === 0;
  fill(body("recount"), board.recount, recount);
  fill(find("#rulings"), board.rulings, (rulings) =>
    rulings.length ? rulings.map(ruling) : [make("li", "calm", labels.none)],
  );
});

showSeats();
