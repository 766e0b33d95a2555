// What one says in the game: the buttons, on the operator's page and on a player's own.

import { labels, make } from "./page.js";

/** A button; one that cannot be undone asks once more. */
export function sureButton(text, what, { sure = false, className = "" } = {}) {
  const made = make("button", className, text);
  made.type = "button";
  let armed = false;
  made.addEventListener("click", () => {
    if (sure && !armed) {
      armed = true;
      made.classList.add("armed");
      made.textContent = `${text} – ${labels.sure}`;
      setTimeout(() => {
        armed = false;
        made.classList.remove("armed");
        made.textContent = text;
      }, 4000);
      return;
    }
    what();
  });
  return made;
}

/** One offer as buttons, or as a list where there are many choices; `say` is given the choice (or none). */
export function offer(offered, say) {
  const { text, sure, choices, list } = offered;
  if (!choices.length) return [sureButton(text, () => say(), { sure })];
  if (!list) return choices.map((choice) => sureButton(choice.text, () => say(choice.value), { sure }));
  const select = make("select", "");
  select.setAttribute("aria-label", text);
  select.append(
    ...choices.map(({ value, text: shown }) => {
      const option = make("option", "", shown);
      option.value = value;
      return option;
    }),
  );
  return [make("label", "", text), select, sureButton(labels.say, () => say(select.value), { sure })];
}
