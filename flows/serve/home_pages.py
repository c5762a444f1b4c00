"""Pages of the home of runs: which one a request asks for, and what a form does."""

import hmac
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from medassay.flows.serve.access import form_key, one
from medassay.flows.serve.annotation_pages import AnnotationPages
from medassay.flows.terminal.core_columns import core_of
from medassay.models.intake.rows import IntakeError
from medassay.models.report import browse
from medassay.models.specs import SpecError
from medassay.models.usage import UsageError
from medassay.sql.home import WarehouseError
from medassay.sql.snapshot import NothingPublished
from medassay.sql.view_map import view_asked
from medassay.tasks.browsing.questions import MOST_ROWS as MOST_ANSWERS
from medassay.tasks.browsing.questions import ask, questions
from medassay.tasks.browsing.runs import HEADLINE, runs_shown
from medassay.tasks.browsing.side_by_side import ORDERS, Chosen, answers, pairs
from medassay.tasks.browsing.tags import tag_run
from medassay.tasks.comparing.attribution import Diff, diff_runs
from medassay.tasks.judge_training.jury_votes import waiting_for_jury
from medassay.tasks.prune import drop_run
from medassay.tasks.publish import write_report
from medassay.tasks.run import HomeBusy, home_lock

MOST_ROWS = 500
MOST_CHANGES = 60
MOST_KEPT = 4
"""So many pairs of runs keep what changed their scores: finished runs do not change."""
NO_REPORT = "No such report."
FORM_REFUSED = "This form was not made by this server; open the home of runs anew."
_NAME = re.compile(r"([\w-]+)\.html")
Given = Mapping[str, Sequence[str]]


class NotFound(Exception):
    """There is no such page."""


class Refused(Exception):
    """A form that did not come from a page of ours."""


