// A player's own page: what they may say, and their secret. Everything is judged by the referee.

import { post } from "./call.js";
import { fill, find, follow, head, labels, make, ruling } from "./page.js";
import { offer, sureButton } from "./say.js";

const answer = find("#answer");

function tell(text) {
  answer.textContent = text;
  answer.hidden = false;
  clearTimeout(tell.timer);
  tell.timer = setTimeout(() => (answer.hidden = true), 4000);
}

async function said(reply) {
  if (!reply) return labels.failed;
  if (reply.status === 202 || reply.status === 204) return labels.done;
  if (reply.status === 409) return labels.late;
  if ([401, 403, 404, 429].includes(reply.status)) return reply.text();
  return labels.refused;
}

// ---- taking the seat: the token stands behind the # of the address, which no server and no other site is sent

async function join(token) {
  history.replaceState(null, "", location.pathname + location.search);
  const reply = await post(`/seat/join${location.search}`, { token });
  if (reply?.status === 204) {
    location.reload();
    return;
  }
  const trouble = find("#trouble");
  trouble.textContent = await said(reply);
  trouble.hidden = false;
}

// ---- the secret: asked for and told apart from everything else, and never kept here

let open = false;

function chooseCard({ value, text }) {
  return sureButton(text, async () => {
    const reply = await post("/seat/force", { card: value });
    open = false;
    if (reply?.status === 409) tell(labels["force-wrong"]);
    else if (reply?.status !== 204) tell(await said(reply));
    await showForce();
  });
}

async function showForce() {
  const place = find("#force");
  let hand = null;
  try {
    const reply = await fetch(`/seat/hand${location.search}`);
    if (reply.ok) hand = await reply.json();
  } catch {
    return; // the stream says that the referee cannot be reached
  }
  place.hidden = !hand || !(hand.mayChoose || hand.chosen || hand.laid);
  if (place.hidden) return;
  const text = hand.laid
    ? labels[hand.chosen ? "force-laid" : "force-late"]
    : labels[hand.chosen ? "force-chosen" : "force-choose"];
  fill(place.querySelector(".said"), text, (shown) => [shown]);
  // The cards are shown only when asked for: a neighbour may look over a shoulder.
  fill(place.querySelector(".cards"), [hand.cards, open], ([cards, shown]) => {
    if (!cards.length) return [];
    const toggle = sureButton(
      labels[shown ? "force-hide" : "force-show"],
      () => {
        open = !open;
        showForce();
      },
      { className: "quiet" },
    );
    return shown ? [make("div", "grid", ...cards.map(chooseCard)), toggle] : [toggle];
  });
}

function start() {
  find("#leave").hidden = false;
  find("#leave").addEventListener("click", async () => {
    await post("/seat/leave", {});
    location.reload();
  });
  follow((board) => {
    head({ ...board, mode: null, asking: false, health: [] });
    document.title = `${board.player} – ${board.game}`;
    find("#headline").classList.toggle("mine", board.turn);
    fill(find("#notices"), board.notices, (notices) => notices.map((text) => make("li", "", text)));
    find("#offers").hidden = board.offers.length === 0;
    fill(find("#offers .body"), board.offers, (offers) =>
      offers.map((one) =>
        make(
          "div",
          "buttons",
          ...offer(one, async (choice) => {
            tell(await said(await post("/seat/say", { call: one.call, ...(choice ? { choice } : {}) })));
          }),
        ),
      ),
    );
    find("#last").hidden = board.rulings.length === 0;
    fill(find("#rulings"), board.rulings, (rulings) => rulings.map(ruling));
    if (document.body.dataset.secret) showForce();
  });
}

const token = location.hash.slice(1);
if (token) join(token);
else if (document.body.dataset.player) start();
else find("#how").hidden = false;
