"""What the command refuses at once: one line, what to do, and no wait for Prefect."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from medassay.flows.cli import main
from medassay.flows.commands.exit_codes import exit_code_of, message_of
from medassay.models.weights.hub import refuse_no_folder
from medassay.sql.home import WarehouseError
from medassay.tasks.summary import TooManyFailed


def run(home: Path | str, *arguments: str | Path) -> Result:
    return CliRunner(env={"MEDASSAY_HOME": str(home)}).invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "clinic"
    folder.mkdir()
    return folder


NO_PRICES = "/nowhere.json: no such price file; write one of the form "
MISSING = "/nowhere: no such file or folder; give a folder with questions.* and answers.*, or one file\n"
ASKED = "write evidence, none, trained:<name>, hf:<id or folder>, <base_url>#<model>, anthropic:<model> or gemini:<model>\n"
NO_FOLDER = "hf:/nope: no such folder or file\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--sort-by", "foo"], "sort_by is 'foo': choose one of nugget_coverage, factual_correctness, "),
        (["--primary", ","], "primary is empty: name one or more of nugget_coverage, "),
        (["--run-name", ""], "run_name is '': give a name, or leave it out\n"),
        (["--judge", "foo"], f"judge is 'foo': {ASKED}"),
        (["--judge", "hf:/nope"], NO_FOLDER),
        (["--llm", "hf:/nope"], NO_FOLDER),
        (["--entailment", f"hf:{__file__}"], f"hf:{__file__} is a file: name the model's folder\n"),
        (["--judge", "embedded", "--judge", "embedded"], "'embedded' is named twice: "),
        (["--prices", "/nowhere.json"], NO_PRICES),
        (
            ["--judge", "http://127.0.0.1:9/v1#m", "--max-money", "1"],
            "--max-money needs the price of m: write ",
        ),
    ],
)
def test_choices_that_no_run_could_honour(
    new_home: Path, data: Path, arguments: list[str], said: str
) -> None:
    ended = run(new_home, "evaluate", data, *arguments)
    assert (ended.exit_code, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert ended.stderr.startswith(said)
    assert not new_home.exists()


CAP = "choose 0 or more, or leave it out for no cap"
SHARE = "choose a number from 0 to 1"
HOURS = "choose 0 hours or more, up to 1,000,000"


@pytest.mark.parametrize(
    ("command", "option", "way_on"),
    [
        *((command, "--max-money", CAP) for command in ("evaluate", "plan", "compare", "answer")),
        *(("evaluate", option, SHARE) for option in ("--threshold", "--supports-at", "--contradicts-at")),
        *((command, "--max-failed", SHARE) for command in ("evaluate", "compare", "agree", "answer")),
        *((command, "--max-age", HOURS) for command in ("compare", "answer")),
        *((command, "--temperature", "choose a number from 0 to 2") for command in ("compare", "answer")),
        ("answer", "--top-p", "choose a number over 0, up to 1, or none"),
    ],
)
def test_numbers_that_are_none(
    home: Path,
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    option: str,
    way_on: str,
) -> None:
    monkeypatch.setattr("medassay.tasks.people.opinions.refuse_silence", lambda *given, **more: None)
    asked = ["--system", "a=http://127.0.0.1:9/v1,m"] if command == "answer" else ["--judge", "none"]
    name = option.removeprefix("--").replace("-", "_")
    for value in ("nan", "-1") if command == "answer" else ("nan",):
        ended = run(home, command, data, *asked, option, value)
        assert (ended.exit_code, ended.stderr) == (2, f"{name} is {float(value)}: {way_on}\n")


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("evaluate", "--max-calls"),
        ("plan", "--max-tokens"),
        ("compare", "--max-calls"),
        ("answer", "--max-tokens"),
    ],
)
def test_caps_below_zero(home: Path, data: Path, command: str, option: str) -> None:
    asked = ["--system", "a=http://127.0.0.1:9/v1,m"] if command == "answer" else ["--judge", "none"]
    ended = run(home, command, data, *asked, option, "-1")
    name = option.removeprefix("--").replace("-", "_")
    assert (ended.exit_code, ended.stderr) == (2, f"{name} is -1: {CAP}\n")


@pytest.mark.parametrize("scale", [("nan", "5"), ("0", "inf"), ("5", "1")])
def test_a_scale_without_ends(home: Path, data: Path, scale: tuple[str, str]) -> None:
    ended = run(home, "calibrate", data / "human_scores.csv", "--scale", *scale)
    said = f"--scale {scale[0]} {scale[1]}: name two numbers, the least first, as --scale 1 5\n"
    assert (ended.exit_code, ended.stderr) == (2, said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--baseline", "nope"], "--baseline nope: no such finished run; the latest are: none\n"),
        (
            ["--anchor", "nope"],
            "--anchor nope: no such finished run; evaluate the anchor's answers first, with --run-name nope\n",
        ),
        (["--system", "a=http://127.0.0.1:9/v1,m", "--prices", "/nowhere.json"], NO_PRICES),
    ],
)
def test_a_comparison_with_what_is_not_there(home: Path, data: Path, arguments: list[str], said: str) -> None:
    ended = run(home, "compare", data, *arguments)
    assert (ended.exit_code, ended.stderr.count("\n")) == (2, 1)
    assert ended.stderr.startswith(said)


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("plan", "--embedder"),
        ("compare", "--entailment"),
        ("agree", "--embedder"),
        ("entail", "--entailment"),
    ],
)
def test_a_folder_of_a_model_that_is_not_there(
    home: Path, data: Path, monkeypatch: pytest.MonkeyPatch, command: str, option: str
) -> None:
    monkeypatch.setattr("medassay.tasks.people.opinions.refuse_silence", lambda *given, **more: None)
    more = ["--out", data / "verdicts.jsonl"] if command == "entail" else ["--judge", "none"]
    ended = run(home, command, data, *more, option, "hf:/nope")
    assert (ended.exit_code, ended.stderr) == (2, NO_FOLDER)


@pytest.mark.parametrize("spec", ["hf:some/model", "hf:some/model@main", "hf:model", "embedded"])
def test_what_may_be_on_the_hub_is_only_tried(spec: str) -> None:
    refuse_no_folder(spec)


@pytest.mark.parametrize("command", ["evaluate", "plan", "compare", "agree"])
def test_data_that_is_not_there(home: Path, command: str) -> None:
    ended = run(home, command, "/nowhere")
    assert (ended.exit_code, ended.stderr) == (2, MISSING)


@pytest.mark.parametrize("port", ["0", "65535"])
def test_a_port_above_which_no_report_can_be_served(home: Path, port: str) -> None:
    ended = run(home, "serve", "--port", port)
    assert ended.exit_code == 2
    assert "is not in the range 1<=x<=65534" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--llm", "foo"], "--llm goes with --metamorphic: say that too, or leave --llm out\n"),
        (
            ["--matcher", "cosine", "--licence"],
            "--matcher goes with --metamorphic: say that too, or leave --matcher out\n",
        ),
        (
            ["--max-calls", "0"],
            "--max-calls goes with --licence or --attacks or --lengths: say that too, or leave --max-calls out\n",
        ),
        (
            ["--metamorphic", "--llm", "foo"],
            "llm is 'foo': write none, embedded, hf:<id or folder>, <base_url>#<model>, anthropic:<model> or gemini:<model>\n",
        ),
    ],
)
def test_options_of_doctor_that_nothing_would_heed(home: Path, arguments: list[str], said: str) -> None:
    ended = run(home, "doctor", *arguments)
    assert (ended.exit_code, ended.stderr) == (2, said)


def test_calls_that_ended_side_by_side_are_said_as_one(tmp_path: Path) -> None:
    full = WarehouseError("work.duckdb cannot be written; make room on the disk")
    group = ExceptionGroup("unhandled errors", [ExceptionGroup("of a batch", [full, full])])
    assert (exit_code_of(group), message_of(group)) == (3, str(full))


def test_a_home_that_cannot_be(tmp_path: Path, data: Path) -> None:
    file = tmp_path / "taken"
    file.write_text("", "utf-8")
    way_on = "set MEDASSAY_HOME to a folder that can be written\n"
    ended = run(file, "evaluate", data, "--judge", "none")
    assert (ended.exit_code, ended.stderr) == (3, f"{file} cannot be the home (File exists): {way_on}")
    ended = run(file / "x", "evaluate", data, "--judge", "none")
    assert (ended.exit_code, ended.stderr) == (3, f"{file}/x cannot be the home (Not a directory): {way_on}")


def test_doctor_says_why_no_home_can_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from medassay.flows.doctor import Finding, home

    file = tmp_path / "taken"
    file.write_text("", "utf-8")
    for folder in (file, file / "x"):
        monkeypatch.setenv("MEDASSAY_HOME", str(folder))
        assert list(home()) == [
            Finding(
                "broken",
                f"home {folder} cannot be made: {file} is no folder; set MEDASSAY_HOME to another folder",
            )
        ]
    monkeypatch.setenv("MEDASSAY_HOME", str(tmp_path / "new" / "home"))
    assert [finding.state for finding in home()] == ["ok"]


def test_a_work_file_that_is_none(home: Path) -> None:
    (home / "work.duckdb").write_text("garbage", "utf-8")
    ended = run(home, "sources", "list")
    assert (ended.exit_code, len(ended.stderr.splitlines())) == (3, 1)
    assert ended.stderr.startswith(f"{home}/work.duckdb is damaged (")
    assert "put a copy of the file back, or move it away to begin anew" in ended.stderr


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (FileNotFoundError, "check the path (the folder of a file to write has to be there)"),
        (FileExistsError, "a folder is needed there: name another place"),
        (NotADirectoryError, "a part of the path is a file: name another place"),
    ],
)
def test_the_systems_errors_say_what_to_do(tmp_path: Path, error: type[OSError], said: str) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(error) as raised:
        if error is FileNotFoundError:
            (tmp_path / "none" / "x.csv").write_text("", "utf-8")
        (tmp_path / ("file" if error is FileExistsError else "file/x")).mkdir()
    assert message_of(raised.value) == f"{raised.value.filename}: {raised.value.strerror}; {said}"


def test_a_published_run_that_ends_red_is_shown_all_the_same(
    home: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def red(*_: object) -> None:
        raise TooManyFailed("run r is published, but it stopped", {"run_id": "r", "failed_share": 1.0})

    monkeypatch.setattr("medassay.flows.commands.evaluation.run_flow", red)
    ended = run(home, "evaluate", data, "--json")
    assert (ended.exit_code, json.loads(ended.stdout)) == (1, {"run_id": "r", "failed_share": 1.0})
    assert ended.stderr == "run r is published, but it stopped\n"
