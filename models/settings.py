"""The options of an evaluation: the one record from which commands, forms, library, plan and docs are made."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from medassay.models.options import (
    Amount,
    AtLeastOne,
    DataPath,
    EmbedderSpec,
    EngineSpec,
    JudgeSpec,
    Metrics,
    ModelSpec,
    Money,
    Name,
    Option,
    ReaderSpec,
    Share,
    SortBy,
    option_of,
    wanted,
)
from medassay.models.usage import UsageError

Profile = Literal["seed", "bioace", "trec"]
Matcher = Literal["combined", "cosine"]
Phi = Literal["block", "redact", "allow"]
LOUD_THRESHOLD = 0.6
CAPS = ("max_calls", "max_tokens", "max_money")
PRIMARY = ("nugget_coverage", "factual_correctness", "citation_precision", "rubric_score")
"""The metrics by which systems are compared unless others are declared."""
RENAMED = {"entailment": "reader"}
"""Options by the names that they had before."""


class Settings(BaseModel):
    """The options of one evaluation, written into its run.

    Raises:
        UsageError: for a value that no run could honour, naming the option and what to choose instead.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    data: Annotated[
        DataPath,
        EngineSpec,
        Option(
            "Measured",
            "Folder with `questions.*`, `answers.*` and perhaps `documents.*`, or one file of whole records (JSONL,"
            " JSON, CSV, Parquet; .gz too).",
        ),
    ]
    profile: Annotated[
        Profile,
        Option(
            "Measured",
            "Published definition that completeness, correctness, precision and recall follow. `seed` is the default,"
            " `bioace` the paper's own code, `trec` AutoNuggetizer.",
            factor="profile",
        ),
    ] = "seed"
    primary: Annotated[
        Metrics,
        Option(
            "Measured",
            "Metrics by which systems are compared, declared before anything is scored; commas between. With every"
            " pair of systems they are one family, corrected together; all other comparisons are exploratory.",
            metavar="METRICS",
            decides=True,
        ),
    ] = PRIMARY
    sort_by: Annotated[SortBy, Option("Measured", "Metric that sorts the leaderboard.", metavar="METRIC")] = (
        "nugget_coverage"
    )
    columns: Annotated[
        tuple[str, ...],
        Option(
            "Measured",
            'What a heading in the data means that is not known, as `reference_answer="Gold Answer"`; may be repeated.',
            flags=("--column",),
            metavar='FIELD="HEADING"',
            is_repeated=True,
        ),
    ] = ()
    dataset: Annotated[
        Name | None,
        Option("Measured", "Name of the data set; its folder's or file's name unless given.", metavar="NAME"),
    ] = None
    run_name: Annotated[
        Name | None, Option("Measured", "A name for this run, for people.", metavar="NAME")
    ] = None
    judge: Annotated[
        JudgeSpec,
        Option(
            "Judge",
            "Who gives the rubric's marks: `evidence` (made of what was read, by formulas), `none`, `trained:<name>`,"
            " `hf:` and a folder of a chat model, a GGUF file or a hub id (served here), an OpenAI-compatible"
            " server and its model, as `https://llm.hospital.example/v1#big-model`, `anthropic:<model>` or"
            " `gemini:<model>`. Several with commas between them are a panel: an answer's mark is the mean of all of"
            " them. A judge that writes may be followed by `,temperature=0.7`; without it the most probable reply is"
            " asked for. `auto` is `evidence`.",
            metavar="SPEC",
            factor="judge",
        ),
    ] = "evidence"
    samples: Annotated[
        AtLeastOne,
        Option(
            "Judge",
            "How often the judge is asked about the same answer. The mark is the mean, the spread is reported. At"
            " temperature 0 it is only what the server itself varies.",
            factor="judge",
        ),
    ] = 1
    listwise: Annotated[
        bool,
        Option(
            "Judge",
            "Have the judge compare the answers of a question side by side as well, in balanced orders. Of a panel the"
            " first that writes does it alone.",
        ),
    ] = False
    criteria_per_call: Annotated[
        AtLeastOne,
        Option("Judge", "How many criteria of one answer the judge is asked about in one call."),
    ] = 8
    llm: Annotated[
        ModelSpec,
        Option(
            "Models",
            "Model that splits answers into atomic facts, makes nuggets from reference answers and says which of them"
            " an answer holds: `none` (rules and signals alone), `embedded`, or a server and its model or `hf:…` as"
            " for the judge.",
            metavar="SPEC",
            factor="language model",
        ),
    ] = "none"
    embedder: Annotated[
        EmbedderSpec,
        Option(
            "Models",
            "Sentence-embedding model: `embedded`, `hf:` and a hub id or folder, or an OpenAI-compatible server and its"
            " model, as `https://llm.hospital.example/v1#embedder`, asked at `/v1/embeddings`.",
            metavar="SPEC",
            factor="embedding model",
        ),
    ] = "embedded"
    reader: Annotated[
        ReaderSpec,
        Option(
            "Models",
            "Who says whether a text states a nugget or a claim, or turns it around: `encoder` (fast), `llm` (the"
            " embedded language model with the project's adapter), `cascade` (the encoder settles what it is sure of,"
            " the language model reads the rest), `auto` (the cascade where its models are here), `none`, `hf:` and a"
            " hub id or folder, or an OpenAI-compatible server and its model. With `logprobs:` before a server the"
            " probabilities of the model's letters are read, as of `llm`, and not what it writes.",
            flags=("--reader", "--entailment"),
            metavar="SPEC",
            factor="entailment model",
        ),
    ] = "auto"
    offline: Annotated[
        bool,
        Option(
            "Models", "Ask no source outside this machine, even where NCBI_EMAIL is set, and fetch no model."
        ),
    ] = False
    matcher: Annotated[
        Matcher,
        Option(
            "Decisions",
            "How claims and nuggets are matched: `combined` (what the reader says of windows of the answer) or"
            " `cosine` (the plain rule).",
            factor="matcher",
        ),
    ] = "combined"
    threshold: Annotated[
        Share,
        Option(
            "Decisions",
            "Least score at which a claim and a nugget speak of the same thing, 0 to 1. Below 0.6 much that differs"
            " counts as the same.",
            decides=True,
            factor="threshold",
        ),
    ] = 0.75
    margin: Annotated[
        Share,
        Option(
            "Decisions",
            "Within this of the best score, other nuggets are potential matches.",
            decides=True,
            factor="weights",
        ),
    ] = 0.05
    supports_at: Annotated[
        Share,
        Option(
            "Decisions",
            "Least probability at which a source supports a claim, 0 to 1, where entailment is the most probable."
            " Lower finds more support, higher trusts more of what is found.",
            metavar="P",
            decides=True,
            factor="weights",
        ),
    ] = 0.5
    contradicts_at: Annotated[
        Share,
        Option(
            "Decisions",
            "Least probability at which a source contradicts a claim, 0 to 1, where contradiction is the most"
            " probable.",
            metavar="P",
            decides=True,
            factor="weights",
        ),
    ] = 0.5
    max_failed: Annotated[
        Share,
        Option(
            "Limits",
            "Share of items that may fail, 0 to 1. Over it the run is published and ends red, the command with exit"
            " code 1. Rows in quarantine are not counted.",
            metavar="SHARE",
        ),
    ] = 0.02
    retry: Annotated[
        bool, Option("Limits", "Ask again for sources that were not found and items that abstained.")
    ] = False
    phi: Annotated[
        Phi,
        Option(
            "Limits",
            "What happens where something that may name a patient would leave this machine: `block` (the run ends"
            " before anything is sent), `redact` (placeholders are sent) or `allow`.",
            factor="judge",
        ),
    ] = "block"
    max_calls: Annotated[
        Amount | None,
        Option("Limits", "Most calls to models. The run stops cleanly there and the next one goes on."),
    ] = None
    max_tokens: Annotated[Amount | None, Option("Limits", "Most tokens to use, sent and received.")] = None
    max_money: Annotated[
        Money | None, Option("Limits", "Most money to spend, in the currency of the price file.")
    ] = None
    prices: Annotated[
        str | None,
        Option("Limits", "File of prices by model; `prices.json` in the home unless given.", metavar="FILE"),
    ] = None
    on: Annotated[
        EngineSpec,
        Option(
            "Engine",
            "Where local models read: `here`, `prefect:<pool>` (workers of a Prefect work pool), `jobs` (of any"
            " scheduler, by `medassay part`), `ray` or `ray://<host>:<port>`. Parts of whole questions are sent there;"
            " what spends money or asks the network stays here. Here a machine with eight cores or more works in"
            " several processes. Elsewhere texts are read in bfloat16, as GPUs do.",
            metavar="ENGINE",
        ),
    ] = "here"
    parts: Annotated[
        AtLeastOne | None,
        Option("Engine", "Into how many parts a run is cut; chosen by the engine unless given."),
    ] = None
    storage: Annotated[
        Name | None,
        Option(
            "Engine",
            "Folder or URL (s3://, gs://, abfs:// …) where parts lie that both sides see; `parts` in the home unless"
            " given.",
            metavar="PLACE",
        ),
    ] = None
    first_pass: bool = False
    """Whether the encoder alone reads, and a run follows in which the language model reads what it was not sure of."""

    def __init__(self, data: str, **options: Any) -> None:
        """Check the options."""
        for before, now in RENAMED.items():
            if before in options:
                options[now] = options.pop(before)
        if (entail_on := options.pop("entail_on", None)) == "gpu":
            options["on"] = "prefect:gpu"
        elif entail_on not in (None, "here"):
            raise UsageError(f"entail_on is {entail_on!r}: write on, one of here, prefect:<pool>, ray")
        if str(options.get("judge")).strip() in ("auto", "embedded", "embedded:quick"):
            options["judge"] = "evidence"
        try:
            super().__init__(data=data, **options)
        except ValidationError as error:
            raise UsageError(_refusal(error.errors()[0])) from None
        if len(set(self.primary)) < len(self.primary):
            raise UsageError(f"primary is {', '.join(self.primary)}: name each metric once")

    def but(self, **changes: Any) -> Self:
        """Return the same options but for these.

        Raises:
            UsageError: as for a new record.
        """
        return type(self)(**{**self.as_dict(), **changes})

    def as_dict(self) -> dict[str, Any]:
        """Return the options as JSON-able values, for the run's row."""
        return self.model_dump(mode="json")

    def choices(self) -> dict[str, Any]:
        """Return what a flow takes: the options that people set."""
        return {name: getattr(self, name) for name in OPTIONS}

    @classmethod
    def chosen(cls, data: str, among: Mapping[str, Any]) -> Self:
        """Return the record of those entries that are options."""
        return cls(data, **{name: value for name, value in among.items() if name in OPTIONS})


OPTIONS = {name: option for name, field in Settings.model_fields.items() if (option := option_of(field))}
"""The options that people set, by name, in the order of forms and docs."""


def _refusal(error: Any) -> str:
    """Return which option pydantic refused, and what to choose instead."""
    name = str(error["loc"][0])
    if error["type"] == "extra_forbidden":
        return f"an evaluation has no option {name!r}: choose of {', '.join(OPTIONS)}"
    value = error["input"]
    shown = "empty" if value in ((), []) else repr(value)
    return f"{name} is {shown}: {wanted(Settings.model_fields[name], error)}"
