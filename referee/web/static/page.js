// What both pages share: the stream of snapshots, and putting words on the page.
//
// Everything that comes from the table (names above all) is put in as text and never as markup.

export const labels = JSON.parse(document.body.dataset.labels);

export const find = (selector) => document.querySelector(selector);

/** A new element with a class, holding text or other elements. */
export function make(tag, className, ...content) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...content);
  return element;
}

/** A new element of a drawing. */
export function draw(tag, attributes = {}, ...content) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

const shown = new Map();

/** Builds the content of a place anew, but only when what it shows has changed: typed numbers and focus stay. */
export function fill(place, value, build) {
  const text = JSON.stringify(value);
  if (shown.get(place) === text) return;
  shown.set(place, text);
  place.replaceChildren(...build(value));
}

/** One ruling: what was ruled, how close it was, and whether it still stands. */
export function ruling(said) {
  const item = make("li", `ruling ${said.kind}${said.overturned ? " overturned" : ""}`);
  item.append(make("time", "", said.time), make("span", "said", said.text));
  if (said.margin) item.append(make("span", "margin", said.margin));
  if (said.overturned) item.append(make("strong", "mark", said.overturned));
  return item;
}

/** What stands at the top of both pages. */
export function head(board) {
  fill(find("#game"), board.game, (game) => [game]);
  fill(find("#clock"), board.clock, (clock) => [clock]);
  fill(find("#facts"), board.facts, (facts) => facts.map((fact) => make("span", "", fact)));
  const mode = find("#mode");
  mode.hidden = board.mode === null;
  mode.classList.toggle("colour", Boolean(board.mode?.colour));
  fill(mode, board.mode, (value) => (value ? [value.text] : []));
  fill(find("#health"), board.health, (sources) =>
    sources.map((source) => make("li", source.state, make("b", "", source.name), " ", source.text)),
  );
  const headline = find("#headline");
  headline.classList.toggle("asking", board.asking);
  headline.classList.toggle("paused", board.paused);
  headline.dataset.length = board.headline.length > 20 ? "longest" : board.headline.length > 12 ? "long" : "short";
  fill(headline, board.headline, (text) => [text]);
}

function trouble(text) {
  const place = find("#trouble");
  place.textContent = text;
  place.hidden = !text;
}

/** Follows the table for as long as the page is open. */
export function follow(show) {
  const patience = 7000; // a few beats of the stream
  let source = null;
  let last = 0;

  function connect() {
    if (source) source.close();
    last = Date.now();
    source = new EventSource(document.body.dataset.stream);
    source.addEventListener("board", (event) => {
      last = Date.now();
      show(JSON.parse(event.data));
    });
    source.addEventListener("beat", (event) => {
      last = Date.now();
      trouble(JSON.parse(event.data).silent ? labels.silent : "");
    });
    source.addEventListener("error", () => trouble(labels.lost));
  }

  connect();
  // The browser connects again by itself after a break, but gives up for good when it is refused once.
  setInterval(() => {
    if (Date.now() - last > patience) {
      trouble(labels.lost);
      connect();
    }
  }, 1000);
}
