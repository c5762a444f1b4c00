"""Which judge a spec means: `auto | none | embedded | <base_url>#<model>`."""

from dataclasses import dataclass

from models.chat.endpoint import SpecError, endpoint_of, parse_spec
from models.judges.embedded import EMBEDDED_MODEL, EmbeddedJudge
from models.judges.fence import secret_of_nobody
from models.judges.judging import Judge
from models.judges.rubric import RubricJudge


@dataclass(frozen=True, slots=True)
class NoJudge:
    """There is no judge, and this is why."""

    reason: str


def choose_judge(spec: str, secret: bytes | None = None) -> Judge | NoJudge:
    """Choose the judge of a spec; `auto` is the embedded one if its model is here, else none.

    `secret` is the home's: it makes the fences of the rubric's prompt unguessable.

    Raises:
        SpecError: for a spec that cannot be read, and for one this stage cannot serve.
    """
    from models.registry import path_of

    if spec == "none":
        return NoJudge("no judge was asked for (--judge none)")
    model_path = path_of(EMBEDDED_MODEL)
    if spec == "auto" and not model_path.is_file():
        return NoJudge(
            f"the embedded judge is not on this machine: medassay models pull {EMBEDDED_MODEL.name}, "
            "or name a judge with --judge <base_url>#<model>"
        )
    if spec in ("auto", "embedded"):
        return EmbeddedJudge(model_path)
    parsed = parse_spec(spec)
    if parsed.kind == "hf":
        raise SpecError(
            f"'{spec}' cannot judge by itself: serve it and write --judge <base_url>#{parsed.model}"
        )
    return RubricJudge(endpoint_of(parsed, "judge"), secret if secret is not None else secret_of_nobody())
