// Uphold or overturn: what happened in truth, what that changes, and only then that it is so.

import { post } from "./call.js";
import { labels, make } from "./page.js";
import { inLanguage } from "./review.js";

function button(text, what, quiet = false) {
  const made = make("button", quiet ? "quiet" : "", text);
  made.type = "button";
  made.addEventListener("click", what);
  return made;
}

function options(values, current = "") {
  return values.map((value) => {
    const option = make("option", "", value);
    option.value = value;
    option.selected = value === current;
    return option;
  });
}

function select(values, current, name) {
  const made = make("select", "", ...options(values, current));
  made.setAttribute("aria-label", name);
  return made;
}

/** What may be said of the event, each with how it is read off the form. */
function answers(choices) {
  const found = [];
  const one = (key, values, text, current) => {
    if (!values.length) return;
    const list = select(values, current, text);
    found.push({ do: key, text, fields: [list], names: () => [list.value] });
  };
  one("first", choices.first, labels["who-first"]);
  if (choices.order.length) {
    const lists = choices.order.map((name, n) => select(choices.order, name, `${labels["which-order"]} ${n + 1}`));
    found.push({ do: "order", text: labels["which-order"], fields: lists, names: () => lists.map((list) => list.value) });
  }
  one("player", choices.players, labels.whose);
  one("card", choices.cards, labels["which-card"]);
  if (choices.choices.length) {
    const list = make("select", "", ...choices.choices.map(({ value, text }) => Object.assign(make("option", "", text), { value })));
    list.setAttribute("aria-label", labels["which-choice"]);
    found.push({ do: "choice", text: labels["which-choice"], fields: [list], names: () => [list.value] });
  }
  if (choices.shares.length) {
    const fields = choices.shares.map(({ player, count }) => {
      const number = Object.assign(make("input", ""), { type: "number", min: 0, max: 1000, value: count });
      number.setAttribute("aria-label", `${labels["which-shares"]}: ${player}`);
      return make("label", "share", make("bdi", "", player), " ", number);
    });
    const counts = () => fields.map((field) => Number(field.querySelector("input").value));
    found.push({ do: "share", text: labels["which-shares"], fields, names: () => choices.shares.map(({ player }) => player), counts });
  }
  found.push({ do: "never", text: labels.never, fields: [], names: () => [] });
  return found;
}

function changes(found) {
  const list = (title, items) =>
    items.length
      ? [
          make("h3", "", title),
          make("ul", "", ...items.map((item) => make("li", "", make("time", "", item.time), " ", item.text, item.margin ? ` (${item.margin})` : ""))),
        ]
      : [];
  const counts = found.changes.map(({ what, before, after }) =>
    make("tr", "", make("th", "", make("bdi", "", what)), make("td", "", before), make("td", "", "→"), make("td", "", after)),
  );
  const parts = [...list(labels.void, found.void), ...list(labels.instead, found.new)];
  if (counts.length) parts.push(make("h3", "", labels.changes), make("table", "", make("tbody", "", ...counts)));
  if (!parts.length) parts.push(make("p", "calm", labels.nothing));
  if (found.owed) parts.push(make("p", "margin", labels.owed));
  return parts;
}

/** The form for whoever may decide; `done` is called when something was kept (or is on its way), `say` says how it went. */
export function decide(shown, base, say, done) {
  const reason = make("textarea", "");
  Object.assign(reason, { name: "reason", maxLength: 500, required: true, rows: 2 });
  const difference = make("div", "difference");
  const form = make("div", "answers");
  form.hidden = true;

  async function send(what, word) {
    const reply = await post(inLanguage(`${base}/${what}`), word);
    if (reply?.ok) return reply;
    say(reply ? await reply.text() : labels.failed);
    return null;
  }

  const hasReason = () => {
    if (reason.value.trim()) return true;
    reason.focus();
    say(`${labels.reason} ?`);
    return false;
  };

  async function preview() {
    const chosen = form.querySelector("input:checked")?.answer;
    if (!chosen || !hasReason()) return;
    const word = { do: chosen.do, names: chosen.names(), counts: chosen.counts?.() ?? [], ref: chosen.ref, reason: reason.value };
    const reply = await send("preview", word);
    if (!reply) return;
    const found = await reply.json();
    const buttons = make("div", "buttons", button(labels.cancel, () => difference.replaceChildren(), true));
    const confirm = button(labels.confirm, async () => {
      const kept = await send("overturn", { ...word, digest: found.digest });
      if (!kept) return;
      difference.replaceChildren();
      const onItsWay = kept.status === 202;
      say(onItsWay ? labels["on-its-way"] : labels.kept);
      await done(onItsWay);
    });
    confirm.className = "armed";
    if (found.void.length || found.new.length) buttons.prepend(confirm);
    difference.replaceChildren(...changes(found), buttons);
    difference.scrollIntoView({ block: "nearest" });
  }

  const offered = [shown.choices, ...shown["other-choices"]].filter(Boolean);
  const ways = make("div", "ways");
  function offer(choices) {
    const made = answers(choices).map((answer, n) => {
      const radio = make("input", "");
      Object.assign(radio, { type: "radio", name: "do", checked: n === 0 });
      radio.answer = { ...answer, ref: choices.ref };
      for (const field of answer.fields) {
        field.addEventListener("change", () => (radio.checked = true));
      }
      return make("div", "way", make("label", "", radio, " ", answer.text), ...answer.fields);
    });
    ways.replaceChildren(...made);
    difference.replaceChildren();
  }
  if (offered.length) {
    if (offered.length > 1) {
      const which = make("select", "events", ...offered.map(({ event }, n) => Object.assign(make("option", "", event), { value: n })));
      which.addEventListener("change", () => offer(offered[which.value]));
      form.append(make("label", "which", labels["which-event"], which));
    } else form.append(make("p", "said", offered[0].event));
    offer(offered[0]);
    form.append(make("h3", "", labels.what), ways, button(labels.show, preview));
  }
  const uphold = button(labels.uphold, async () => {
    if (hasReason() && (await send("uphold", { reason: reason.value }))) {
      say(labels.kept);
      await done(false);
    }
  });
  const open = button(labels.overturn, () => (form.hidden = !form.hidden), true);
  open.disabled = !offered.length;
  return [
    make("p", "clear", labels.clear),
    make("label", "reason", labels.reason, reason),
    make("div", "buttons", uphold, open),
    form,
    difference,
  ];
}

/** Appeals and the bookmark, for whoever runs the game. */
export function beside(shown, base, say, done) {
  const made = [];
  const send = async (what, word) => {
    const reply = await post(inLanguage(`${base}/${what}`), word);
    say(reply?.ok ? labels.kept : reply ? await reply.text() : labels.failed);
    if (reply?.ok) await done();
  };
  if (shown.may.bookmark) {
    const text = shown.bookmarked ? labels.unbookmark : labels.bookmark;
    made.push(button(text, () => send("bookmark", { on: !shown.bookmarked }), true));
  }
  if (shown.may.appeal) {
    for (const { player, left } of shown.appealable) {
      const text = `${labels.appeal}: ${player} (${left})`;
      made.push(button(text, () => send("appeal", { player }), true));
    }
  }
  return made.length ? [make("div", "buttons", ...made)] : [];
}
