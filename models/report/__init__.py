"""A run as one self-contained HTML file: what people send around."""

from medassay.models.report.page import render
from medassay.models.report.rows import ReportData

__all__ = ["ReportData", "render"]
