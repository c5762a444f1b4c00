"""`medassay judge-data`: build training data for a judge."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from medassay.flows.commands.answering import CITE, SYSTEM, TEMPERATURE, TOKENS, limits_of, sampling_of
from medassay.flows.commands.choices import LIMITS, with_options
from medassay.flows.commands.exit_codes import (
    OVER_MAX_FAILED,
    NumberBetween,
    as_json,
    clear_errors,
    share,
    stop,
)
from medassay.flows.commands.judge_data_checking import check_commands
from medassay.flows.commands.judge_data_stores import store
from medassay.models.counting import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from medassay.models.judge_training.records import EvaluationCase
    from medassay.tasks.judge_training.building import Built
    from medassay.tasks.judge_training.recipe import Recipe

OUT = Path("judge-data")


@click.group("judge-data")
def judge_data() -> None:
    """Build the data that a judge of one's own is trained on: cases, experts' checks, a quality classifier."""


@judge_data.command("build")
@click.argument("questions", type=click.Path(path_type=Path, exists=True))
@click.option(
    "--strong", required=True, metavar="SPEC",
    help="The strong evaluator: <base_url>#<model>, embedded or hf:<id, folder or GGUF file>."
    " Its key: MEDASSAY_JUDGE_API_KEY, else OPENAI_API_KEY.",
)  # fmt: skip
@click.option(
    "--weak", metavar="SPEC",
    help="The weak evaluator, of the other training questions. Its key: MEDASSAY_WEAK_JUDGE_API_KEY, else"
    " OPENAI_API_KEY.",
)  # fmt: skip
@with_options(SYSTEM)
@click.option(
    "--test-systems", default="", metavar="NAMES",
    help="Systems kept for the test alone, at least two; commas between.",
)  # fmt: skip
@click.option("--with-given", is_flag=True, help="Use the answers that lie beside the questions, too.")
@click.option(
    "--reference-doctor/--no-reference-doctor", default=True, show_default=True,
    help="In training, let the reference answer be one of the doctors.",
)  # fmt: skip
@click.option(
    "--doctors", default=3, show_default=True, type=click.IntRange(2, 5), help="Most responses a case."
)
@click.option(
    "--orders", type=click.Choice(["all", "one"]), default="all", show_default=True,
    help="Show every response at every place, or each question in one order, turned from question to question.",
)  # fmt: skip
@click.option(
    "--most-questions", default=3, show_default=True, type=click.IntRange(min=0),
    help="How often an evaluator may ask the stores about a case.",
)  # fmt: skip
@click.option(
    "--passages", default=1, show_default=True, type=click.IntRange(min=1),
    help="Passages of each store in an answer.",
)  # fmt: skip
@click.option("--search", type=click.Choice(["duckdb", "faiss"]), default="duckdb", show_default=True)
@click.option(
    "--embedder", default="embedded", show_default=True, metavar="SPEC",
    help="Sentence-embedding model of the stores: embedded | hf:<id or folder>.",
)  # fmt: skip
@click.option(
    "--least-relevance", type=NumberBetween(-1, 1), metavar="COSINE",
    help="Drop questions that no passage of the store of medicine comes as near to.",
)  # fmt: skip
@click.option(
    "--rules", type=click.Path(path_type=Path, dir_okay=False),
    help="Rules that drop irrelevant questions, in place of those that come with MedAssay.",
)  # fmt: skip
@click.option("--test-share", type=share, default="20%", show_default=True, help="Of all questions.")
@click.option(
    "--strong-share", type=share, default="50%", show_default=True,
    help="Of the training questions, where there is a weak evaluator.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Draws questions and responses.")
@with_options(TEMPERATURE)
@click.option("--top-p", type=float, default=1.0, show_default=True)
@click.option("--top-k", type=int, default=50, show_default=True)
@with_options(TOKENS, CITE)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), default=OUT, show_default=True,
    help="Folder to write.",
)  # fmt: skip
@with_options(*LIMITS)
@click.option(
    "--max-failed", type=share, default="2%", show_default=True, metavar="SHARE",
    help="Over this share of answers and cases that nobody gave, the exit code is 1.",
)  # fmt: skip
@click.option("--no-wait", is_flag=True, help="End with exit code 3 where a run holds the home.")
@click.option("--json", "machine", is_flag=True, help="Print the card as one JSON object.")
def build_command(
    questions: Path, out: Path, max_failed: float, no_wait: bool, machine: bool, **chosen: Any
) -> None:
    """Build cases from QUESTIONS (a folder or file with reference answers), and write them into a folder.

    Systems answer, evaluators compare the answers and may first ask the knowledge stores. What was asked before is not
    asked or paid for again; a build that was stopped goes on where it was.
    """
    with clear_errors():
        from medassay.flows.commands.sources import held_home
        from medassay.flows.terminal.run import watching
        from medassay.models.judge_training.folder import write_data
        from medassay.models.usage import refuse_share
        from medassay.sql.home import home_folder
        from medassay.tasks.judge_training.building import build
        from medassay.tasks.judge_training.recipe import refuse_unpriced

        for name, value in (
            ("max_failed", max_failed),
            *((n, chosen[n]) for n in ("test_share", "strong_share")),
        ):
            refuse_share(name, value)
        recipe, limits = _recipe(chosen), limits_of(chosen)
        refuse_unpriced(recipe, home_folder(), limits)
        with held_home("judge-data build", wait=not no_wait) as warehouse, watching():
            built = build(warehouse, home_folder(), questions, recipe, limits)
        splits = write_data(out, built.data)
        if machine:
            from medassay.models.judge_training.folder import read_data_folder

            click.echo(as_json({**read_data_folder(out).card, "n_calls": built.n_calls}))
        else:
            _tell(built, {name: len(cases) for name, cases in splits.files.items()}, out)
        _refuse_undone(built, max_failed)


def _recipe(chosen: dict[str, Any]) -> "Recipe":
    from medassay.models.answering.systems import parse_systems
    from medassay.models.chat.local.served import endpoint_named
    from medassay.models.judge_training.questions import read_rules, shipped_rules
    from medassay.tasks.judge_training.recipe import Recipe

    sampling = sampling_of(chosen)
    systems = parse_systems(chosen["systems"], sampling) if chosen["systems"] else []
    names = (name.strip() for name in chosen["test_systems"].split(","))
    return Recipe(
        systems=tuple(systems),
        strong=endpoint_named(chosen["strong"], "judge"),
        weak=endpoint_named(chosen["weak"], "weak_judge") if chosen["weak"] else None,
        test_systems=tuple(name for name in names if name),
        reference_as_doctor=chosen["reference_doctor"],
        n_doctors=chosen["doctors"],
        n_passages=chosen["passages"],
        rules=read_rules(chosen["rules"]) if chosen["rules"] else shipped_rules(),
        **{
            name: chosen[name]
            for name in (
                "with_given", "orders", "test_share", "strong_share", "most_questions", "least_relevance",
                "embedder", "search", "seed",
            )
        },
    )  # fmt: skip


def _tell(built: "Built", n_of: dict[str, int], out: Path) -> None:
    from collections import Counter

    card = built.data.card
    click.echo(f"{card['n_questions_kept']:,} of {counted(card['n_questions'], 'question')} kept")
    for (stage, rule), n in sorted(Counter((d.stage, d.rule) for d in built.data.drops).items()):
        click.echo(f"dropped   {n:,} by {stage}: {rule}")
    cases = card["cases"]
    click.echo(
        f"cases     {cases['scored']:,} scored, {cases['abstained']:,} abstained, {built.n_undone:,} still to do;"
        f" {counted(cases['questions_asked'], 'question')} asked about {cases['with_questions']:,} of them"
    )
    click.echo("splits    " + ", ".join(f"{name} {n:,}" for name, n in n_of.items()))
    click.echo(f"calls     {built.n_calls:,} made now")
    click.echo(f"data      {out}")
    click.echo(f"next      medassay judge-data export checks.csv --data {out} --by NAME")


def _refuse_undone(built: "Built", max_failed: float) -> None:
    """Describe what is missing and how to go on; end with exit code 1 where that is more than is allowed."""
    if not built.n_undone:
        return
    from medassay.tasks.spending.caps import how_to_go_on

    n_all = built.n_undone + len(built.data.cases)
    said = how_to_go_on(built.reached) if built.reached else f"first: {built.first_reason}"
    message = f"{built.n_undone:,} of {n_all:,} answers and cases are missing; {said}"
    if built.n_undone > max_failed * n_all:
        stop(message, OVER_MAX_FAILED)
    click.echo(message, err=True)


@judge_data.command("mediqa")
@click.argument("data", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Folder to write the cases into."
)
@click.option(
    "--judge",
    metavar="SPEC",
    help="Have a judge compare the answers of the test, and print how far its points agree with the scores:"
    " trained:<name> | hf:<id, folder or GGUF file> | <base_url>#<model>.",
)
@click.option(
    "--triples", default=1, show_default=True, type=click.IntRange(min=1), help="Most triples a question."
)
@click.option("--untied", is_flag=True, help="Only triples of three different scores.")
@click.option("--test-share", type=share, default="30%", show_default=True, help="Of the questions.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Draws triples and the questions of the test."
)
@with_options(*LIMITS)
@click.option("--json", "machine", is_flag=True, help="Print the judge's table as one JSON array.")
def mediqa_command(
    data: Path,
    out: Path | None,
    judge: str | None,
    triples: int,
    untied: bool,
    test_share: float,
    seed: int,
    machine: bool,
    **limits: Any,
) -> None:
    """Turn MEDIQA's ranked answers (DATA, answers_dev.jsonl.gz or its folder) into cases with gold scores.

    Gold are manual relevance scores from 1 to 4, not doctors' marks. With --out it writes train.jsonl and test.jsonl,
    no question in both. With --judge it prints 2-tuples, triples, untied pairs, ρ, r and τ of the judge's points,
    beside a fixed order of systems, the longer answer and a ridge on length and cosine, which learn from the others.
    """
    with clear_errors():
        from medassay.models.judge_training.mediqa import mediqa_cases, read_mediqa, split_by_question
        from medassay.models.judge_training.records import write_cases
        from medassay.models.usage import UsageError, refuse_share

        refuse_share("test_share", test_share)
        if out is None and judge is None:
            raise UsageError("nothing to do: write the cases with --out, or measure a judge with --judge")
        cases = mediqa_cases(read_mediqa(data), seed=seed, most=triples, untied=untied)
        train, test = split_by_question(cases, test_share, seed)
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
            for name, part in (("train", train), ("test", test)):
                write_cases(out / f"{name}.jsonl", part)
                click.echo(f"{out / name}.jsonl: {_in_numbers(part)}", err=machine)
        if judge is None:
            return
        from medassay.flows.commands.sources import held_home
        from medassay.flows.terminal.training import print_commonest_order, print_judge_table
        from medassay.sql.home import home_folder
        from medassay.tasks.answering.answers import Limits
        from medassay.tasks.judge_training.agreeing import table_of_judge

        with held_home("judge-data mediqa") as warehouse:
            rows = table_of_judge(warehouse, home_folder(), judge, train, test, Limits(**limits))
        if machine:
            click.echo(as_json(rows))
            return
        print_judge_table(rows, f"MEDIQA, manual relevance scores, not doctors' marks: {_in_numbers(test)}")
        print_commonest_order(rows[0])


def _in_numbers(cases: "Sequence[EvaluationCase]") -> str:
    n_questions = len({case.question_id for case in cases})
    return f"{counted(len(cases), 'case')} of {counted(n_questions, 'question')}"


judge_data.add_command(store)
for command in check_commands:
    judge_data.add_command(command)
