// Logging in.

import { post } from "./call.js";

const form = document.querySelector("form");
const trouble = document.querySelector("#trouble");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, password } = form.elements;
  const reply = await post(location.pathname + location.search, { name: name.value, password: password.value });
  if (reply?.status === 204) {
    location.assign(document.body.dataset.next);
    return;
  }
  trouble.textContent = reply ? await reply.text() : document.body.dataset.lost;
  trouble.hidden = false;
  password.value = "";
  password.focus();
});
