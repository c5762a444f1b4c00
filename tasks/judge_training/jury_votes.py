"""The jury in the browser: which cases of a training wait, what each juror says of them, and what that decides.

Votes lie beside the reviews they are about; the same training, started again, decides by them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from medassay.models.chat.local.trained import folder_named
from medassay.models.intake.file_opening import refuse_absent
from medassay.models.judge_training.experts import pair_agreement
from medassay.models.judge_training.folders import read_json
from medassay.models.judge_training.introspection import Review, read_reviews
from medassay.models.judge_training.jury import Vote, decided_by_votes, review_item
from medassay.models.judge_training.plan import DATA_FILE, REVIEWS_FILE, TRAININGS, read_splits
from medassay.models.judge_training.records import EvaluationCase
from medassay.models.keys import content_key
from medassay.models.usage import UsageError
from medassay.tasks.judge_training.browser_checks import SAYS, CaseWork
from medassay.tasks.people.clicks import Journal, journals_in

VOTES = "jury"
ACCEPT, SUGGESTION = "accept", "suggestion"
LONGEST_SUGGESTION = 10_000


@dataclass(frozen=True, slots=True)
class Waiting:
    """An iteration of a training with cases for the jury: how many, and how many are decided so far."""

    training: str
    iteration: int
    n_cases: int
    n_decided: int


class Jury:
    """The cases of one iteration that wait for the jury, for people who decide in the browser.

    Raises:
        IntakeError: where the training has not got that far.
        UsageError: where nothing waits.
    """

    def __init__(self, home: Path, training: str, iteration: int) -> None:
        self.training, self.iteration = training, iteration
        self.reviews, cases, file = reviews_of(home, training, iteration)
        self.votes = file.parent / VOTES
        by_id = {case.case_id: case for case in cases}
        self.waiting = {
            review_item(review): review
            for review in self.reviews
            if review.decision == "jury" and review.case_id in by_id
        }
        if not self.waiting:
            raise UsageError(f"no case of iteration {iteration} of {training} waits for a jury")
        self.items = {item: by_id[review.case_id] for item, review in self.waiting.items()}

    def journal(self, juror: str) -> Journal:
        """Return a juror's journal."""
        return Journal(self.votes / f"{content_key(juror)[:16]}.jsonl")

    def work_of(self, juror: str) -> CaseWork:
        """Return how far a juror is."""
        said: dict[str, dict[str, Any]] = {}
        for line in self.journal(juror).lines():
            is_vote = line["aspect"] == ACCEPT
            said.setdefault(line["item"], {})[line["aspect"]] = (
                bool(line["score"]) if is_vote else line["score"]
            )
        return CaseWork(self.items, said, (ACCEPT,))

    def check(self, juror: str, item: str, aspect: str, said: str) -> None:
        """Save one vote, or the words of a better suggestion, at once.

        Raises:
            UsageError: for a case or a vote that there is not, and a suggestion that is too long.
        """
        is_words = aspect == SUGGESTION and len(said) <= LONGEST_SUGGESTION
        if item not in self.items or not (is_words or (aspect == ACCEPT and said in SAYS)):
            raise UsageError(f"{aspect} of {item} is {said[:40]!r}: there is no such vote")
        self.journal(juror).add(juror, item, aspect, said.strip() if is_words else float(SAYS[said]))

    def by_juror(self) -> dict[str, dict[str, Mapping[str, bool]]]:
        """Return what everybody has voted so far, by juror and item."""
        return {
            juror: {
                item: {ACCEPT: said[ACCEPT]}
                for item, said in self.work_of(juror).said.items()
                if item in self.items and ACCEPT in said
            }
            for juror in journals_in(self.votes)
        }

    def agreement(self) -> list[dict[str, Any]]:
        """Return for each two jurors how often they agree, with Cohen's κ."""
        return pair_agreement(self.by_juror(), {i: case.question_id for i, case in self.items.items()})


def reviews_of(home: Path, training: str, iteration: int) -> tuple[list[Review], list[EvaluationCase], Path]:
    """Return an iteration's reviews as they were written, the cases they are about, and where they lie.

    Raises:
        SpecError: for what cannot be a training's name.
        IntakeError: where the training has not got that far.
    """
    folder_named(training)
    folder = home / TRAININGS / training
    file = folder / "stages" / "introspection" / str(iteration) / REVIEWS_FILE
    refuse_absent(file, "no such iteration", "name a training that has got that far, and its iteration")
    data = Path(read_json(folder / DATA_FILE)["data"])
    changed = tuple(sorted((path.name, path.stat().st_mtime_ns) for path in data.rglob("*.jsonl")))
    return read_reviews(file), list(_training_cases(data, changed)), file


@lru_cache(maxsize=4)
def _training_cases(data: Path, changed: tuple[tuple[str, int], ...]) -> tuple[EvaluationCase, ...]:
    """Return the training cases of a folder; read once until a file of it changes, since every click asks for them."""
    return read_splits(data).train


def with_votes(file: Path) -> list[Review]:
    """Return a file's reviews with what the jury has decided in the browser since they were written."""
    reviews = read_reviews(file)
    return decided_by_votes(reviews, _votes_in(file.parent / VOTES))


def waiting_for_jury(home: Path) -> list[Waiting]:
    """Return the trainings of a home of which cases wait for the jury."""
    found = []
    for file in sorted((home / TRAININGS).glob(f"*/stages/introspection/*/{REVIEWS_FILE}")):
        reviews = read_reviews(file)
        n_cases = sum(review.decision == "jury" for review in reviews)
        if n_cases:
            left = sum(review.decision == "jury" for review in with_votes(file))
            found.append(Waiting(file.parents[3].name, int(file.parent.name), n_cases, n_cases - left))
    return found


def _votes_in(folder: Path) -> dict[str, list[Vote]]:
    """Return everybody's votes by item, in the order in which they were given."""
    given: list[tuple[str, str, Vote]] = []
    for clicks in journals_in(folder).values():
        of_item: dict[str, dict[str, Any]] = {}
        for line in clicks.lines():
            of_item.setdefault(line["item"], {}).update(
                {line["aspect"]: line["score"], "at": line.get("at", "")}
            )
        given += [
            (said["at"], item, Vote(bool(said[ACCEPT]), str(said.get(SUGGESTION, ""))))
            for item, said in of_item.items()
            if ACCEPT in said
        ]
    votes: dict[str, list[Vote]] = {}
    for _, item, vote in sorted(given, key=lambda one: one[0]):
        votes.setdefault(item, []).append(vote)
    return votes
