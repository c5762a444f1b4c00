"""From an answer's text to its claims and what they cite.

`claims` are cut from `sentences`, which stand around citation `markers`, which lead to `references`, which are found on
the page by its `layout`; `identifiers`, `labels` and `language` serve them all. A room imports only those below it.
"""
