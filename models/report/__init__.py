"""The HTML report: one self-contained file a run."""

from medassay.models.report.page import render
from medassay.models.report.rows import ReportData

__all__ = ["ReportData", "render"]
