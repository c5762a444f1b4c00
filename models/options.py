"""Options: their types, what may be chosen, and how commands, forms and docs show them."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, Field
from pydantic.fields import FieldInfo

from medassay.metrics import BY_NAME
from medassay.models.specs import LOGPROBS, REMOTE_FORMS, REMOTE_PATTERN, TRAINED

MODEL = rf"^\s*(none|embedded|hf:\S.*|{REMOTE_PATTERN})\s*$"
READER = rf"^\s*(auto|none|encoder|embedded|llm|cascade|hf:\S.*|({LOGPROBS})?{REMOTE_PATTERN})\s*$"
EMBEDDER = r"^\s*(embedded|hf:\S.*|https?://[^\s#]+#\S.*)\s*$"
# Of a panel, a list with commas between, the parts are read one by one where it is made.
JUDGE = (
    rf"^\s*(evidence|auto|none|embedded(:quick)?|{TRAINED}[\w.-]+|hf:[^\s,][^,]*|{REMOTE_PATTERN})(\s*,.+)?$"
)


@dataclass(frozen=True, slots=True)
class Choose:
    """What to choose instead of a refused value; the end of the message."""

    instead: str


Group = Literal["Measured", "Judge", "Models", "Decisions", "Limits", "Engine"]


@dataclass(frozen=True, slots=True)
class Option:
    """How people set a field of a record: its words, and its place in commands, forms and docs.

    Attributes:
        group: Heading under which `--help` lists it.
        text: What it means. The first sentence is the command's help; forms and docs show the whole.
        flags: Names of the command's option; `--` and the field's name unless given.
        metavar: What stands for the value in `--help`.
        is_repeated: Whether the option is given once a value, not once with commas between values.
        decides: Whether views read it when numbers are made: it is part of a run's metrics version.
        factor: Factor of `models/attribution.py` to which a change of score is attributed where runs differ in it.
    """

    group: Group
    text: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    is_repeated: bool = False
    decides: bool = False
    factor: str | None = None

    @property
    def summary(self) -> str:
        """The first sentence, on one line."""
        return self.text.split(". ")[0].removesuffix(".") + "."


def _metric(name: str) -> str:
    if name not in BY_NAME:
        raise ValueError(f"{name!r} is no metric")
    return name


Share = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False), Choose("choose a number from 0 to 1")]
Amount = Annotated[int, Field(ge=0), Choose("choose 0 or more, or leave it out for no cap")]
Money = Annotated[
    float, Field(ge=0.0, allow_inf_nan=False), Choose("choose 0 or more, or leave it out for no cap")
]
AtLeastOne = Annotated[int, Field(ge=1), Choose("choose 1 or more")]
Name = Annotated[str, Field(pattern=r"\S"), Choose("give a name, or leave it out")]
DataPath = Annotated[str, Field(min_length=1), Choose("name a folder or a file")]
JudgeSpec = Annotated[
    str,
    Field(pattern=JUDGE),
    Choose(f"write evidence, none, trained:<name>, hf:<id or folder>, {REMOTE_FORMS}"),
]
ModelSpec = Annotated[
    str,
    Field(pattern=MODEL),
    Choose(f"write none, embedded, hf:<id or folder>, {REMOTE_FORMS}"),
]
ReaderSpec = Annotated[
    str,
    Field(pattern=READER),
    Choose("write auto, encoder, llm, cascade, none, hf:<id or folder> or [logprobs:]<base_url>#<model>"),
]
EmbedderSpec = Annotated[
    str, Field(pattern=EMBEDDER), Choose("write embedded, hf:<id or folder> or <base_url>#<model>")
]
EngineSpec = Annotated[
    str,
    Field(pattern=r"^(here|jobs|prefect:[\w.-]+|ray(://\S+:\d+)?)$"),
    Choose("write here, prefect:<pool>, jobs, ray or ray://<host>:<port>"),
]
# A list to choose from in the form.
SortBy = Annotated[
    str,
    AfterValidator(_metric),
    Field(json_schema_extra={"enum": list(BY_NAME)}),
    Choose(f"choose one of {', '.join(BY_NAME)}"),
]
Metrics = Annotated[
    tuple[SortBy, ...],
    Field(min_length=1, json_schema_extra={"uniqueItems": True}),
    Choose(f"name one or more of {', '.join(BY_NAME)}, each once"),
]


def option_of(field: FieldInfo) -> Option | None:
    """Return how people set a field, None for one that they do not set."""
    return next((one for one in field.metadata if isinstance(one, Option)), None)


def type_of(field: FieldInfo) -> Any:
    """Return a field's type without its annotations, and without None where it may be left out."""
    parts = [getattr(part, "__origin__", part) for part in get_args(field.annotation)]
    return parts[0] if type(None) in parts else field.annotation


def wanted(field: FieldInfo, error: Any) -> str:
    """Describe what to choose instead of a value that pydantic refused."""
    value = str(error["input"])
    if error["type"] == "string_pattern_mismatch" and value.startswith("http") and "#" not in value:
        return f"write {value}#<model>; the part after # names the model"
    if error["type"] == "literal_error":
        return f"choose one of {error['ctx']['expected']}".replace("'", "").replace(" or ", ", ")
    of_parts = (one for part in get_args(field.annotation) for one in getattr(part, "__metadata__", ()))
    choices = [one.instead for one in (*field.metadata, *of_parts) if isinstance(one, Choose)]
    return choices[0] if choices else str(error["msg"]).lower()
