"""Which judges a spec means: `evidence | none | trained:<name> | hf:<id or folder> | <base_url>#<model>`, or several
with commas between them. A judge that writes may be followed by `,temperature=0.7`. `auto` is `evidence`, and so are
`embedded` and `embedded:quick`, a judge of before.
"""

import math
from dataclasses import dataclass

from medassay.models.chat.endpoint import Endpoint
from medassay.models.chat.fence import default_secret
from medassay.models.chat.local.served import endpoint_named
from medassay.models.judges.evidence import EvidenceJudge
from medassay.models.judges.judgement import Judge
from medassay.models.judges.rubric import RubricJudge
from medassay.models.nli.choosing import address_of
from medassay.models.served_embedding import embedder_address
from medassay.models.settings import Settings
from medassay.models.specs import TRAINED, SpecError

EVIDENCE_SPECS = ("evidence", "auto", "embedded", "embedded:quick")
SETTING = ",temperature="
HOTTEST = 2.0


@dataclass(frozen=True, slots=True)
class NoJudge:
    """There is no judge, and this is why."""

    reason: str


def choose_judge(spec: str, secret: bytes | None = None) -> Judge | NoJudge:
    """Choose the judge of a spec.

    `secret` is the home's: it makes the fences of the rubric's prompt unguessable.

    Raises:
        SpecError: for a spec that cannot be read, and for one this stage cannot serve.
    """
    if spec == "none":
        return NoJudge("no judge was asked for (--judge none)")
    if spec.startswith(TRAINED):
        endpoint_named(spec, "judge")
        return NoJudge(f"{spec} compares answers side by side, and gives no marks")
    if SETTING in spec and spec.partition(SETTING)[0] in (*EVIDENCE_SPECS, "none"):
        raise SpecError(
            f"'{spec}': a temperature is for a judge that writes, named by <base_url>#<model> or hf:…"
        )
    if spec in EVIDENCE_SPECS:
        return EvidenceJudge()
    named, _, temperature = spec.partition(SETTING)
    return RubricJudge(
        endpoint_named(named, "judge"),
        secret if secret is not None else default_secret(),
        _temperature(temperature) if temperature else 0.0,
    )


def judges_named(spec: str) -> list[str]:
    """List the judges of a spec, each with its own setting."""
    named: list[str] = []
    for part in (part.strip() for part in spec.split(",")):
        if named and part.startswith(SETTING[1:]):
            named[-1] += f",{part}"
        else:
            named.append(part)
    return named


def _temperature(text: str) -> float:
    try:
        temperature = float(text)
    except ValueError:
        temperature = math.nan
    if not 0 <= temperature <= HOTTEST:
        raise SpecError(f"a judge's temperature is '{text}': choose a number from 0 to {HOTTEST:g}")
    return temperature


def choose_panel(spec: str, secret: bytes | None = None) -> tuple[Judge, ...] | NoJudge:
    """Choose the judges of a spec, in the order in which they are named; one is a panel of one.

    Raises:
        SpecError: for a part that cannot be read, `auto` or `none` among several, and a judge named twice.
    """
    parts = judges_named(spec)
    if len(parts) == 1:
        chosen = choose_judge(parts[0], secret)
        return chosen if isinstance(chosen, NoJudge) else (chosen,)
    panel: list[Judge] = []
    for part in parts:
        chosen = choose_judge(part, secret)
        if part == "none" or isinstance(chosen, NoJudge):
            raise SpecError(
                f"'{part}' is no member of a panel: write evidence, hf:<id or folder> or <base_url>#<model>"
            )
        if chosen.fingerprint in [judge.fingerprint for judge in panel]:
            raise SpecError(f"'{part}' is named twice: to ask one judge several times use --samples")
        panel.append(chosen)
    return tuple(panel)


def endpoint_asked(judge: Judge) -> Endpoint | None:
    """Return whom a judge asks in words, None for marks from evidence, which ask nobody."""
    return judge.endpoint if isinstance(judge, RubricJudge) else None


def endpoints_of(settings: Settings) -> list[Endpoint]:
    """List the endpoints that a run may send texts to: judges', language model's, citation checker's, embedder's."""
    panel = choose_panel(settings.judge)
    found: list[Endpoint | None] = (
        [] if isinstance(panel, NoJudge) else [endpoint_asked(judge) for judge in panel]
    )
    if settings.llm.strip() not in ("none", "embedded"):
        found.append(endpoint_named(settings.llm, "llm"))
    found += [address_of(settings.reader), embedder_address(settings.embedder)]
    return [endpoint for endpoint in found if endpoint is not None]
