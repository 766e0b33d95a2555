// What the review pages share: reading from the referee, saying what went wrong, drawing lines.
//
// Everything that comes from a game (names above all) is put in as text and never as markup.

import "./call.js";
import { find, labels, make } from "./page.js";

const { language, board } = document.body.dataset;

find("#to-board").hidden = !board;

export function trouble(text) {
  const place = find("#trouble");
  place.textContent = text;
  place.hidden = !text;
}

/** What the referee answers to a question; null where it does not, and then the page says why. */
export async function read(path, query = {}) {
  const asked = new URLSearchParams({ ...query, lang: language });
  try {
    const reply = await fetch(`${path}?${asked}`);
    if (reply.status === 401) {
      location.assign(`/login?next=${encodeURIComponent(location.pathname)}`);
      return null;
    }
    if (reply.ok) {
      trouble("");
      return await reply.json();
    }
    trouble(await reply.text());
  } catch {
    trouble(labels.failed);
  }
  return null;
}

export const inLanguage = (path) => `${path}?lang=${language}`;

/** A link to one of our own pages. */
export function link(path, ...content) {
  const made = make("a", "", ...content);
  made.href = inLanguage(path);
  return made;
}

export const exact = (t_us) => {
  const said = `${(t_us / 1e6).toFixed(4)} s`;
  return language === "fr" ? said.replace(".", ",") : said;
};

/** What stands behind a ruling: overturned, upheld, under appeal, bookmarked. */
export const marks = (words) => words.map((word) => make("strong", "mark", word));
