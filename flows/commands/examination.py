"""`medassay doctor`."""

from typing import Any

import click
from click.core import ParameterSource

from medassay.flows.commands.choices import settings_options, with_options
from medassay.flows.commands.exit_codes import COULD_NOT_RUN, OVER_MAX_FAILED, as_json, clear_errors
from medassay.models.settings import CAPS as CAPS_NAMED

MODELS_TRIED, JUDGE_EXAMINED = ("metamorphic",), ("licence", "attacks", "lengths")
HEEDED_BY = {
    **dict.fromkeys(("llm", "matcher"), MODELS_TRIED),
    **dict.fromkeys(("embedder", "reader"), (*MODELS_TRIED, *JUDGE_EXAMINED)),
    **dict.fromkeys(("judge", *CAPS_NAMED, "prices"), JUDGE_EXAMINED),
    "listwise": ("licence", "attacks"),
}
"""Which examinations each option is for."""


@click.command()
@click.option(
    "--metamorphic",
    is_flag=True,
    help="Try on the models what any measure must satisfy; exit code 1 where it fails.",
)
@click.option(
    "--licence",
    is_flag=True,
    help="Have the judge order pairs that differ in one error; exit code 1 where it misses over 10 %.",
)
@click.option(
    "--attacks", is_flag=True, help="Try to talk the judge into a score; exit code 1 where it works."
)
@click.option(
    "--lengths", is_flag=True, help="Say what padding and cutting answers does to the judge's marks."
)
@with_options(*settings_options(*HEEDED_BY))
@click.option("--json", "machine", is_flag=True, help="Print one JSON array of objects.")
def doctor(
    machine: bool,
    metamorphic: bool,
    licence: bool,
    attacks: bool,
    lengths: bool,
    listwise: bool,
    **chosen: Any,
) -> None:
    """Look at this installation and say what works, what does not, and what to do.

    --embedder and --reader go with every examination, --llm and --matcher with --metamorphic, the judge and the caps
    with --licence, --attacks and --lengths, where the caps hold for all that is asked together.
    """
    with clear_errors():
        refuse_idle_options(
            {"metamorphic": metamorphic, "licence": licence, "attacks": attacks, "lengths": lengths}
        )
        if metamorphic or licence or attacks or lengths:
            codes = []
            models = {name: chosen[name] for name in ("llm", "embedder", "reader", "matcher")}
            if metamorphic and not try_properties(machine, models):
                codes.append(OVER_MAX_FAILED)
            if licence or attacks or lengths:
                from medassay.flows import judge_examination as of_judges
                from medassay.models.settings import Settings

                licensed = of_judges.LICENCE_TO_COMPARE if listwise else of_judges.LICENCE
                attacked = of_judges.ATTACKS_ON_COMPARING if listwise else of_judges.ATTACKS
                asked_for = ((licensed, licence), (attacked, attacks), (of_judges.LENGTHS, lengths))
                limits = Settings("doctor", **chosen)
                examinations = [one for one, is_wanted in asked_for if is_wanted]
                codes.append(of_judges.examine_judges(examinations, limits, machine))
            if any(codes):
                raise SystemExit(max(codes))
            return
        from medassay.flows.doctor import examine

        findings = examine()
        if machine:
            click.echo(as_json([finding.as_dict() for finding in findings]))
        else:
            for finding in findings:
                colour: dict[str, str] = {"ok": "green", "note": "yellow", "broken": "red"}
                click.echo(click.style(f"{finding.state:>6}", fg=colour[finding.state]) + f"  {finding.what}")
        if any(finding.state == "broken" for finding in findings):
            raise SystemExit(COULD_NOT_RUN)


def refuse_idle_options(wanted: dict[str, bool]) -> None:
    """Refuse an option that none of the examinations asked for would heed.

    Raises:
        UsageError: naming it, and what it goes with.
    """
    from medassay.models.usage import UsageError

    context = click.get_current_context()
    for name, examinations in HEEDED_BY.items():
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if given and not any(wanted[examination] for examination in examinations):
            option = "--" + name.replace("_", "-")
            goes_with = " or ".join(f"--{examination}" for examination in examinations)
            raise UsageError(f"{option} goes with {goes_with}: say that too, or leave {option} out")


def try_properties(machine: bool, models: dict[str, str]) -> bool:
    """Print which metamorphic properties hold for the models, and where one does not; return whether all hold."""
    from medassay.flows.metamorphic import examine

    found = examine(**models)
    if machine:
        click.echo(as_json([property.as_dict() for property in found]))
    else:
        for property in found:
            n_broken = len({place.partition(":")[0] for place in property.broken})
            state = click.style(" holds", fg="green") if property.holds else click.style(" fails", fg="red")
            click.echo(
                f"{state}  {property.says} ({property.n_cases - n_broken} of {property.n_cases} cases)"
            )
            for place in property.broken:
                click.echo(f"          {place}")
    return all(property.holds for property in found)
