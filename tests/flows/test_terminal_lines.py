"""What a run says where there is no terminal."""

import pytest

from medassay.flows.terminal import run as terminal


@pytest.mark.parametrize(
    ("seconds_a_line", "said"), [(60.0, []), (0.0, ["1,200 of 5,000", "5,000 of 5,000", "done"])]
)
def test_only_a_long_stage_is_told_of(
    seconds_a_line: float,
    said: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(terminal, "SECONDS_A_LINE", seconds_a_line)
    lines = terminal.Lines()
    lines.begin("entail", 5000, 4000)
    lines.advance("entail", 200)
    lines.advance("entail", 3800)
    lines.end("entail", "3 set aside")
    told = capsys.readouterr().err.splitlines()
    assert len(told) == len(said)
    assert all(line.startswith("entail: ") and part in line for line, part in zip(told, said, strict=True))
    assert not told or told[-1].endswith(", 3 set aside")
