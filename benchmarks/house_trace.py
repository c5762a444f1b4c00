"""Which functions of a checkout run while its command evaluates one answer with one citation.

As a script (CHECKOUT OUT ARGUMENTS…) it is the command, and writes [file, first line, last line] of each function as
JSON. What runs because a module is imported is left out, and so are other processes.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import CodeType, FrameType

ANSWERED = {
    "questions": {"question_id": "q1", "question": "Which drugs lower the risk of stroke?"},
    "answers": {"question_id": "q1", "system": "a", "answer": "Aspirin lowered the risk of stroke [doc-1]."},
    "documents": {"id": "doc-1", "text": "In this trial aspirin lowered the risk of stroke by a fifth."},
}
CO_OPTIMIZED = 1
"""Flag of a function's code; a module's or a class's own has it not."""
ROOT = ""
ran: dict[CodeType, tuple[str, int, int]] = {}
places: dict[str, str] = {}


def note(frame: FrameType, event: str, argument: object) -> None:
    """Note a function that begins; its lines are not traced."""
    code = frame.f_code
    if code in ran or not code.co_flags & CO_OPTIMIZED:
        return
    name = code.co_filename
    place = places.get(name) or places.setdefault(name, os.path.realpath(name))
    if place.startswith(ROOT) and "/site-packages/" not in place and not _is_importing(frame):
        last = max(line or 0 for _, _, line in code.co_lines())
        ran[code] = (place.removeprefix(ROOT), code.co_firstlineno, last)


def _is_importing(frame: FrameType) -> bool:
    """Return whether a module's own code is below the frame, other than this one's."""
    around = frame.f_back
    while around is not None and around.f_back is not None:
        if around.f_code.co_name == "<module>":
            return True
        around = around.f_back
    return False


def environment(root: Path, **more: str) -> dict[str, str]:
    """Return variables with which Python imports the package that lies in a folder."""
    return {**os.environ, "PYTHONPATH": str(root), **more}


def followed(root: Path) -> dict[str, set[int]]:
    """Evaluate one answer with one citation by the command; return the lines of the functions that ran, by file."""
    with tempfile.TemporaryDirectory() as scratch:
        for name, row in ANSWERED.items():
            (Path(scratch) / f"{name}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
        ran = Path(scratch) / "ran.json"
        command = [sys.executable, __file__, str(root), str(ran), "evaluate", scratch]
        home = environment(root, MEDASSAY_HOME=str(Path(scratch) / "home"))
        subprocess.run(command, env=home, cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        lines: dict[str, set[int]] = {}
        for file, first, last in json.loads(ran.read_text(encoding="utf-8")):
            lines.setdefault(file, set()).update(range(first, last + 1))
        return lines


if __name__ == "__main__":
    ROOT, out = os.path.join(sys.argv.pop(1), ""), sys.argv.pop(1)
    from medassay.flows.cli import main

    threading.settrace(note)
    sys.settrace(note)
    try:
        main()
    finally:
        sys.settrace(None)
        with open(out, "w", encoding="utf-8") as file:
            json.dump(sorted(ran.values()), file)
