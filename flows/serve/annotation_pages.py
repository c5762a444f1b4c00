"""Pages on which people score answers: one annotator's own, and the list of annotators for whoever has the key."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event, Thread
from urllib.parse import quote

from medassay.flows.serve import case_pages
from medassay.flows.serve.access import annotator_key, form_key, one
from medassay.models.report import browse
from medassay.models.usage import UsageError
from medassay.tasks.judge_training.browser_checks import CheckedData
from medassay.tasks.judge_training.jury_votes import Jury
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
        checked: CheckedData | None = None,
    ) -> None:
        self.home, self.key, self.order, self.names, self.named = home, key, order, names, named
        self.checked = checked
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
            if self.checked:
                self.checked.take()
        except HomeBusy:
            return False
        return True

    def case_page(self, expert: str, given: Given) -> str:
        """Show a case to check."""
        return case_pages.page(self._checked(), self.key, expert, given)

    def case_score(self, expert: str, given: Given) -> str:
        """Save what an expert says of a case, at once."""
        told = case_pages.score(self._checked(), expert, given)
        self.start()
        return told

    def jury_page(self, juror: str, training: str, iteration: int, given: Given) -> str:
        """Show a case that waits for the jury."""
        return case_pages.page(Jury(self.home, training, iteration), self.key, juror, given)

    def jury_score(self, juror: str, training: str, iteration: int, given: Given) -> str:
        """Save a juror's vote at once, where the training finds it."""
        return case_pages.score(Jury(self.home, training, iteration), juror, given)

    def jurors(self, given: Given) -> str:
        """List jurors with their links, and how well they agree."""
        iteration = one(given, "iteration") or "1"
        if not re.fullmatch("[0-9]{1,3}", iteration):
            raise UsageError(f"iteration is {iteration!r}: it is a number")
        jury = Jury(self.home, one(given, "training"), int(iteration))
        asked = filter(None, map(named, (*self.names, one(given, "name"))))
        names = list(dict.fromkeys([*jury.by_juror(), *asked]))
        path = case_pages.jury_path(jury.training, jury.iteration)
        people = [(name, jury.work_of(name).n_done, f"./{link(self.key, name)}{path}") for name in names]
        return browse.jurors_page(jury, people, jury.agreement())

    def _checked(self) -> CheckedData:
        if self.checked is None:
            raise UsageError("no data of a judge is checked here: medassay annotate serve --data FOLDER")
        return self.checked

    def _task(self, given: Given) -> Task:
        return task_of(self.home, one(given, "run") or None, self.order, named=self.named)


def named(words: str) -> str:
    """Return an annotator's name as it can stand in an address."""
    return " ".join(words.replace("/", " ").split())[:LONGEST_NAME]


def link(key: str, name: str) -> str:
    """Return the part of an annotator's address behind the server's."""
    return f"../a/{quote(name, safe='')}/{annotator_key(key, name)}/"
