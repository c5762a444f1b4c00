"""`medassay.evaluate`: the stages of the flow in this process, without Prefect."""

import atexit
import shutil
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medassay.data import Data, as_path
from medassay.result import Result, Source

if TYPE_CHECKING:
    from medassay.tasks.run import RunRef


def evaluate(
    data: Data,
    *,
    judge: str = "evidence",
    reader: str = "auto",
    metrics: Sequence[str] | None = None,
    home: str | Path | None = None,
    progress: bool = False,
    **options: Any,
) -> Result:
    """Measure answers with the same stages as `medassay evaluate`, in this process.

    Args:
        data: A folder or file; rows of whole records (a question, its answers, nuggets, documents in one dict); a
            DataFrame of them; or a mapping of tables, `{"questions": …, "answers": …, "documents": …}`, each rows or a
            DataFrame. Column names are those of the files.
        judge: Who gives the rubric's marks: `evidence` (default), `none`, `hf:<id or folder>` or
            `<base_url>#<model>`; several with commas are a panel.
        reader: Who says whether a passage entails a claim: `auto`, `encoder`, `llm`, `cascade`, `none`,
            `hf:<id or folder>` or `<base_url>#<model>`.
        metrics: Names of metrics: the frames hold only these, systems are compared on these, and no judge is asked
            where none of them is a judge's. All by default.
        home: Folder of state, as `MEDASSAY_HOME`: results are published there, and what was computed is used by later
            runs, also those of the command. By default a temporary one that this process shares and removes at its end.
        progress: Show a bar a stage on stderr.
        options: Every other option of an evaluation by its name (docs/settings.md): what is measured (`profile`,
            `dataset`, …), judge (`samples`, `listwise`, …), models (`llm`, `embedder`, `offline`), decisions
            (`threshold`, `supports_at`, …) and limits (`phi`, `max_calls`, `max_tokens`, `max_money`, …).

    Raises:
        UsageError, IntakeError, BadData, ModelMissing, PhiFound and the others of `medassay.errors`.
    """
    from medassay.flows.engines import with_engine
    from medassay.metrics import BY_NAME, CRITERIA, RUBRIC
    from medassay.models.settings import Settings
    from medassay.models.usage import UsageError
    from medassay.models.weights.hub import hub_closed
    from medassay.tasks.model_cache import keep_models
    from medassay.tasks.pipeline import IN_PROCESS, execute
    from medassay.tasks.run import started_run
    from medassay.tasks.spending.caps import check_prices

    wanted = None if metrics is None else tuple(metrics)
    if wanted is not None:
        if named := [name for name in wanted if name not in BY_NAME]:
            raise UsageError(f"metrics names {named[0]!r}: choose of {', '.join(BY_NAME)}")
        options.setdefault("primary", wanted)
        options.setdefault("sort_by", wanted[0] if wanted else "nugget_coverage")
        if not any(BY_NAME[name].group in (RUBRIC, CRITERIA) for name in wanted):
            judge = "none"
    keep_models()
    folder = Path(home).absolute() if home else temporary_home()
    with tempfile.TemporaryDirectory(prefix="medassay-data-") as drafts, ExitStack() as held:
        path = as_path(data, Path(drafts) / "data")
        options.setdefault("dataset", None if isinstance(data, str | Path) else "rows")
        settings = Settings(str(path), judge=judge, reader=reader, **options)
        check_prices(settings, folder)
        said = held.enter_context(_heard(progress))
        held.enter_context(hub_closed(settings.offline))
        run = held.enter_context(started_run(folder, settings))
        execute(run, with_engine(IN_PROCESS, settings, folder))
        result = Result(run.run_id, tuple(said), _source(run, published=home is not None), wanted)
        if home:
            result.read_all()
        n_left = run.warehouse.value("select count(*) from quarantine where run_id = ?", [run.run_id])
    if n_left:
        warnings.warn(f"{n_left} rows are in quarantine: result.quarantine says why", stacklevel=2)
    return result


def _source(run: "RunRef", *, published: bool) -> Source:
    """Return how the run's views are read later: from the home's published file, or the temporary work file."""
    from medassay.sql.snapshot import read_frame, read_results
    from medassay.sql.warehouse import warehouse_at
    from medassay.tasks.publish import publish_snapshot

    home = Path(run.home)
    if published:
        publish_snapshot(run)
        return Source(partial(read_results, home), partial(read_frame, home))
    return Source(lambda query: warehouse_at(home).rows(query), lambda query: warehouse_at(home).frame(query))


@contextmanager
def _heard(progress: bool) -> Iterator[list[str]]:
    """Collect what the stages say, and show it with a bar a stage where that is wanted."""
    from medassay.flows.terminal.run import watching
    from medassay.tasks.progress import Silence, watched_by, watcher

    said: list[str] = []

    class Listener:
        """Passes everything on and keeps the lines."""

        def __init__(self) -> None:
            shown = watcher() if progress else Silence()
            self.begin, self.advance, self.end, self._show = shown.begin, shown.advance, shown.end, shown.say

        def say(self, line: str) -> None:
            said.append(line)
            self._show(line)

    with ExitStack() as stack:
        if progress:
            stack.enter_context(watching())
        stack.enter_context(watched_by(Listener()))
        yield said


@cache
def temporary_home() -> Path:
    """Return the folder of state that this process makes once, shares between its calls, and removes at its end."""
    from medassay.sql.warehouse import close_warehouse, warehouse_at

    home = Path(tempfile.mkdtemp(prefix="medassay-home-"))

    def remove() -> None:
        close_warehouse(home)
        shutil.rmtree(home, ignore_errors=True)

    atexit.register(remove)
    warehouse_at(home)  # stays open between runs
    return home
