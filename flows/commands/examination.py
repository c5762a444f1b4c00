"""`medassay doctor`."""

import click

from flows.commands.leaving import COULD_NOT_RUN, as_json, clear_errors


@click.command()
@click.option("--json", "machine", is_flag=True, help="Print one JSON array of objects.")
def doctor(machine: bool) -> None:
    """Look at this installation and say what works, what does not, and what to do."""
    with clear_errors():
        from flows.doctor import examine

        findings = examine()
        if machine:
            click.echo(as_json([finding.as_dict() for finding in findings]))
        else:
            for finding in findings:
                colour: dict[str, str] = {"ok": "green", "note": "yellow", "broken": "red"}
                click.echo(click.style(f"{finding.state:>6}", fg=colour[finding.state]) + f"  {finding.what}")
        if any(finding.state == "broken" for finding in findings):
            raise SystemExit(COULD_NOT_RUN)
