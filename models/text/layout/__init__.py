"""The shape of an answer on the page: lines, headings, lists, tables, formulas, footnotes."""
