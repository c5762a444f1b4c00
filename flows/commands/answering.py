"""`medassay answer`: send questions to systems and write their answers as data for `evaluate`."""

from pathlib import Path
from typing import Any

import click

from medassay.flows.commands.choices import LIMITS, settings_options, with_options
from medassay.flows.commands.exit_codes import OVER_MAX_FAILED, as_json, clear_errors, stop

SYSTEM = click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="NAME=BASE_URL,MODEL[,…]",
    help="A system to ask, also NAME=embedded, NAME=hf:FOLDER, NAME=anthropic:MODEL and NAME=gemini:MODEL; may be"
    " repeated."
    " Own settings follow: temperature=, top_p=, top_k=, tokens=, cite=. Its key: MEDASSAY_<NAME>_API_KEY, else"
    " the provider's (OPENAI_API_KEY).",
)
TEMPERATURE = click.option("--temperature", type=float, default=0.5, show_default=True)
TOKENS = click.option(
    "--answer-tokens", type=int, default=200, show_default=True, help="Most tokens of an answer."
)
CITE = click.option(
    "--cite/--no-cite", default=False, show_default=True, help="Ask for PMIDs after each sentence."
)
GIVEN = click.option(
    "--with-given", is_flag=True, help="Keep the answers that lie beside the questions, too."
)


@click.command()
@click.argument("questions", type=click.Path(path_type=Path, exists=True))
@with_options(SYSTEM, TEMPERATURE)
@click.option("--top-p", type=float, default=1.0, show_default=True)
@click.option("--top-k", type=int, default=50, show_default=True, help="Left out where a server refuses it.")
@with_options(TOKENS, CITE, GIVEN)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to write; QUESTIONS-answered unless given.",
)
@click.option(
    "--max-age", metavar="HOURS", type=float, help="Ask anew where the kept answer is older than this."
)
@with_options(*LIMITS)
@with_options(*settings_options("max_failed"))
@click.option("--no-wait", is_flag=True, help="End with exit code 3 where a run holds the home.")
@click.option("--json", "machine", is_flag=True, help="Print the counts as one JSON array.")
def answer(
    questions: Path, out: Path | None, max_failed: float, machine: bool, no_wait: bool, **chosen: Any
) -> None:
    """Ask SYSTEMs the QUESTIONS (a folder or a file), and write a folder that `evaluate` and `compare` read.

    What was asked before, with the same words and settings, is not asked or paid for again. A question that a system
    could not be asked has a row with the reason.
    """
    with clear_errors():
        from medassay.flows.commands.sources import held_home
        from medassay.models.answering.systems import parse_systems
        from medassay.models.usage import refuse_share
        from medassay.sql.home import home_folder
        from medassay.tasks.answering.answer_folder import write_folder
        from medassay.tasks.answering.answers import ask_system, refuse_names, refuse_unpriced
        from medassay.tasks.answering.asked_questions import read_questions
        from medassay.tasks.spending.caps import common_cap

        refuse_share("max_failed", max_failed)
        limits = limits_of(chosen)
        systems = parse_systems(chosen["systems"], sampling_of(chosen))
        folder = out or questions.resolve().with_name(questions.resolve().name.split(".")[0] + "-answered")
        if folder.resolve() == (questions if questions.is_dir() else questions.parent).resolve():
            stop(f"--out {folder}: the questions lie there; name another folder", 2)
        refuse_unpriced(systems, home_folder(), limits)
        from medassay.flows.terminal.run import watching

        with held_home("answer", wait=not no_wait) as warehouse, watching():
            asked_of = read_questions(questions)
            refuse_names(warehouse, systems, asked_of.questions, limits)
            cap = common_cap(limits)
            asked = [
                ask_system(warehouse, home_folder(), s, asked_of.questions, limits, cap) for s in systems
            ]
        n_given = write_folder(folder, asked_of, asked, with_given=chosen["with_given"])
        counts = [one.summary() for one in asked]
        if machine:
            click.echo(as_json(counts))
        else:
            from medassay.flows.terminal.tables import print_asked

            print_asked(counts)
            if n_given:
                click.echo(f"{n_given:,} given answers kept beside them")
            click.echo(f"answers   {folder}")
            click.echo(f"next      medassay evaluate {folder}")
        n_failed, n_asked = (sum(row[name] for row in counts) for name in ("n_failed", "n_asked"))
        if n_failed > max_failed * n_asked:
            said = next(row["first_reason"] for row in counts if row["n_failed"])
            stop(f"{n_failed} of {n_asked} questions have no answer, first: {said}", OVER_MAX_FAILED)


def sampling_of(chosen: dict[str, Any]) -> Any:
    """Return the sampling that holds for every system without its own.

    Raises:
        SpecError: for one that no server could honour.
    """
    from medassay.models.answering.systems import Sampling, check_sampling

    sampling = Sampling(
        chosen["temperature"], chosen["top_p"], chosen["top_k"], chosen["answer_tokens"], chosen["cite"]
    )
    check_sampling(sampling)
    return sampling


def limits_of(chosen: dict[str, Any]) -> Any:
    """Return what asking may cost, and how old an answer may be.

    Raises:
        UsageError: for a cap or an age that is none.
    """
    from medassay.tasks.answering.answers import Limits, age_of

    hours = chosen.get("max_age")
    return Limits(
        **{name: chosen[name] for name in ("max_calls", "max_tokens", "max_money", "prices", "phi")},
        max_age=None if hours is None else age_of(hours),
    )
