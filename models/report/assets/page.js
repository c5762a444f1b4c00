"use strict";
(() => {
  const index = JSON.parse(document.getElementById("index").textContent);
  const { systems, board, plotted, metrics, states, questions } = index;
  const list = document.getElementById("list");
  const filters = document.getElementById("filters");
  const found = document.getElementById("found");
  const more = document.getElementById("more");
  const field = (name) => document.getElementById("f-" + name);
  const BATCH = 60;
  const MOST_OPENED = 200;
  const ON_PAPER = 300;

  // Everything a run says enters the page as text nodes, never as markup.
  const el = (tag, attributes, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === undefined || value === null || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
    return node;
  };
  // A reason puts what two texts say between stars: "nugget says *lowers*, answer says *raises*".
  const quoted = (reason) => reason.split(/\*([^*]+)\*/).map((part, n) => (n % 2 ? el("em", { class: "said" }, part) : part));
  const icon = (name) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    use.setAttribute("href", "#i-" + name);
    svg.append(use);
    return svg;
  };
  const known = (state) => (Object.hasOwn(states, state) ? state : "non_claim");
  const word = (state) => (Object.hasOwn(states, state) ? states[state][0] : state || "not scored");
  const chip = (state, tag = "span", attributes = {}) =>
    el(tag, { class: "chip " + known(state), "data-tip": Object.hasOwn(states, state) ? states[state][1] : null, ...attributes }, icon(known(state)), word(state));
  // Odd eighths lie half-way between two digits; they go to the even one, as everywhere else in the report.
  const halfway = (value) => Math.abs(value * 8) % 2 === 1;
  const two = (value) => (typeof value === "number" ? (halfway(value) ? Math.round(value * 50) / 50 : value).toFixed(2) : "–");
  const web = (url) => (/^https?:\/\//i.test(url || "") ? url : null);
  const isolated = (text) => el("bdi", {}, text);
  const byId = (id) => document.getElementById(id);
  const quiet = (label) => (label === label.toUpperCase() ? label.toLowerCase() : label);
  const count = (n, one, many) => n + " " + (n === 1 ? one : many || one + "s");

  // ---- the list ------------------------------------------------------------------------------
  const haystacks = new Map();
  // What a question's data say, without the names of their fields and JSON's signs.
  const texts = (value) => {
    if (typeof value === "string") return value;
    return value && typeof value === "object" ? Object.values(value).map(texts).join("\n") : "";
  };
  const haystack = (number) => {
    if (!haystacks.has(number)) {
      const block = byId("d" + number);
      const q = questions[number];
      haystacks.set(number, (q.id + " " + q.question + " " + q.category + " " + (block ? texts(JSON.parse(block.textContent)) : "")).toLowerCase());
    }
    return haystacks.get(number);
  };
  const cites = (...wanted) => (s) => wanted.some((state) => s.cites[state] > 0);
  const CITATIONS = ["supports", "partial", "neutral", "contradicts", "not_found", "untraceable", "unverifiable"];
  const TESTS = {
    covered: (s) => s.covered > 0,
    half: (s) => s.partial > 0,
    contradicted: (s) => s.contradicted > 0,
    missing: (s) => s.missing > 0,
    bad: cites("contradicts", "not_found", "untraceable"),
    ...Object.fromEntries(CITATIONS.map((state) => [state, cites(state)])),
    uncited: (s) => s.uncited > 0,
    silent: (s) => ["empty", "refused", "not_answered"].includes(s.state),
    unjudged: (s) => s.unjudged,
  };
  let shown = [];
  // Two systems held against each other on one metric, and which outcome, where a comparison was chosen.
  let pair = null;
  const lowerIsBetter = (metric) => /lower is better/i.test(metrics[metric][1]);
  const gap = (number) => {
    const place = board.indexOf(pair.metric);
    const [a, b] = [pair.a, pair.b].map((i) => questions[number].systems[i].scores[place]);
    return typeof a === "number" && typeof b === "number" ? a - b : null;
  };
  const outcome = (number) => {
    const won = lowerIsBetter(pair.metric) ? -gap(number) : gap(number);
    const margin = index.tie * (metrics[pair.metric][2] ? 100 : 1) + 1e-9;
    return Math.abs(won) <= margin ? "tied" : won > 0 ? "won" : "lost";
  };
  const OUTCOMES = { won: (a, b) => a + " is better", tied: () => "tied", lost: (a, b) => b + " is better" };
  const pairWords = () => {
    const [a, b] = [systems[pair.a], systems[pair.b]];
    return " on " + metrics[pair.metric][0].toLowerCase() + ", " + a + " against " + b + (pair.outcome ? ": " + OUTCOMES[pair.outcome](a, b) : "");
  };
  const signed = (value) => (value > 0 ? "+" : value < 0 ? "−" : "") + two(Math.abs(value));

  const summaryOf = (number) => {
    const q = questions[number];
    const metric = pair ? pair.metric : field("sort").value || board[0];
    const place = board.indexOf(metric);
    const chosen = field("system").value;
    const mini = el("span", { class: "mini" });
    q.systems.forEach((s, i) => {
      if (pair ? i !== pair.a && i !== pair.b : chosen !== "" ? String(i) !== chosen : i >= (systems.length > 6 ? 4 : 6)) return;
      const value = s.scores[place];
      const silent = TESTS.silent(s) ? s.state.replace("_", " ") : "";
      mini.append(el("span", { "data-tip": systems[i] + ", " + metrics[metric][0].toLowerCase() + (silent ? ": " + silent : "") }, el("em", {}, systems[i]), el("b", {}, two(value))));
    });
    if (pair) mini.append(el("span", {}, el("em", {}, "difference"), el("b", {}, signed(gap(number)))));
    const tags = [q.id, q.category, q.risk ? q.risk + " risk" : ""].filter(Boolean).join(" · ");
    return el("summary", {}, el("span", {}, el("bdi", { class: "qt" }, q.question), el("span", { class: "tags" }, tags)), mini);
  };
  const item = (number) => {
    const details = el("details", { class: "q", id: "q" + number, ontoggle: () => details.open && fill(details, number) }, summaryOf(number));
    return details;
  };
  const draw = (upto) => {
    const drawn = list.childElementCount;
    list.append(...shown.slice(drawn, upto).map(item));
    const left = shown.length - list.childElementCount;
    more.hidden = left <= 0;
    more.textContent = left > BATCH ? BATCH + " more of " + left : count(left, "more question");
  };
  const apply = () => {
    const words = field("text").value.toLowerCase().split(/\s+/).filter(Boolean);
    const system = field("system").value;
    const test = TESTS[field("show").value];
    const category = field("category").value;
    const risk = field("risk").value;
    const metric = board.indexOf(field("sort").value);
    shown = questions.map((_, number) => number).filter((number) => {
      const q = questions[number];
      const chosen = pair ? [q.systems[pair.a], q.systems[pair.b]] : system === "" ? q.systems : [q.systems[Number(system)]];
      if (pair && (gap(number) === null || (pair.outcome && outcome(number) !== pair.outcome))) return false;
      return (!category || q.category === category) && (!risk || q.risk === risk) && (!test || chosen.some(test)) &&
        words.every((w) => haystack(number).includes(w));
    });
    if (pair) shown.sort((a, b) => Math.abs(gap(b)) - Math.abs(gap(a)) || a - b);
    else if (metric >= 0) {
      const worst = (number) => {
        const q = questions[number];
        const values = (system === "" ? q.systems : [q.systems[Number(system)]]).map((s) => s.scores[metric]).filter((v) => typeof v === "number");
        return values.length ? (lowerIsBetter(board[metric]) ? -Math.max(...values) : Math.min(...values)) : Infinity;
      };
      shown.sort((a, b) => worst(a) - worst(b) || a - b);
    }
    list.replaceChildren();
    draw(BATCH);
    const filtered = words.length || system || test || category || risk || metric >= 0 || pair;
    found.replaceChildren(
      shown.length === questions.length ? count(shown.length, "question") : shown.length + " of " + count(questions.length, "question"),
      pair ? el("span", { class: "pair" }, pairWords()) : "",
      filtered ? el("button", { type: "button", onclick: reset }, "clear the filters") : "",
      el("button", { type: "button", onclick: () => openAll(true) }, "open all"),
      el("button", { type: "button", onclick: () => openAll(false) }, "close all"),
    );
  };
  const clear = () => { filters.reset(); pair = null; };
  const reset = () => { clear(); apply(); field("text").focus(); };
  const openAll = (open) => {
    draw(Math.min(shown.length, MOST_OPENED));
    for (const node of list.children) node.open = open;
  };
  const reveal = (number, system) => {
    if (!byId("q" + number)) {
      if (!shown.includes(number)) { clear(); apply(); }
      draw(shown.indexOf(number) + 1);
    }
    const details = byId("q" + number);
    details.open = true;
    fill(details, number);
    if (system) {
      const tab = [...details.querySelectorAll("[role=tab]")].find((t) => t.dataset.system === system);
      if (tab) tab.click();
    }
    details.scrollIntoView();
    details.querySelector("summary").focus({ preventScroll: true });
  };

  // ---- one question --------------------------------------------------------------------------
  const fill = (details, number) => {
    if (details.querySelector(".body")) return;
    const block = byId("d" + number);
    if (!block) {
      details.append(el("div", { class: "body" }, el("p", { class: "empty" }, "The details of this question are not in this file; they are in the views of the results.")));
      return;
    }
    const data = JSON.parse(block.textContent);
    const body = el("div", { class: "body" });
    if (data.reference) body.append(el("h3", {}, "Reference answer"), el("p", { class: "prose quote", dir: "auto" }, data.reference));
    if (data.guidance) body.append(el("h3", {}, "Guidance for the judge"), el("p", { class: "prose quote", dir: "auto" }, data.guidance));
    for (const [name, label] of [["profile", "Profile"], ["messages", "Messages"], ["risk", "Risk level"]]) {
      if (data[name]) body.append(el("h3", {}, label), el("p", { class: "prose quote", dir: "auto" }, data[name]));
    }
    const panels = new Map();
    if ((data.nuggets || []).length) body.append(el("h3", {}, "Nuggets: the facts a good answer holds"), (data.answers || []).some((a) => a.talk) ? el("p", { class: "about" }, "As the last reply leaves them by itself; below stands what each turn does.") : "", data.nuggets.every((n) => n.origin === "made") ? el("p", { class: "about" }, "Made from the reference answer.") : "", nuggetTable(data, panels, "q" + number));
    const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Systems" });
    body.append(tabs);
    (data.answers || []).forEach((answer, i) => {
      const id = "q" + number + "p" + i;
      const panel = el("div", { class: "panel", role: "tabpanel", id, "aria-labelledby": id + "t", "data-system": answer.system, tabindex: "-1" });
      const tab = el("button", { type: "button", role: "tab", id: id + "t", "aria-controls": id, "data-system": answer.system }, answer.system);
      tab.addEventListener("click", () => select(i));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        const n = data.answers.length;
        select((i + step + n) % n);
        tabs.children[(i + step + n) % n].focus();
      });
      tabs.append(tab);
      body.append(panel);
      panels.set(answer.system, { panel, tab, answer, drawn: false });
    });
    const select = (chosen) => {
      [...panels.values()].forEach((entry, i) => {
        entry.tab.setAttribute("aria-selected", i === chosen);
        entry.tab.tabIndex = i === chosen ? 0 : -1;
        entry.panel.hidden = i !== chosen;
        if (i === chosen) drawPanel(entry, data);
      });
    };
    const preferred = field("system").value;
    const first = (data.answers || []).findIndex((answer) => answer.system === systems[Number(preferred)]);
    details.append(body);
    if ((data.answers || []).length) select(preferred !== "" && first >= 0 ? first : 0);
    else body.append(el("p", { class: "empty" }, "No system answered this question."));
    details.drawAll = () => [...panels.values()].forEach((entry) => drawPanel(entry, data));
  };
  const drawPanel = (entry, data) => {
    if (!entry.drawn) { entry.drawn = true; answerPanel(entry.panel, entry.answer, data); }
  };
  const showClaim = (panel, place) => light(panel.querySelectorAll(".claims > li")[place]);
  const light = (node) => {
    if (!node) return;
    node.closest(".q").querySelectorAll(".lit").forEach((other) => other.classList.remove("lit"));
    node.classList.add("lit");
    node.scrollIntoView({ block: "center" });
    node.focus({ preventScroll: true });
  };

  const nuggetTable = (data, panels, question) => {
    const head = el("tr", {}, el("th", { scope: "col" }, "Nugget"), data.answers ? data.answers.map((a) => el("th", { scope: "col" }, a.system)) : []);
    const rows = [];
    data.nuggets.forEach((nugget, n) => {
      let open = null;
      const row = el("tr", { id: question + "n" + n, tabindex: "-1" }, el("th", { scope: "row" }, nugget.text || "–", nugget.importance === "okay" ? el("span", { class: "okay" }, "  okay, not vital") : "", nugget.by ? el("span", { class: "okay term", tabindex: "0", "data-tip": nugget.was || "" }, "  edited by " + nugget.by) : ""));
      for (const answer of data.answers || []) {
        const state = (answer.nuggets || [])[n] || {};
        const cell = el("td", { "data-label": answer.system });
        if (!state.state) { cell.append("–"); row.append(cell); continue; }
        const button = chip(state.state, "button", { type: "button", "aria-expanded": "false" });
        button.addEventListener("click", () => {
          const same = open && open.button === button;
          if (open) { open.row.remove(); open.button.setAttribute("aria-expanded", "false"); open = null; }
          if (same) return;
          const why = el("td", { colspan: (data.answers || []).length + 1 }, el("p", {}, el("b", {}, answer.system + ": "), ...(state.reason ? quoted(state.reason) : [states[known(state.state)][1]])));
          for (const place of state.claims || []) {
            const claim = (answer.claims || [])[place] || {};
            const go = el("a", { href: "#" }, "show in the answer");
            go.addEventListener("click", (event) => {
              event.preventDefault();
              const entry = panels.get(answer.system);
              entry.tab.click();
              showClaim(entry.panel, place);
            });
            why.append(el("p", {}, "By the claim “", isolated(claimText(claim, answer)), "”, ", go, "."));
          }
          if (typeof state.score === "number") why.append(el("p", { class: "probs" }, "score " + two(state.score) + (typeof state.margin === "number" ? ", margin " + two(state.margin) : "") + (state.conflict ? "; also supported by another claim (conflict)" : "") + (state.ambiguous ? "; ambiguous: several nuggets are about as near" : "")));
          const reason = el("tr", { class: "reason" }, why);
          row.after(reason);
          button.setAttribute("aria-expanded", "true");
          open = { row: reason, button };
        });
        cell.append(button);
        row.append(cell);
      }
      rows.push(row);
    });
    return el("div", { class: "scroll" }, el("table", { class: "nuggets" }, el("thead", {}, head), el("tbody", {}, rows)));
  };

  const claimText = (claim, answer) => claim.text || (answer.text || "").slice(claim.start || 0, claim.end || 0);

  // A turn of a conversation: what the user said, the reply, and what was found of it.
  const turn = (one) => el("li", {},
    el("p", { class: "prose user", dir: "auto" }, one.asked || "–"),
    el("p", { class: "prose", dir: "auto" }, one.text || "–"),
    el("ul", { class: "marks" }, (one.marks || []).map((mark) => el("li", {}, chip(mark.state), " ", mark.says, mark.says && mark.words ? ": " : "", isolated(mark.words)))));

  const answerPanel = (panel, answer, data) => {
    const claims = answer.claims || [];
    const scores = answer.scores || {};
    const numbers = el("dl", { class: "numbers" });
    const talks = Object.keys(metrics).filter((name) => metrics[name][3] === "conversations" && typeof scores[name] === "number");
    for (const name of [...plotted, ...talks]) {
      if (!(name in scores)) continue;
      const missing = typeof scores[name] !== "number";
      numbers.append(el("div", { class: missing ? "gone" : null }, el("dt", {}, el("span", { class: "term", tabindex: "0", "data-tip": metrics[name][1] }, metrics[name][0])), el("dd", {}, missing ? "– " + scores[name] : two(scores[name]))));
    }
    if (numbers.childElementCount) panel.append(numbers);
    if (answer.text) panel.append(el("p", { class: "prose", dir: "auto" }, highlighted(answer, claims, panel)));
    else panel.append(el("p", { class: "empty" }, answer.state === "refused" ? "The system refused to answer." : "The system gave no answer."));
    if (answer.text && answer.state === "refused") panel.append(el("p", { class: "about" }, "Counted as a refusal."));

    if (answer.talk) panel.append(el("h3", {}, "The conversation, turn by turn"), el("ol", { class: "talk" }, answer.talk.map(turn)));
    if (index.judged) panel.append(el("h3", {}, "Judge"));
    if (index.judged && !(answer.judgements || []).length) panel.append(el("p", { class: "empty" }, typeof scores.rubric_score === "string" ? "No mark: " + scores.rubric_score : "No judge was asked."));
    for (const judgement of answer.judgements || []) panel.append(judged(judgement, panel.id, answer, data));
    if ((answer.instructions || []).length) panel.append(el("h3", {}, "Guidance kept"), el("ul", { class: "instructions" }, answer.instructions.map((one, n) => instruction(one, panel, n))));

    if (!claims.length) return;
    panel.append(el("h3", {}, "Claims and their citations"));
    panel.append(el("ol", { class: "claims" }, claims.map((claim, n) => claimItem(claim, answer, data, panel.id + "c" + n))));
  };

  const instruction = (one, panel, n) => {
    const links = (one.claims || []).flatMap((place) => [" ", el("a", { href: "#" + panel.id + "c" + place }, "show in the answer")]);
    return el("li", { id: panel.id + "g" + n, tabindex: "-1" }, el("b", {}, one.kept ? "Kept: " : "Not kept: "), one.forbids ? "Don’t " : "", isolated(one.words || ""), one.reason ? el("span", { class: "about" }, " (", ...quoted(one.reason), ")") : "", links);
  };

  const highlighted = (answer, claims, panel) => {
    const text = answer.text;
    const cuts = new Set([0, text.length]);
    claims.forEach((c) => { cuts.add(c.start || 0); cuts.add(c.end || 0); });
    const points = [...cuts].filter((p) => p >= 0 && p <= text.length).sort((a, b) => a - b);
    // Claims are taken up as they begin and let go as they end: an answer may have thousands.
    const from = (place) => claims[place].start || 0;
    const length = (place) => (claims[place].end || 0) - from(place);
    const begun = claims.map((_, place) => place).sort((x, y) => from(x) - from(y));
    let next = 0;
    let open = [];
    const nodes = [];
    let last = -1;
    for (let i = 0; i + 1 < points.length; i++) {
      const [a, b] = [points[i], points[i + 1]];
      while (next < begun.length && from(begun[next]) <= a) open.push(begun[next++]);
      open = open.filter((place) => (claims[place].end || 0) >= b);
      const owner = open.reduce((least, place) => (least < 0 || length(place) < length(least) ? place : least), -1);
      const piece = text.slice(a, b);
      if (owner < 0 || claims[owner].state === "non_claim") { nodes.push(piece); last = -1; continue; }
      const state = known(claims[owner].state);
      const node = el("mark", { class: state, role: "button", tabindex: owner === last ? "-1" : "0", "data-tip": word(claims[owner].state) + ". Choose it to see why." }, owner === last ? "" : icon(state), piece);
      const go = () => showClaim(panel, owner);
      node.addEventListener("click", go);
      node.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(); } });
      nodes.push(node);
      last = owner;
    }
    return nodes;
  };

  const claimItem = (claim, answer, data, id) => {
    const nuggets = data.nuggets || [];
    const line = el("li", { id, tabindex: "-1" }, el("p", { class: "say" }, chip(claim.state), " ", isolated(claimText(claim, answer))));
    if (typeof claim.nugget === "number" && nuggets[claim.nugget]) {
      const state = (answer.nuggets || [])[claim.nugget] || {};
      line.append(el("p", { class: "about" }, claim.state === "contradicts" ? "Against the nugget " : "Matches the nugget ", el("q", {}, nuggets[claim.nugget].text), typeof claim.score === "number" ? " (" + two(claim.score) + ")" : "", ...(claim.state === "contradicts" && state.reason ? [": ", ...quoted(state.reason)] : [])));
    }
    for (const also of claim.also || []) line.append(el("p", { class: "about" }, "Perhaps also ", el("q", {}, nuggets[also].text)));
    if (claim.why) line.append(el("p", { class: "about" }, claim.why));
    if (claim.uncited !== undefined) line.append(el("p", { class: "about" }, "Needs no citation" + (claim.uncited ? ": " + claim.uncited : "") + "."));
    else if (claim.state !== "non_claim" && !(claim.citations || []).length) line.append(el("p", { class: "about" }, "Cites nothing."));
    (claim.citations || []).forEach((citation, n) => line.append(cited(citation, data, id + "s" + n)));
    return line;
  };

  // A passage with its deciding sentence marked; lines between bars are a table, as in models/report/passages_shown.py.
  const ROW = /^[ \t]*\|.*\|[ \t]*$/;
  const RULE = /^[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$/;
  const bars = (line) => [...line.matchAll(/\\?\|/g)].filter((bar) => bar[0] === "|").map((bar) => bar.index);
  const lumps = (text, start, end) => {
    const pieces = (from, to) => {
      const first = Math.min(Math.max(start, from), to), last = Math.min(Math.max(end, from), to);
      return [text.slice(from, first), first < last ? el("mark", { class: "deciding" }, text.slice(first, last)) : "", text.slice(Math.max(first, last), to)];
    };
    // Blank lines beside a table go with it.
    const prose = (from, to) => {
      while (from && text[from] === "\n") from += 1;
      while (to < text.length && text[to - 1] === "\n") to -= 1;
      return from < to ? [el("p", { class: "prose", dir: "auto" }, ...pieces(from, to))] : [];
    };
    const row = (line, tag) => el("tr", {}, ...bars(line.text).slice(0, -1).map((bar, n) => el(tag, tag === "th" ? { scope: "col" } : {}, ...pieces(line.at + bar + 1, line.at + bars(line.text)[n + 1]))));
    const table = (run) => {
      const head = run.length > 1 && RULE.test(run[1].text) ? el("thead", {}, row(run[0], "th")) : null;
      const rows = run.slice(head ? 2 : 0).filter((line) => !RULE.test(line.text));
      return el("div", { class: "scroll" }, el("table", { class: "quoted", dir: "auto" }, head, el("tbody", {}, ...rows.map((line) => row(line, "td")))));
    };
    const isTable = (run) => run.length > 1 && (run.some((line) => RULE.test(line.text)) || new Set(run.map((line) => bars(line.text).length)).size === 1);
    const nodes = [];
    let run = [], at = 0, done = 0;
    for (const line of [...text.split("\n"), ""]) {
      if (ROW.test(line)) run.push({ text: line, at });
      else {
        if (isTable(run)) { nodes.push(...prose(done, run[0].at), table(run)); done = Math.min(at, text.length); }
        run = [];
      }
      at += line.length + 1;
    }
    return [...nodes, ...prose(done, text.length)];
  };

  const cited = (citation, data, id) => {
    const url = web(citation.url);
    const name = citation.title || citation.source || citation.citation || "source";
    const source = url ? el("a", { href: url, target: "_blank", rel: "noopener noreferrer nofollow" }, name) : name;
    const box = el("div", { class: "cite", id, tabindex: "-1" });
    const flags = citation.flags || {};
    if (flags.retracted === "yes") box.append(el("p", { class: "retracted" }, "This source is retracted"));
    if (flags.concern === "yes") box.append(el("p", { class: "retracted" }, "An expression of concern stands against this source"));
    box.append(el("p", {}, chip(citation.state), " ", el("span", { class: "source" }, isolated(citation.citation || ""), citation.citation && name !== citation.citation ? " · " : "", name !== citation.citation ? source : "", citation.label ? " · " + quiet(citation.label) : "")));
    if (name === citation.citation && url) box.lastChild.append(" ", el("a", { href: url, target: "_blank", rel: "noopener noreferrer nofollow" }, "open"));
    if (citation.p) box.append(el("p", { class: "probs" }, "entailment " + two(citation.p[0]) + " · neutral " + two(citation.p[1]) + " · contradiction " + two(citation.p[2]) + (citation.coverage ? " · " + Math.round(100 * citation.coverage) + " % of the passage read" : "")));
    if (citation.reason) box.append(el("p", { class: "about" }, citation.reason));
    if (citation.opposing) box.append(el("p", { class: "about" }, citation.opposing[0] + ": ", el("q", { dir: "auto" }, citation.opposing[1])));
    if (citation.idle) box.append(el("p", { class: "about" }, "The claim's other citations carry it without this one."));
    if (flags.erratum === "yes") box.append(el("p", { class: "about" }, "An erratum was published."));
    const passage = (data.passages || [])[citation.passage];
    if (passage) {
      const text = el("div", { class: "passage" }, ...lumps(passage, citation.start || 0, citation.end || 0));
      if (citation.cut) { text.prepend(el("p", { class: "cut" }, "…")); text.append(el("p", { class: "cut" }, "…")); }
      const decided = citation.end > 0 ? passage.slice(citation.start || 0, citation.end) : passage.slice(0, ON_PAPER) + (passage.length > ON_PAPER ? " …" : "");
      box.append(el("p", { class: "paper", dir: "auto" }, el("q", {}, decided)));
      box.append(el("details", {}, el("summary", {}, citation.end > 0 ? "The passage, and the sentence that decided" : "The passage"), text));
    }
    return box;
  };

  // Where what decided a mark is shown: a nugget's row, a claim or one of its citations, an instruction of the guidance.
  const anchor = ([kind, place, , , citation], panel) =>
    "#" + (kind === "n" ? panel.replace(/p\d+$/, "") : panel) + kind + place + (typeof citation === "number" ? "s" + citation : "");
  const justified = (judgement, panel, answer, data) => {
    const text = judgement.justification;
    const said = [], others = [];
    let at = 0;
    for (const link of judgement.decided || []) {
      const [kind, place, start, end] = link;
      if (typeof start === "number") {
        said.push(text.slice(at, start - 1), el("a", { href: anchor(link, panel) }, text.slice(start, end)));
        at = end + 1;
        continue;
      }
      const words = { n: () => data.nuggets[place].text, c: () => claimText(answer.claims[place], answer), g: () => answer.instructions[place].words }[kind]();
      others.push(others.length ? "; " : "", el("a", { href: anchor(link, panel) }, words));
    }
    said.push(text.slice(at));
    return [el("p", { class: "prose quote", dir: "auto" }, said), others.length ? el("p", { class: "about" }, "Decided by these too: ", others, ".") : ""];
  };

  const judged = (judgement, panel, answer, data) => {
    const names = ["medical_correctness", "evidence_sufficiency", "response_alignment", "safety"];
    const box = el("div", {});
    if ((judgement.marks || []).some((mark) => typeof mark === "number")) {
      const marks = el("dl", { class: "rubric" });
      names.forEach((name, i) => {
        const mark = judgement.marks[i];
        const fillbar = el("i", {});
        fillbar.style.width = (typeof mark === "number" ? Math.max(0, Math.min(100, mark)) : 0) + "%";
        marks.append(el("div", {}, el("dt", {}, el("span", { class: "term", tabindex: "0", "data-tip": metrics[name][1] }, metrics[name][0])), el("dd", {}, typeof mark === "number" ? String(mark) : "–"), el("dd", { class: "bar", "aria-hidden": "true" }, fillbar)));
      });
      box.append(marks);
      const capped = typeof judgement.capped === "number" && judgement.capped !== judgement.score ? ", held to " + two(judgement.capped) + " by its safety mark" : "";
      box.append(el("p", { class: "about" }, (judgement.bounds ? "No rubric score, since a mark is missing: it would lie between " + judgement.bounds.map(two).join(" and ") : "Rubric score " + two(judgement.score)) + capped + ", by " + (judgement.judge || "the judge") + (judgement.unguided ? "; no guidance was given" : "") + (typeof judgement.raw === "number" ? "; the judge gave " + judgement.raw + " for evidence, set to 0 because no reference can be traced" : "") + "."));
    } else box.append(el("p", { class: "empty" }, "No mark by " + (judgement.judge || "the judge") + " (" + (judgement.status || "not scored") + ")."));
    if (judgement.spoke) box.append(el("p", { class: "about" }, "The answer speaks to its judge in " + (judgement.spoke === 1 ? "one passage" : judgement.spoke + " passages") + ": it was read without, and with what is told there besides; the lower marks count."));
    if (judgement.justification) box.append(...justified(judgement, panel, answer, data));
    if (judgement.reason) box.append(el("p", { class: "about" }, judgement.reason));
    return box;
  };

  // ---- tooltips, filters, links -------------------------------------------------------------
  const tip = byId("tip");
  const placeTip = (target) => {
    const box = target.getBoundingClientRect();
    const own = tip.getBoundingClientRect();
    const left = Math.min(Math.max(12, box.left + box.width / 2 - own.width / 2), innerWidth - own.width - 12);
    const above = box.top - own.height - 8;
    tip.style.left = left + "px";
    tip.style.top = (above > 8 ? above : box.bottom + 8) + "px";
  };
  const showTip = (event) => {
    const target = event.target.closest && event.target.closest("[data-tip]");
    if (!target || !target.dataset.tip) { tip.hidden = true; return; }
    tip.textContent = target.dataset.tip;
    tip.hidden = false;
    placeTip(target);
  };
  document.addEventListener("mouseover", showTip);
  document.addEventListener("focusin", showTip);
  document.addEventListener("focusout", () => { tip.hidden = true; });
  // Focus by the keyboard scrolls: the words stay with what has the focus, and leave what the mouse left.
  document.addEventListener("scroll", () => {
    const focused = document.activeElement;
    if (!tip.hidden && focused && focused.dataset.tip === tip.textContent) placeTip(focused);
    else tip.hidden = true;
  }, { passive: true, capture: true });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") tip.hidden = true;
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) { event.preventDefault(); field("text").focus(); }
  });
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-open]");
    if (opener) { event.preventDefault(); reveal(Number(opener.dataset.open), opener.dataset.system); return; }
    const inside = event.target.closest('#list a[href^="#q"]');
    const target = inside && byId(inside.getAttribute("href").slice(1));
    if (target) { event.preventDefault(); light(target); return; }
    const chosen = event.target.closest("[data-rows]");
    if (chosen) {
      const { system, against, sort, show } = chosen.dataset;
      clear();
      if (against) pair = { a: systems.indexOf(system), b: systems.indexOf(against), metric: sort, outcome: chosen.dataset.outcome };
      else {
        field("system").value = system ? String(systems.indexOf(system)) : "";
        field("sort").value = sort || "";
        field("show").value = show || "";
      }
      apply();
    }
  });
  const options = (name, values) => {
    field(name).append(...values.map(([value, label]) => el("option", { value }, label)));
    const label = byId("l-" + name);
    if (label) label.hidden = values.length < 2;
  };
  const distinct = (key) => [...new Set(questions.map((q) => q[key]).filter(Boolean))].sort().map((value) => [value, value]);
  options("system", systems.map((system, i) => [String(i), system]));
  options("category", distinct("category"));
  options("risk", distinct("risk"));
  options("sort", board.map((name) => [name, "worst " + metrics[name][0].toLowerCase() + " first"]));
  for (const label of [byId("l-category"), byId("l-risk")]) if (label.hidden) label.style.display = "none";
  let typing = 0;
  filters.addEventListener("input", (event) => { if (/^f-(system|sort)$/.test(event.target.id)) pair = null; clearTimeout(typing); typing = setTimeout(apply, event.target.type === "search" ? 120 : 0); });
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.hidden = false;
  apply();
  more.addEventListener("click", () => {
    const drawn = list.childElementCount;
    draw(drawn + BATCH);
    list.children[drawn].querySelector("summary").focus();
  });

  // What scrolls sideways can be scrolled by the keyboard.
  const reach = () => { for (const part of document.querySelectorAll(".scroll")) { if (part.scrollWidth > part.clientWidth) part.tabIndex = 0; else part.removeAttribute("tabindex"); } };
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
  reach();

  // ---- folds and paper ----------------------------------------------------------------------
  // On a phone the parts behind the first look are shut; a link to one opens it.
  const unfold = (hash) => {
    const part = hash.length > 1 && byId(decodeURIComponent(hash.slice(1)));
    const fold = part && (part.closest("details.fold") || part.querySelector(":scope > details.fold"));
    if (fold) fold.open = true;
  };
  if (matchMedia("(max-width: 40rem)").matches) for (const fold of document.querySelectorAll("details.fold")) fold.open = false;
  document.addEventListener("click", (event) => { const link = event.target.closest("a[href^='#']"); if (link) unfold(link.getAttribute("href")); });
  addEventListener("hashchange", () => unfold(location.hash));
  unfold(location.hash);
  // Paper holds the questions that were opened, else those listed, with every answer and the sentences that decided.
  let opened = [];
  addEventListener("beforeprint", () => {
    if (!list.querySelector(".q[open]")) draw(Math.min(shown.length, MOST_OPENED));
    const chosen = list.querySelector(".q[open]") ? [...list.querySelectorAll(".q[open]")] : [...list.children];
    for (const node of chosen) {
      fill(node, Number(node.id.slice(1)));
      if (node.drawAll) node.drawAll();
    }
    const all = [...chosen, ...document.querySelectorAll("details.fold")];
    opened = all.filter((node) => !node.open);
    for (const node of opened) node.open = true;
  });
  addEventListener("afterprint", () => {
    for (const node of opened) node.open = false;
    opened = [];
  });
  const wanted = /^#q(\d+)$/.exec(location.hash);
  if (wanted && questions[Number(wanted[1])]) reveal(Number(wanted[1]));
})();
