"""Settings of a run, with their meaning."""

import math
import re
from dataclasses import asdict, dataclass
from typing import Any, Literal

Profile = Literal["seed", "bioace", "trec"]
Matcher = Literal["combined", "cosine"]
Phi = Literal["block", "redact", "allow"]
EntailOn = Literal["here", "gpu"]
LOUD_THRESHOLD = 0.6
_REMOTE = r"https?://[^\s#]+#\S.*"
MODEL = rf"^\s*(none|embedded|hf:\S.*|{_REMOTE})\s*$"
READER = rf"^\s*(auto|none|encoder|embedded|llm|cascade|hf:\S.*|(logprobs:)?{_REMOTE})\s*$"
LOCAL_MODEL = r"^\s*(embedded|hf:\S.*)\s*$"
# Of a panel, a list with commas between, the parts are read one by one where it is made.
TRAINED = "trained:"
"""What names a judge that was trained here; it compares answers side by side and does nothing else."""
JUDGE = rf"^\s*(evidence|auto|none|embedded(:quick)?|{TRAINED}[\w.-]+|hf:[^\s,][^,]*|{_REMOTE})(\s*,.+)?$"


CAPS = ("max_calls", "max_tokens", "max_money")
PRIMARY = ("nugget_coverage", "factual_correctness", "citation_precision", "rubric_score")
"""The metrics by which systems are compared unless others are declared."""


class UsageError(Exception):
    """A choice that cannot be carried out; the message names it and says what to choose instead."""


def refuse_share(name: str, value: float) -> None:
    """Refuse what is no share, NaN too.

    Raises:
        UsageError: naming the setting and what it may be.
    """
    if not 0.0 <= value <= 1.0:
        raise UsageError(f"{name} is {value}: choose a number from 0 to 1")


def refuse_cap(name: str, most: float | None) -> None:
    """Refuse a cap that nothing could be held to: below 0, NaN and infinite; None is no cap.

    Raises:
        UsageError: naming the setting and what it may be.
    """
    if most is not None and not 0 <= most < math.inf:
        raise UsageError(f"{name} is {most}: choose 0 or more, or leave it out for no cap")