class HomePages:
    """The pages of one home, for whoever has the key."""

    def __init__(self, home: Path, key: str, people: AnnotationPages) -> None:
        self.home, self.form_key = home, form_key(key)
        self._attributed: dict[tuple[str, str], Diff] = {}
        self.pages: dict[str, Callable[[Given], str]] = {
            "": self.runs, "side": self.side, "answer": self.answer, "diff": self.diff,
            "annotate": people.annotators, "jury": people.jurors, "ask": self.ask,
        }  # fmt: skip
        self.forms: dict[str, Callable[[Given], str]] = {"tags": self.tag, "delete": self.delete}

    def page(self, name: str, given: Given) -> str:
        """Render a page.

        Raises:
            NotFound: where there is none of that name.
            UsageError: where a run, a system or a question is not there.
            HomeBusy: where a run holds the home and the page has to work in it.
        """
        if name not in self.pages:
            raise NotFound
        try:
            return self.pages[name](given)
        except NothingPublished as missing:
            if name:
                raise UsageError(str(missing)) from None
            return browse.home_page([], HEADLINE, self.form_key, juries=waiting_for_jury(self.home))

    def form(self, name: str, given: Given) -> str:
        """Do what a form asks, and return what to say of it.

        Raises:
            NotFound, Refused, UsageError, HomeBusy: where it is not done.
        """
        if name not in self.forms:
            raise NotFound
        if not hmac.compare_digest(one(given, "form_key").encode(), self.form_key.encode()):
            raise Refused
        return self.forms[name](given)

    def runs(self, given: Given) -> str:
        """List the runs."""
        juries = waiting_for_jury(self.home)
        return browse.home_page(
            runs_shown(self.home), HEADLINE, self.form_key, one(given, "said")[:300], juries
        )

    def side(self, given: Given) -> str:
        """List the questions of two sides."""
        order = one(given, "order")
        chosen = Chosen(
            differs=bool(one(given, "differs")),
            newly=bool(one(given, "newly")),
            state=one(given, "state"),
            reader=one(given, "reader"),
            category=one(given, "category"),
            order=next((known for known in ORDERS if known == order), ORDERS[0]),
        )
        found = pairs(
            self.home, one(given, "run"), one(given, "a"), one(given, "run_b"), one(given, "b"), chosen
        )
        return browse.pairs_page(found, chosen, ORDERS, MOST_ROWS)

    def answer(self, given: Given) -> str:
        """Show one answer, or two side by side."""
        run = one(given, "run")
        sides = [(run, one(given, "a"))]
        if one(given, "b") or one(given, "run_b"):
            sides.append((one(given, "run_b") or run, one(given, "b") or one(given, "a")))
        return browse.answers_page(answers(self.home, one(given, "question"), list(dict.fromkeys(sides))))

    def diff(self, given: Given) -> str:
        """Show what changed between two runs, the earlier one first; on request, what changed each score."""
        named = [run for run in runs_shown(self.home) if run.run_id in given.get("run", ())]
        if len(named) != 2:
            raise UsageError("choose two finished runs to compare")
        later, earlier = named
        pair = (earlier.run_id, later.run_id)
        found = self._attributed.get(pair)
        if found is None:
            why = bool(one(given, "why"))
            found = diff_runs(self.home, *pair, wait=False, attributed=why)
            if why:
                self._attributed = dict([*self._attributed.items(), (pair, found)][-MOST_KEPT:])
        return browse.changes_page(found, (earlier.name, later.name), MOST_CHANGES)

    def ask(self, given: Given) -> str:
        """List ready questions, and answer one of them or a person's own query."""
        known = questions(self.home)
        asked = next((question for question in known if question.name == one(given, "q")), None)
        sql = one(given, "sql") or (asked.sql if asked else "")
        if not sql.strip():
            return browse.ask_page(known, None, "")
        asked = asked or next((question for question in known if _same(question.sql, sql)), None)
        try:
            answer = ask(self.home, sql)
        except UsageError as error:
            return browse.ask_page(known, asked, sql, None, str(error), MOST_ANSWERS)
        n_columns = len(answer[0])
        if view := view_asked(sql):
            answer = core_of(view, answer).table
        return browse.ask_page(known, asked, sql, answer, "", MOST_ANSWERS, n_columns - len(answer[0]))

    def tag(self, given: Given) -> str:
        """Set a run's tags."""
        run_id = self._known(one(given, "run"))
        tags = tag_run(self.home, run_id, one(given, "tags"))
        return f"{run_id} is tagged {', '.join(tags)}" if tags else f"{run_id} has no tags now"

    def delete(self, given: Given) -> str:
        """Delete a run."""
        run_id = self._known(one(given, "run"))
        if one(given, "sure") != "yes":
            raise UsageError("tick the box that says that it cannot be brought back")
        with home_lock(self.home, "(delete)", wait=False):
            drop_run(self.home, run_id)
        return f"{run_id} is deleted"

    def report(self, name: str) -> bytes:
        """Return a report, made anew where its file is gone.

        Raises:
            NotFound: where there is no such run, and no such file.
        """
        named = _NAME.fullmatch(name)
        if not named:
            raise NotFound
        path = self.home / "reports" / name
        if not os.path.lexists(path):
            try:
                if self._known(named[1], finished=True):
                    write_report(self.home, named[1])
            except (UsageError, NothingPublished):
                raise NotFound from None
        try:
            opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        except OSError:
            raise NotFound from None
        with open(opened, "rb") as file:
            return file.read()

    def _known(self, run_id: str, *, finished: bool = False) -> str:
        for run in runs_shown(self.home):
            if run.run_id == run_id and (run.state == "finished" or not finished):
                return run_id
        raise UsageError(f"no run {run_id!r} in this home")


def _same(one: str, other: str) -> bool:
    return one.split() == other.split()


TOLD = (UsageError, IntakeError, SpecError, WarehouseError, HomeBusy)
"""What a person is told in a page of its own."""
