"""Which judges a spec means: `auto | none | embedded | embedded:quick | hf:<id or folder> | <base_url>#<model>`, or
several with commas between them.
"""

from dataclasses import dataclass

from models.chat.endpoint import Endpoint, SpecError, endpoint_of, parse_spec
from models.chat.fence import secret_of_nobody
from models.chat.served import EMBEDDED_MODEL, endpoint_named
from models.judges.embedded.judge import EMBEDDER, EmbeddedJudge
from models.judges.judging import Judge
from models.judges.rubric import RubricJudge
from models.settings import Settings


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
    missing = [model.name for model in (EMBEDDED_MODEL, EMBEDDER) if not path_of(model).exists()]
    if spec == "auto" and missing:
        return NoJudge(
            f"the embedded judge is not on this machine: medassay models pull {' '.join(missing)}, "
            "or name a judge with --judge <base_url>#<model>"
        )
    if spec in ("auto", "embedded"):
        return EmbeddedJudge(model_path)
    if spec == "embedded:quick":
        return EmbeddedJudge(model_path, preset="quick")
    return RubricJudge(endpoint_named(spec, "judge"), secret if secret is not None else secret_of_nobody())


def choose_panel(spec: str, secret: bytes | None = None) -> tuple[Judge, ...] | NoJudge:
    """Choose the judges of a spec, in the order in which they are named; one is a panel of one.

    Raises:
        SpecError: for a part that cannot be read, `auto` or `none` among several, and a judge named twice.
    """
    parts = [part.strip() for part in spec.split(",")]
    if len(parts) == 1:
        chosen = choose_judge(parts[0], secret)
        return chosen if isinstance(chosen, NoJudge) else (chosen,)
    panel: list[Judge] = []
    for part in parts:
        chosen = choose_judge(part, secret)
        if part in ("auto", "none") or isinstance(chosen, NoJudge):
            raise SpecError(
                f"'{part}' is no member of a panel: write embedded, embedded:quick, hf:<id or folder> or "
                "<base_url>#<model>"
            )
        if chosen.fingerprint in [judge.fingerprint for judge in panel]:
            raise SpecError(f"'{part}' is named twice: to ask one judge several times use --samples")
        panel.append(chosen)
    return tuple(panel)


def endpoint_asked(judge: Judge) -> Endpoint | None:
    """Return whom a judge asks in words, None for the embedded one, which is read by probability."""
    return judge.endpoint if isinstance(judge, RubricJudge) else None


def endpoints_of(settings: Settings) -> list[Endpoint]:
    """List the endpoints that a run may ask in words: its judges', its language model's, its citation checker's."""
    panel = choose_panel(settings.judge)
    found = [] if isinstance(panel, NoJudge) else [endpoint_asked(judge) for judge in panel]
    if settings.llm.strip() not in ("none", "embedded"):
        found.append(endpoint_named(settings.llm, "llm"))
    parsed = parse_spec(settings.entailment)
    if parsed.kind == "remote":
        found.append(endpoint_of(parsed, "entailment"))
    return [endpoint for endpoint in found if endpoint is not None]
