"""Double check of a judge's data in the browser: its cases, each yes or no saved at once, and taking them in."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from medassay.models.judge_training.experts import agreement, chosen, item_of, sheet_rows
from medassay.models.judge_training.folder import JudgeData, read_data_folder
from medassay.models.judge_training.records import CRITERIA, EvaluationCase
from medassay.models.keys import content_key
from medassay.models.usage import UsageError
from medassay.sql.warehouse import warehouse_at
from medassay.tasks.judge_training.checks import import_checks
from medassay.tasks.people.clicks import Journal
from medassay.tasks.run import home_lock

FOLDER = "checks"
MOST = 300
SAYS = {"1": True, "2": False}
"""Yes and no, as the page's buttons and keys have them."""


@dataclass(frozen=True, slots=True)
class CaseWork:
    """An expert's way through the cases: those drawn, by item in order, and what was said so far."""

    items: dict[str, EvaluationCase]
    said: Mapping[str, Mapping[str, bool]]

    @property
    def n_done(self) -> int:
        """How many cases have an answer to every criterion."""
        return sum(set(CRITERIA) <= self.said.get(item, {}).keys() for item in self.items)

    @property
    def next_open(self) -> str | None:
        """The first case without one."""
        return next((i for i in self.items if not set(CRITERIA) <= self.said.get(i, {}).keys()), None)

    def beside(self, item: str, step: int) -> str:
        """Return the item before or after another, empty at the ends."""
        order = list(self.items)
        place = order.index(item) + step
        return order[place] if 0 <= place < len(order) else ""

    def shown(self, item: str) -> dict[str, Any]:
        """Return what an expert sees of a case: neither systems nor evaluators are named."""
        (row,) = sheet_rows([self.items[item]], "")
        return row


class CheckedData:
    """The cases of a folder that `judge-data build` wrote, for experts who check them in the browser.

    One case of each question comes before a second of any, the same for every expert, as on a sheet.

    Raises:
        IntakeError: where it is no such folder.
        UsageError: where no case has scores to check.
    """

    def __init__(self, home: Path, folder: Path) -> None:
        self.home, self.data = home, read_data_folder(folder)
        self.items = {item_of(case): case for case in chosen(self.data.cases, MOST, 0)}
        if not self.items:
            raise UsageError(f"{folder}: no case has scores to check; {folder / 'drops.jsonl'} says why")
        self._journals = home / FOLDER / content_key(str(folder.resolve()))[:16]

    def journal(self, expert: str) -> Journal:
        """Return an expert's journal."""
        return Journal(self._journals / f"{content_key(expert)[:16]}.jsonl")

    def work_of(self, expert: str) -> CaseWork:
        """Return how far an expert is."""
        return CaseWork(self.items, _said(self.journal(expert).scores()))

    def check(self, expert: str, item: str, criterion: str, said: str) -> None:
        """Save one answer at once.

        Raises:
            UsageError: for a case, a criterion or an answer that there is not.
        """
        if item not in self.items or criterion not in CRITERIA or said not in SAYS:
            raise UsageError(f"{criterion} of {item} is {said!r}: there is no such check")
        self.journal(expert).add(expert, item, criterion, float(SAYS[said]))

    def by_expert(self) -> dict[str, Journal]:
        """Return the journals of everybody who has checked a case."""
        found = (Journal(path) for path in sorted(self._journals.glob("*.jsonl")))
        named = ((next(one.lines(), None), one) for one in found)
        return {str(first["annotator"]): one for first, one in named if first is not None}

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
        labels: dict[str, dict[str, Mapping[str, bool]]] = {}
        for expert, clicks in self.by_expert().items():
            for item, said in _said(clicks.scores()).items():
                if item in self.items:
                    labels.setdefault(self.items[item].case_id, {})[expert] = said
        found: JudgeData = self.data.labelled(labels)
        return agreement(found.cases)


def _said(scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, bool]]:
    return {item: {name: bool(score) for name, score in said.items()} for item, said in scores.items()}
