"""Published tables, run again: every row of a study with the published method and parameters, beside the published figures.

    python3 -m sarrus.bench 000-table-2

docs/benchmarks.md says what there is and what the verdicts mean; docs/studies.md how a study of one's own is written.
"""
from __future__ import annotations
