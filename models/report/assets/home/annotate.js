"use strict";
(() => {
  const page = document.querySelector(".scoring");
  if (!page) return;
  const fields = [...page.querySelectorAll("fieldset")];
  const saved = document.getElementById("saved");
  const done = document.getElementById("done");
  let current = 0;
  const choose = (place) => {
    current = Math.min(Math.max(place, 0), fields.length - 1);
    fields.forEach((field, n) => field.classList.toggle("current", n === current));
    fields[current].scrollIntoView({ block: "nearest" });
  };
  const words = [...page.querySelectorAll("textarea")];
  const open = () => fields.findIndex((field) => !field.querySelector("input:checked"));
  // Scores are sent one after another, so that of two for one aspect the later counts; one that could not be sent is
  // sent again until the server has it, unless another has taken its place.
  const waiting = new Map();
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  let queue = Promise.resolve();
  const post = async (aspect, score) => {
    while (waiting.get(aspect) === score) {
      try {
        const body = new URLSearchParams({ form_key: page.dataset.formKey, run: page.dataset.run, item: page.dataset.item, aspect, score });
        const reply = await fetch("score", { method: "POST", keepalive: true, body, headers: { accept: "application/json" } });
        if (reply.status >= 400 && reply.status < 500) {
          if (waiting.get(aspect) === score) waiting.delete(aspect);
          saved.textContent = "Not saved: " + await reply.text();
          saved.classList.add("failed");
          return;
        }
        if (!reply.ok) throw new Error(await reply.text());
        const said = await reply.json();
        if (waiting.get(aspect) === score) waiting.delete(aspect);
        page.querySelector("progress").value = said.done;
        done.textContent = said.done + " of " + said.of + " done";
        if (!waiting.size) { saved.textContent = "Saved."; saved.classList.remove("failed"); }
      } catch (error) {
        saved.textContent = "Not saved yet: the server does not answer. It is tried again.";
        saved.classList.add("failed");
        await pause(2000);
      }
    }
  };
  const send = (aspect, score) => {
    waiting.set(aspect, score);
    saved.textContent = "Saving …";
    queue = queue.then(() => post(aspect, score));
  };
  addEventListener("beforeunload", (event) => { if (waiting.size) event.preventDefault(); });
  fields.forEach((field, place) => {
    field.addEventListener("change", (event) => { choose(place); send(field.dataset.aspect, event.target.value); });
    field.addEventListener("focusin", () => choose(place));
  });
  for (const field of words) {
    let pausing = 0;
    const save = () => { clearTimeout(pausing); send(field.dataset.aspect, field.value); };
    field.addEventListener("input", () => { clearTimeout(pausing); pausing = setTimeout(save, 600); });
    field.addEventListener("change", save);
  }
  // Who goes on goes once everything is saved.
  for (const link of page.querySelectorAll(".steps a")) {
    link.addEventListener("click", (event) => { if (waiting.size) { event.preventDefault(); queue.then(() => link.click()); } });
  }
  const go = (id) => { const link = document.getElementById(id); if (link) link.click(); };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || words.includes(event.target)) return;
    const inField = /^(TEXTAREA|SELECT|SUMMARY|A|BUTTON)$/.test(document.activeElement.tagName);
    if (/^[1-5]$/.test(event.key)) {
      event.preventDefault();
      const radio = fields[current].querySelector("input[value='" + event.key + "']");
      if (!radio) return;
      radio.checked = true;
      send(fields[current].dataset.aspect, radio.value);
      const next = open();
      choose(current + 1 < fields.length ? current + 1 : next < 0 ? current : next);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(current + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && !inField) { event.preventDefault(); go("after"); }
  });
  // On a phone the scores stand below the answer, not below all claims.
  const claims = page.querySelector(".claims");
  if (claims && matchMedia("(max-width: 61rem)").matches) claims.open = false;
  choose(Math.max(open(), 0));
})();
