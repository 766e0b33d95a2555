// Requests that change something: as JSON, with the token of this page's cookie.

/** Sends a word; the answer is a Response, or null where the referee could not be reached. */
export async function post(path, word) {
  try {
    return await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Referee-Token": document.body.dataset.token },
      body: JSON.stringify(word),
    });
  } catch {
    return null;
  }
}

const out = document.querySelector("#logout");
if (out) {
  out.hidden = !document.body.dataset.role;
  out.addEventListener("click", async () => {
    await post("/logout", {});
    location.assign("/login");
  });
}
