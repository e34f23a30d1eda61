"""Take the tables of a run into `results/`, and write the table of claims of docs/reference/claims.md.

    python tools/results.py reproduction/results        # the tables → results/
    python tools/results.py                             # the page alone

A table of claims stands between `<!-- claims of FILE -->` and `<!-- end of claims -->`; FILE is a claims.tsv of
`results/`. A test compares the page with what this program would write.
"""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "claims.md"
KINDS = ("*.tsv", "*.svg", "README.md")
PRINTED = "the paper's printed figures"
COLUMNS = {
    PRINTED: "printed figures",
    "DIVE (paper's constants and solver)": "paper's constants and solver",
    "DIVE (paper's constants)": "paper's constants",
    "DIVE (ours)": "ours",
}
"""Rows of claims.tsv → columns of the page."""
_REGION = re.compile(r"(<!-- claims of (\S+) -->\n).*?(<!-- end of claims -->)", re.DOTALL)


def take(source: Path, target: Path) -> list[Path]:
    """Copy the tables, the figures and the page of a run."""
    target.mkdir(parents=True, exist_ok=True)
    made = []
    for kind in KINDS:
        for path in sorted(source.glob(kind)):
            made.append(Path(shutil.copy(path, target / path.name)))
    return made


def claims(path: Path) -> dict[str, dict[str, tuple[str, str]]]:
    """Sentence → row → verdict and figures."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        sentence, row, column, value, *_ = line.split("\t")
        verdict, figures = found.setdefault(sentence, {}).get(row, ("", ""))
        found[sentence][row] = (value, figures) if column == "verdict" else (verdict, value)
    return found


def claims_lines(path: Path) -> list[str]:
    """The table of the page: a line for each sentence, a column for each row that was measured."""
    found = claims(path)
    rows = {row for by_row in found.values() for row in by_row}
    shown = [row for row in COLUMNS if row in rows]
    lines = [f"| sentence | {' | '.join(COLUMNS[row] for row in shown)} |", "| --- " * (len(shown) + 1) + "|"]
    for sentence, by_row in found.items():
        cells = [_cell(by_row.get(row), printed=row == PRINTED) for row in shown]
        if "measured" in by_row:  # a sentence about sparse spaces, whatever the constants of DIVE
            cells[1:] = [f"{_cell(by_row['measured'])} (sparse spaces)", *[""] * (len(shown) - 2)]
        lines.append(f"| {sentence} | {' | '.join(cells)} |")
        if "SBOW Freq" in by_row:
            sparse = [_cell(by_row.get(f"{PRINTED}, SBOW Freq"), printed=True), _cell(by_row["SBOW Freq"])]
            lines.append(f"| … on SBOW Freq | {' | '.join((*sparse, *[''] * (len(shown) - 2)))} |")
    return lines


def _cell(found: tuple[str, str] | None, *, printed: bool = False) -> str:
    if found is None:
        return ""
    verdict, figures = found
    if verdict == "holds":
        return "holds"
    if verdict == "does not hold":
        return f"**fails**: {figures}"
    return "not printed" if printed else "not run"


def page_of(text: str) -> str:
    """The page with every table of claims as its file has it."""

    def region(found: re.Match[str]) -> str:
        return "".join((found[1], *(f"{line}\n" for line in claims_lines(ROOT / found[2])), found[3]))

    return _REGION.sub(region, text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", nargs="?", type=Path, help="the folder `results` of a run")
    parser.add_argument("--into", type=Path, default=ROOT / "results")
    chosen = parser.parse_args()
    if chosen.source is not None:
        print(f"{len(take(chosen.source, chosen.into))} files in {chosen.into}")
    PAGE.write_text(page_of(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
