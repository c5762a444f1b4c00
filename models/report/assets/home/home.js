"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const runs = [...document.querySelectorAll(".run")];
  const finding = byId("finding");
  const compare = byId("compare");
  if (finding) {
    const texts = runs.map((run) => [...run.querySelectorAll(".which, .numbers-of tbody th, .since > p")].map((part) => part.textContent).join(" ").toLowerCase() + " " + run.dataset.set.toLowerCase());
    const apply = () => {
      const words = byId("find").value.toLowerCase().split(/\s+/).filter(Boolean);
      const set = byId("find-set").value;
      const tag = byId("find-tag") ? byId("find-tag").value : "";
      let shown = 0;
      runs.forEach((run, place) => {
        run.hidden = !(words.every((word) => texts[place].includes(word)) && (!set || run.dataset.set === set) && (!tag || run.dataset.tags.split("\n").includes(tag)));
        shown += !run.hidden;
      });
      for (const part of document.querySelectorAll(".set")) part.hidden = !part.querySelector(".run:not([hidden])");
      byId("found").textContent = (shown === runs.length ? "" : shown + " of ") + runs.length + (runs.length === 1 ? " run" : " runs");
    };
    finding.hidden = false;
    finding.addEventListener("input", apply);
    finding.addEventListener("submit", (event) => event.preventDefault());
    apply();
  }
  if (compare) {
    const picks = [...document.querySelectorAll(".pick")];
    const count = () => {
      const chosen = picks.filter((pick) => pick.checked).length;
      compare.disabled = chosen !== 2;
      for (const pick of picks) pick.disabled = chosen === 2 && !pick.checked;
    };
    for (const pick of picks) pick.addEventListener("change", count);
    count();
  }
  for (const select of document.querySelectorAll("form.auto select, form.auto input")) select.addEventListener("change", () => select.form.requestSubmit());
  // What scrolls sideways can be scrolled by the keyboard.
  const reach = () => { for (const part of document.querySelectorAll(".scroll")) { if (part.scrollWidth > part.clientWidth) part.tabIndex = 0; else part.removeAttribute("tabindex"); } };
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
  reach();
  document.addEventListener("keydown", (event) => {
    const search = byId("find");
    if (event.key === "/" && search && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) { event.preventDefault(); search.focus(); }
  });
})();
