"""Write a run's tables and figures: each as Markdown, HTML, TSV and JSON, and all on one page that opens offline."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from hyperdive._atomic import write_file
from hyperdive._progress import duration
from hyperdive.benchmark.paper import general_words as printed_words
from hyperdive.benchmark.reproduce import pictures as drawings
from hyperdive.benchmark.reproduce.paper_table import PaperCell, PaperRow, PaperTable
from hyperdive.discover.topics import Dimensions, general_words
from hyperdive.spaces.space import VectorSpace

_STYLE = """
:root { --ink: #1c2430; --soft: #66707d; --line: #d9dee5; --page: #fdfdfc; --good: #1d7a3d; --bad: #b3372c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --soft: #9aa4b1; --line: #39424e; --page: #161a20; --good: #6cc58a; --bad: #ec8277; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); max-width: 84rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { margin-top: 2.4rem; font-size: 1.15rem; }
.note, .soft { color: var(--soft); font-size: .86rem; } .scroll { overflow-x: auto; } a { color: inherit; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .84rem; }
th, td { padding: .2rem .5rem; text-align: right; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; } tbody th { font-weight: 400; white-space: nowrap; } .words { text-align: left; }
#claims tbody th { white-space: normal; max-width: 26rem; } tr.first > * { border-top: 1px solid var(--soft); }
td small { display: block; color: var(--soft); white-space: nowrap; } small b { font-weight: 500; }
b.good, td.good { color: var(--good); } b.bad, td.bad { color: var(--bad); }
figure { margin: 1rem 0; overflow-x: auto; }
nav { columns: 3 16rem; font-size: .9rem; }
"""
QUERIES = ("", "species", "system")


def _general(space: VectorSpace, query: str) -> list[str]:
    """Our most general words; none for a query that is not in the vocabulary."""
    known = not query or query in space
    return [word.term for word in general_words(space, query or None)] if known else []


def general_table(space: VectorSpace) -> PaperTable:
    """The most general words, without a query and for two, next to the paper's lists."""
    papers = printed_words()
    lists = [(_general(space, query), papers[query]) for query in QUERIES]
    columns = [f"{query or 'no query'}: {whose}" for query in QUERIES for whose in ("ours", "paper")]
    body = [
        PaperRow(
            (str(place + 1),),
            tuple(PaperCell(text=words[place] if place < len(words) else "–") for both in lists for words in both),
        )
        for place in range(30)
    ]
    notes = [
        f"{query or 'no query'}: {len(set(ours) & set(theirs))} of the paper's {len(theirs)} words are among ours"
        for query, (ours, theirs) in zip(QUERIES, lists, strict=True)
    ]
    return PaperTable(
        "table_general_words", "Most general words", ("place",), tuple(columns), tuple(body), tuple(notes)
    )


def topics_table(dimensions: Dimensions) -> PaperTable:
    """The dimensions of the main figure in words."""
    hyponym, hypernym = drawings.MAIN[0]
    body = tuple(
        PaperRow(
            (str(i),),
            (
                PaperCell(q, decimals=2),
                PaperCell(p, decimals=2),
                PaperCell(text=first or "–"),
                PaperCell(text=later or "–"),
            ),
        )
        for i, q, p, first, later in drawings.topics_rows(dimensions, hyponym, hypernym)
    )
    columns = (hyponym, hypernym, "words 1–5", "words 51–105")
    notes = ("Dimensions by the hypernym's value; a dimension's first words are more general than its later ones.",)
    return PaperTable(
        "table_topics", f"The dimensions of {hyponym} and {hypernym}", ("dimension",), columns, body, notes
    )


def pictures(dimensions: Dimensions) -> dict[str, tuple[str, str]]:
    """The paper's figures: file name → title, SVG."""
    drawn = {
        "figure_main": ("rodent and mammal", drawings.MAIN, 4),
        "figure_pairs": ("Pairs where the hypernym should hold more", drawings.PAIRS, 2),
        "figure_failures": ("Pairs with which the paper shows inclusion failing", drawings.FAILURES, 2),
    }
    made = {
        name: (title, drawings.pairs_picture(dimensions, title, pairs, names=names))
        for name, (title, pairs, names) in drawn.items()
    }
    return {**made, "figure_al1": ("The asymmetric L1 distance", drawings.inclusion_picture(dimensions))}


def times_table(done: Sequence[tuple[str, str, float | None, float]]) -> PaperTable:
    """What each stage took."""
    body = tuple(
        PaperRow((name,), (PaperCell(text=what), PaperCell(seconds, decimals=0), PaperCell(estimate, decimals=0)))
        for name, what, seconds, estimate in done
    )
    total = sum(seconds for _, _, seconds, _ in done if seconds is not None)
    left = [name for name, _, seconds, _ in done if seconds is None]
    notes = [f"All that is done took {duration(total)}."]
    if left:
        notes.append(f"Not done yet: {', '.join(left)}.")
    return PaperTable("stages", "Stages", ("stage",), ("what", "seconds", "estimate"), body, tuple(notes))


def write_all(
    folder: Path, tables: Sequence[PaperTable], drawn: dict[str, tuple[str, str]], about: dict[str, Any]
) -> list[Path]:
    """Every file of the results; the page is the last, so that it is there when all the others are."""
    made = []
    for table in tables:
        for ending, text in (
            ("md", table.markdown()),
            ("tsv", table.tsv()),
            ("json", json.dumps(table.as_json(), indent=1, ensure_ascii=False) + "\n"),
            ("html", page(table.title, [table], {}, about)),
        ):
            made.append(folder / f"{table.name}.{ending}")
            write_file(made[-1], text)
    for name, (_, svg) in drawn.items():
        made.append(folder / f"{name}.svg")
        write_file(made[-1], svg)
    made += [folder / "README.md", folder / "index.html"]
    write_file(made[-2], summary(tables, drawn, about))
    write_file(made[-1], page("The paper's tables, reproduced", tables, drawn, about))
    return made


def summary(tables: Sequence[PaperTable], drawn: dict[str, tuple[str, str]], about: dict[str, Any]) -> str:
    """All tables in one Markdown file."""
    lines = ["# The paper's tables, reproduced", "", _sentence(about), ""]
    lines += [table.markdown() for table in tables]
    lines += ["## Figures", "", *(f"![{title}]({name}.svg)\n" for name, (title, _) in drawn.items())]
    return "\n".join(lines)


def _sentence(about: dict[str, Any]) -> str:
    return " ".join(f"{name}: {value}." for name, value in about.items())


def page(title: str, tables: Sequence[PaperTable], drawn: dict[str, tuple[str, str]], about: dict[str, Any]) -> str:
    """A page that needs nothing but itself."""
    several = len(tables) > 1
    links = "".join(f'<div><a href="#{escape(table.name)}">{escape(table.title)}</a></div>' for table in tables)
    figures = "".join(
        f'<figure id="{name}"><h2>{escape(caption)}</h2>{svg}</figure>' for name, (caption, svg) in drawn.items()
    )
    body = "".join(table.html() for table in tables)
    for verdict, colour in (("does not hold", "bad"), ("holds", "good")):
        body = body.replace(f'<td class="words">{verdict}</td>', f'<td class="words {colour}">{verdict}</td>')
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style><body><h1>{escape(title)}</h1>"
        f'<p class="soft">{escape(_sentence(about))}</p>{f"<nav>{links}</nav>" if several else ""}{body}{figures}'
        f"</body></html>\n"
    )