@dataclass(frozen=True, slots=True)
class Settings:
    """The choices of one evaluation, written into its run.

    Attributes:
        data: Folder with `questions.*`, `answers.*` and perhaps `documents.*`, or one file of whole records
            (JSONL, JSON, CSV, Parquet; .gz too).
        profile: Which published definition completeness, correctness, precision and recall follow:
            seed (default), bioace (the paper's own code) or trec (AutoNuggetizer).
        judge: Who gives the rubric's marks: `evidence` (made of what was read, by formulas; also written `auto`),
            `none`, an OpenAI-compatible server and its model, such as
            `https://llm.hospital.example/v1#big-model`, or `hf:` and a folder of a chat model, a GGUF file or a hub id
            (fetched if it is not here), served on this machine.
            Several with commas between them are a panel: an answer's mark is the mean of all of them. A judge that
            writes may be followed by `,temperature=0.7`; without it the most probable reply is asked for.
        llm: A model that splits answers into atomic facts, makes nuggets from reference answers and says which
            of them an answer holds: `embedded`, a server and its model or `hf:…` as for the judge; `none` keeps to
            the embedded rules and signals.
        embedder: Sentence-embedding model: `embedded`, or `hf:` and a hub id or folder.
        entailment: The reader, which says whether a text states a nugget or a claim, or turns it around: `encoder`
            (fast), `llm` (the embedded language model with the project's adapter), `cascade` (the encoder settles what
            it is sure of, the language model reads the rest), `auto` (the cascade where its models are here),
            `none`, `hf:` and a hub id or folder, or an OpenAI-compatible server and its model; with `logprobs:` before
            it the probabilities of the model's letters are read, as of `llm`, and not what it writes.
        entail_on: Where the entailment model reads: `here`, or on the workers of the work pool `gpu`.
        matcher: combined (what the reader says of windows of the answer) or cosine (the plain rule).
        threshold: Least score at which a claim and a nugget speak of the same thing, 0 to 1;
            below 0.6 much that differs counts as the same.
        margin: Within this of the best score, other nuggets are potential matches.
        supports_at: Least probability at which a source supports a claim, 0 to 1, where entailment is the most
            probable; lower finds more support, higher trusts more of what is found.
        contradicts_at: Least probability at which a source contradicts a claim, 0 to 1, where contradiction is the
            most probable.
        offline: Ask no source outside this machine, even where NCBI_EMAIL is set, and fetch no model.
        max_failed: Share of items that may fail, 0 to 1; over it the run is published and ends red. Rows in quarantine
            are not counted.
        sort_by: Metric that the leaderboard is sorted by.
        primary: Metrics by which systems are compared, declared before anything is scored: with every pair of
            systems they are one family, corrected together; all other comparisons are exploratory.
        run_name: A name for this run, for people.
        dataset: Name of the data set; its folder's or file's name unless given.
        retry: Ask again for sources that were not found and items that abstained.
        samples: How often the judge is asked about the same answer; the mark is the mean, the spread is reported. At
            temperature 0 it is only what the server itself varies.
        phi: What happens where something that may name a patient would leave this machine: block (the run ends
            before anything is sent), redact (placeholders are sent) or allow.
        listwise: Have the judge compare the answers of a question side by side as well, in balanced orders; of a
            panel the first that writes does it alone.
        criteria_per_call: How many criteria of one answer the judge is asked about in one call.
        max_calls: Most calls to models; the run stops cleanly there and the next one goes on.
        max_tokens: Most tokens to use, sent and received.
        max_money: Most money to spend, in the currency of the price file.
        prices: File of prices by model; `prices.json` in the home unless given.
        columns: What headings in the data mean that are not known, as `reference_answer=Gold Answer`.
        first_pass: Whether this is the first pass of an evaluation: read by the encoder alone, and followed by a run in
            which the language model reads what the encoder was not sure of.
    """

    data: str
    profile: Profile = "seed"
    judge: str = "evidence"
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
    primary: tuple[str, ...] = PRIMARY
    run_name: str | None = None
    dataset: str | None = None
    retry: bool = False
    samples: int = 1
    phi: Phi = "block"
    listwise: bool = False
    criteria_per_call: int = 8
    max_calls: int | None = None
    max_tokens: int | None = None
    max_money: float | None = None
    prices: str | None = None
    entail_on: EntailOn = "here"
    columns: tuple[str, ...] = ()
    first_pass: bool = False

    def __post_init__(self) -> None:
        """Refuse what no run could honour.

        Raises:
            UsageError: naming the setting and what it may be.
        """
        from medassay.metrics import BY_NAME
        from medassay.models.readers.choosing import named_reader

        object.__setattr__(self, "entailment", named_reader(self.entailment))
        if re.fullmatch(r"\s*(auto|embedded(:quick)?)\s*", self.judge):
            object.__setattr__(self, "judge", "evidence")

        for name in ("threshold", "margin", "supports_at", "contradicts_at", "max_failed"):
            refuse_share(name, getattr(self, name))
        for name, allowed in (
            ("profile", ("seed", "bioace", "trec")),
            ("matcher", ("combined", "cosine")),
            ("phi", ("block", "redact", "allow")),
            ("entail_on", ("here", "gpu")),
        ):
            if getattr(self, name) not in allowed:
                raise UsageError(f"{name} is {getattr(self, name)!r}: choose one of {', '.join(allowed)}")
        for name, pattern, forms in (
            (
                "judge",
                JUDGE,
                "evidence, none, trained:<name>, hf:<id or folder> or <base_url>#<model>",
            ),
            ("llm", MODEL, "none, embedded, hf:<id or folder> or <base_url>#<model>"),
            (
                "entailment",
                READER,
                "auto, encoder, llm, cascade, none, hf:<id or folder> or [logprobs:]<base_url>#<model>",
            ),
            ("embedder", LOCAL_MODEL, "embedded or hf:<id or folder>"),
        ):
            value = getattr(self, name)
            if not re.match(pattern, value):
                if value.startswith("http") and "#" not in value:
                    forms = f"{value}#<model>; the part after # names the model"
                raise UsageError(f"{name} is {value!r}: write {forms}")
        if self.sort_by not in BY_NAME:
            raise UsageError(f"sort_by is {self.sort_by!r}: choose one of {', '.join(BY_NAME)}")
        # A form and a run's row hold it as a list.
        object.__setattr__(self, "primary", tuple(self.primary))
        object.__setattr__(self, "columns", tuple(self.columns))
        if unknown := [name for name in self.primary if name not in BY_NAME]:
            raise UsageError(f"primary names {unknown[0]!r}: choose of {', '.join(BY_NAME)}")
        if not self.primary or len(set(self.primary)) < len(self.primary):
            raise UsageError(
                f"primary is {', '.join(self.primary) or 'empty'}: name one metric or more, each once"
            )
        for name in ("run_name", "dataset"):
            if (text := getattr(self, name)) is not None and not text.strip():
                raise UsageError(f"{name} is blank: give a name, or leave it out")
        for name in ("samples", "criteria_per_call"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}: choose 1 or more")
        for name in CAPS:
            refuse_cap(name, getattr(self, name))

    def as_dict(self) -> dict[str, Any]:
        """Return the choices as JSON-able values, for the run's row."""
        return asdict(self)
