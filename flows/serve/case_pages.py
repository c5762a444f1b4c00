"""Pages on which experts double check a judge's training data, each behind a link of their own."""

import json
from collections.abc import Mapping, Sequence

from medassay.flows.serve.access import annotator_key, form_key, one
from medassay.models.report import browse
from medassay.models.usage import UsageError
from medassay.tasks.judge_training.browser_checks import CheckedData

CASES = "cases/"
Given = Mapping[str, Sequence[str]]


class CasePages:
    """The cases of one folder."""

    def __init__(self, checked: CheckedData, key: str) -> None:
        self.checked, self.key = checked, key

    def page(self, expert: str, given: Given) -> str:
        """Show the case that was asked for, else the first that is not checked on every criterion."""
        work = self.checked.work_of(expert)
        item = one(given, "item") or work.next_open or next(iter(work.items))
        if item not in work.items:
            raise UsageError(f"case {item} is not of this data")
        own = form_key(annotator_key(self.key, expert))
        return browse.case_page(work, item, expert, self.checked.agreement(), own)

    def score(self, expert: str, given: Given) -> str:
        """Save the answers that a form gives, at once; return how far the expert is, as JSON."""
        said = {one(given, "aspect"): one(given, "score")} if given.get("aspect") else {
            name: one(given, name) for name in given if name not in ("form_key", "run", "item")
        }  # fmt: skip
        for criterion, answer in said.items():
            self.checked.check(expert, one(given, "item"), criterion, answer)
        work = self.checked.work_of(expert)
        return json.dumps({"done": work.n_done, "of": len(work.items)})
