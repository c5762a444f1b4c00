"""Double check of a judge's data in the browser: its cases, each yes or no saved at once, and taking them in."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medassay.models.judge_training.experts import agreement, chosen, item_of, most_telling
from medassay.models.judge_training.folder import JudgeData, read_data_folder
from medassay.models.judge_training.records import CRITERIA, EvaluationCase
from medassay.models.keys import content_key
from medassay.models.usage import UsageError
from medassay.sql.warehouse import warehouse_at
from medassay.tasks.judge_training.checks import Checks, import_checks, stored_checks
from medassay.tasks.people.clicks import Journal, journals_in
from medassay.tasks.people.in_browser import Order
from medassay.tasks.run import HomeBusy, home_lock

FOLDER = "checks"
MOST = 300
SAYS = {"1": True, "2": False}
"""Yes and no, as the page's buttons and keys have them."""


@dataclass(frozen=True, slots=True)
class CaseWork:
    """A person's way through cases: by item in order, what is said of each so far, and what each is asked."""

    items: Mapping[str, EvaluationCase]
    said: Mapping[str, Mapping[str, Any]]
    asked: tuple[str, ...]

    def is_done(self, item: str) -> bool:
        """Return whether everything is answered of a case."""
        return set(self.asked) <= self.said.get(item, {}).keys()

    @property
    def n_done(self) -> int:
        """How many cases have an answer to everything."""
        return sum(map(self.is_done, self.items))

    @property
    def next_open(self) -> str | None:
        """The first case without one."""
        return next((item for item in self.items if not self.is_done(item)), None)

    def beside(self, item: str, step: int) -> str:
        """Return the item before or after another, empty at the ends."""
        order = list(self.items)
        place = order.index(item) + step
        return order[place] if 0 <= place < len(order) else ""


class CheckedData:
    """The cases of a folder that `judge-data build` wrote, for experts who check them in the browser.

    One case of each question comes before a second of any, the same for every expert, as on a sheet; or first those
    that tell most, by what was checked until now.

    Raises:
        IntakeError: where it is no such folder.
        UsageError: where no case has scores to check.
    """

    def __init__(self, home: Path, folder: Path, order: Order = "blind") -> None:
        self.home, self._journals = home, home / FOLDER / content_key(str(folder.resolve()))[:16]
        self.stored, self._taken = self._before()
        self.data = read_data_folder(folder).labelled(self.stored)
        cases = (
            most_telling(self.data.cases, MOST) if order == "telling" else chosen(self.data.cases, MOST, 0)
        )
        self.items = {item_of(case): case for case in cases}
        if not self.items:
            raise UsageError(f"{folder}: no case has scores to check; {folder / 'drops.jsonl'} says why")

    def _before(self) -> tuple[Checks, dict[str, int]]:
        """Return what was checked before and how much of each journal is in it; nothing where a run holds the home."""
        try:
            with home_lock(self.home, "(annotate)", wait=False):
                taken = {expert: clicks.n_taken for expert, clicks in self.by_expert().items()}
                return stored_checks(warehouse_at(self.home)), taken
        except HomeBusy:
            return {}, {}

    def journal(self, expert: str) -> Journal:
        """Return an expert's journal."""
        return Journal(self._journals / f"{content_key(expert)[:16]}.jsonl")

    def work_of(self, expert: str) -> CaseWork:
        """Return how far an expert is, on sheets and here."""
        said = {
            item: before[expert]
            for item, case in self.items.items()
            if expert in (before := self.stored.get(case.case_id, {}))
        }
        for item, now in _said(self.journal(expert).scores(self._taken.get(expert, 0))).items():
            said[item] = {**said.get(item, {}), **now}
        return CaseWork(self.items, said, CRITERIA)

    def check(self, expert: str, item: str, criterion: str, said: str) -> None:
        """Save one answer at once.

        Raises:
            UsageError: for a case, a criterion or an answer that there is not.
        """
        if item not in self.items or criterion not in CRITERIA or said not in SAYS:
            raise UsageError(f"{criterion} of {item} is {said!r}: there is no such check")
        self.journal(expert).add(expert, item, criterion, float(SAYS[said]))

    def by_expert(self) -> dict[str, Journal]:
        """Return the journals of everybody who has checked a case here."""
        return journals_in(self._journals)

    def take(self) -> None:
        """Take every answer that is not there yet into the warehouse.

        Raises:
            HomeBusy: where a run holds the home; the answers stay where they are.
        """
        with home_lock(self.home, "(annotate)", wait=False):
            for expert, clicks in self.by_expert().items():
                with clicks.taking() as scores:
                    if scores:
                        cases = list(self.items.values())
                        import_checks(warehouse_at(self.home), cases, _said(scores), expert)

    def agreement(self) -> list[dict[str, Any]]:
        """Return for each two experts and criterion how often they agree, with Cohen's κ."""
        of_sheets = {expert for checks in self.stored.values() for expert in checks}
        labels: Checks = {}
        for expert in sorted(of_sheets | self.by_expert().keys()):
            for item, said in self.work_of(expert).said.items():
                if item in self.items:
                    labels.setdefault(self.items[item].case_id, {})[expert] = dict(said)
        found: JudgeData = self.data.labelled(labels)
        return agreement(found.cases)


def _said(scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, bool]]:
    return {item: {name: bool(score) for name, score in said.items()} for item, said in scores.items()}
