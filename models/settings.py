"""What a person may choose about a run, and what each choice means."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

Profile = Literal["seed", "bioace", "trec"]
Matcher = Literal["combined", "cosine"]
Phi = Literal["block", "redact", "allow"]
EntailOn = Literal["here", "gpu"]
LOUD_THRESHOLD = 0.6


class UsageError(Exception):
    """A choice that cannot be carried out; the message names it and says what to choose instead."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The choices of one evaluation, written into its run.

    Attributes:
        data: Folder or file to evaluate.
        profile: Which published definition the four answer scores follow.
        judge: `none`, `embedded`, `hf:<id or folder>` or `<base_url>#<model>`; `auto` is embedded where it is pulled.
            Several with commas between them are a panel.
        llm: Model that decomposes and assigns, in the same form; `none` keeps to the embedded rules.
        embedder: Sentence-embedding model.
        entailment: Entailment model.
        entail_on: `here`, or `gpu` for the workers of the GPU work pool.
        matcher: `combined` is the fitted combination of signals, `cosine` the plain rule.
        threshold: Least score at which a claim and a nugget speak of the same thing, 0 to 1.
        margin: Within this of the best score, other nuggets are potential matches.
        supports_at: Least entailment probability at which a passage supports a claim.
        contradicts_at: Least contradiction probability at which a passage contradicts a claim.
        offline: Ask nothing of any source outside this machine.
        max_failed: Share of items that may fail before the run ends red, 0 to 1.
        sort_by: Metric that the leaderboard is sorted by.
        run_name: A name for people; the run's id is made for it.
        dataset: The data set's name; the data's own file or folder name unless given.
        retry: Ask again for what earlier runs set aside as not found or abstained.
        samples: How often the judge is asked about the same answer.
        phi: What happens where something that may name a patient would leave this machine.
        listwise: Have the judge compare the answers of a question side by side as well.
        max_calls: Most calls that the run may make to models.
        max_tokens: Most tokens that it may use.
        max_money: Most money that it may spend, in the currency of the price file.
        prices: The price file; `prices.json` in the home unless given.
    """

    data: str
    profile: Profile = "seed"
    judge: str = "auto"
    llm: str = "none"
    embedder: str = "embedded"
    entailment: str = "embedded"
    matcher: Matcher = "combined"
    threshold: float = 0.75
    margin: float = 0.05
    supports_at: float = 0.5
    contradicts_at: float = 0.5
    offline: bool = False
    max_failed: float = 0.02
    sort_by: str = "nugget_coverage"
    run_name: str | None = None
    dataset: str | None = None
    retry: bool = False
    samples: int = 1
    phi: Phi = "block"
    listwise: bool = False
    max_calls: int | None = None
    max_tokens: int | None = None
    max_money: float | None = None
    prices: str | None = None
    entail_on: EntailOn = "here"

    def __post_init__(self) -> None:
        """Refuse what no run could honour.

        Raises:
            UsageError: naming the setting and what it may be.
        """
        for name in ("threshold", "margin", "supports_at", "contradicts_at", "max_failed"):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise UsageError(f"{name} is {value}: choose a number from 0 to 1")
        for name, allowed in (
            ("profile", ("seed", "bioace", "trec")),
            ("matcher", ("combined", "cosine")),
            ("phi", ("block", "redact", "allow")),
            ("entail_on", ("here", "gpu")),
        ):
            if getattr(self, name) not in allowed:
                raise UsageError(f"{name} is {getattr(self, name)!r}: choose one of {', '.join(allowed)}")
        if self.samples < 1:
            raise UsageError(f"samples is {self.samples}: choose 1 or more")
        for name in ("max_calls", "max_tokens", "max_money"):
            most = getattr(self, name)
            if most is not None and most < 0:
                raise UsageError(f"{name} is {most}: choose 0 or more")

    def as_dict(self) -> dict[str, Any]:
        """Return the choices as JSON-able values, for the run's row."""
        return asdict(self)
