"""Pages on which people score answers: one annotator's own, and the list of annotators for whoever has the key."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event, Thread
from urllib.parse import quote

from medassay.flows.serve.access import annotator_key, form_key, one
from medassay.flows.serve.case_pages import CasePages
from medassay.models.report import browse
from medassay.models.usage import UsageError
from medassay.tasks.people.clicks import journal
from medassay.tasks.people.in_browser import (
    Order,
    Task,
    agreement,
    annotators_of,
    click,
    disputed,
    shown_answer,
    task_of,
    try_to_take_clicks,
    work_of,
)
from medassay.tasks.run import HomeBusy

LONGEST_NAME = 60
TAKE_EVERY_S = 2.0
Given = Mapping[str, Sequence[str]]


class AnnotationPages:
    """The pages of one home's annotators; clicks go into the warehouse a moment later, when no run holds it."""

    def __init__(
        self,
        home: Path,
        key: str,
        order: Order = "blind",
        names: Sequence[str] = (),
        *,
        named: bool = False,
        cases: CasePages | None = None,
    ) -> None:
        self.home, self.key, self.order, self.names, self.named = home, key, order, names, named
        self.cases = cases
        self._clicked, self._ended = Event(), Event()
        self._taker: Thread | None = None

    def annotators(self, given: Given) -> str:
        """List annotators with their links, and how well they agree."""
        task = self._task(given)
        asked = filter(None, map(named, (*self.names, one(given, "name"))))
        names = list(dict.fromkeys([*annotators_of(self.home, task), *asked]))
        done, agreed = agreement(self.home, task, names)
        n_items = len(work_of(self.home, task, "").items)
        people = [
            (name, done[name], f"./{link(self.key, name)}?run={quote(task.run.run_id)}") for name in names
        ]
        return browse.annotators_page(task, people, agreed, n_items)

    def page(self, annotator: str, given: Given) -> str:
        """Show the answer that was asked for, else the first that is not scored on every aspect."""
        task = self._task(given)
        work = work_of(self.home, task, annotator)
        item = one(given, "item") or work.next_open or next(iter(work.items), "")
        if not item:
            raise UsageError(f"run {task.run.run_id} has no answers to score")
        found = shown_answer(self.home, task, work, item)
        own = form_key(annotator_key(self.key, annotator))
        asked = disputed(self.home, task, work, item)
        return browse.annotate_page(
            found, work, item, annotator, asked, run_id=task.run.run_id, form_key=own, named=self.named
        )

    def score(self, annotator: str, given: Given) -> str:
        """Save the scores that a form gives, at once; return how far the annotator is, as JSON."""
        task = self._task(given)
        work = work_of(self.home, task, annotator)
        item = one(given, "item")
        aspects = {one(given, "aspect"): one(given, "score")} if given.get("aspect") else {
            name: one(given, name) for name in given if name not in ("form_key", "run", "item")
        }  # fmt: skip
        for aspect, score in aspects.items():
            click(self.home, task, work, annotator, item, aspect, score)
        # Read again: several clicks of one person may be on their way at once.
        work.add(journal(self.home, task.run.run_id, annotator).scores())
        self.start()
        return json.dumps({"done": work.n_done, "of": len(work.items)})

    def start(self) -> None:
        """Take clicks into the warehouse from now on, those first that an earlier server left over."""
        self._clicked.set()
        if self._taker is None:
            self._taker = Thread(target=self._take, daemon=True)
            self._taker.start()

    def stop(self) -> None:
        """Take what is left and end."""
        self._ended.set()
        self._clicked.set()
        if self._taker is not None:
            self._taker.join(10)

    def _take(self) -> None:
        while True:
            self._clicked.wait()
            ended = self._ended.wait(TAKE_EVERY_S)
            self._clicked.clear()
            if not (try_to_take_clicks(self.home) and self._took_checks()) and not ended:
                self._clicked.set()
            if ended:
                return

    def _took_checks(self) -> bool:
        try:
            if self.cases:
                self.cases.checked.take()
        except HomeBusy:
            return False
        return True

    def case_score(self, expert: str, given: Given) -> str:
        """Save what an expert says of a case, at once."""
        if self.cases is None:
            raise UsageError("no data of a judge is checked here")
        told = self.cases.score(expert, given)
        self.start()
        return told

    def case_page(self, expert: str, given: Given) -> str:
        """Show a case to check."""
        if self.cases is None:
            raise UsageError("no data of a judge is checked here: medassay annotate serve --data FOLDER")
        return self.cases.page(expert, given)

    def _task(self, given: Given) -> Task:
        return task_of(self.home, one(given, "run") or None, self.order, named=self.named)


def named(words: str) -> str:
    """Return an annotator's name as it can stand in an address."""
    return " ".join(words.replace("/", " ").split())[:LONGEST_NAME]


def link(key: str, name: str) -> str:
    """Return the part of an annotator's address behind the server's."""
    return f"../a/{quote(name, safe='')}/{annotator_key(key, name)}/"
