// Logging in.

import { post } from "./call.js";

const form = document.querySelector("form");
const trouble = document.querySelector("#trouble");

form.noValidate = true; // a browser would ask in its own language, and not in the page's

function say(text) {
  trouble.textContent = text;
  trouble.hidden = false;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, password } = form.elements;
  const empty = [name, password].find((field) => !field.value);
  if (empty) {
    say(`${empty.closest("label").textContent.trim()} ?`);
    empty.focus();
    return;
  }
  const reply = await post(location.pathname + location.search, { name: name.value, password: password.value });
  if (reply?.status === 204) {
    location.assign(document.body.dataset.next);
    return;
  }
  say(reply ? await reply.text() : document.body.dataset.lost);
  password.value = "";
  password.focus();
});
