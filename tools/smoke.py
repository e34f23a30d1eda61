"""Try an installed hyperdive without the repository: public names, the packaged model, training, a taxonomy.

    python tools/smoke.py

Needs nothing but the installed package; prints one line per step and fails with a traceback.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

KINDS = {
    "dog": (["poodle", "spaniel", "terrier", "beagle"], "bark fetch leash puppy"),
    "bird": (["eagle", "sparrow", "robin", "falcon"], "fly wing feather nest"),
    "tree": (["oak", "maple", "willow", "birch"], "grow leaf branch forest"),
}
"""Hypernym: its hyponyms, and words that occur with all of them."""


def main() -> None:
    """Run every step."""
    with tempfile.TemporaryDirectory(prefix="hyperdive-smoke-") as folder:
        public_names()
        packaged_model()
        own_text(Path(folder))
    say("all steps passed")


def public_names() -> None:
    """Every public name can be imported."""
    import hyperdive

    for name in hyperdive.__all__:
        assert getattr(hyperdive, name) is not None, name
    say(f"hyperdive {hyperdive.__version__} in {Path(hyperdive.__file__).parent}: {', '.join(hyperdive.__all__)}")


def packaged_model() -> None:
    """The model inside the package answers, from Python and on the command line."""
    from hyperdive import load

    terms = [answer.term for answer in load("en-wiki").hypernyms("malaria", top=5)]
    assert "disease" in terms, terms
    printed = json.loads(run("hypernyms", "malaria", "--top", "5", "--json"))
    assert [answer["term"] for answer in printed["answers"]] == terms, printed
    say(f"hypernyms of malaria: {', '.join(terms)}")


def own_text(folder: Path) -> None:
    """Generated text becomes a model with patterns, which states the evidence and builds a taxonomy."""
    text, model = folder / "text.txt", folder / "model"
    text.write_text("".join(f"{line}\n" for line in generated_lines()), encoding="utf-8")
    run("train", str(text), "-o", str(model), "--dimensions", "10", "--set", "pmi_filter=none", "--threads", "2")
    stated = json.loads(run("evidence", "poodle", "dog", "-m", str(model), "--json"))
    assert stated["statements"] > 0 and stated["evidence"], stated
    terms = folder / "terms.txt"
    terms.write_text("".join(f"{term}\n" for kind, (kinds, _) in KINDS.items() for term in (kind, *kinds)))
    # so few words leave little confidence
    asked = ("taxonomy", "-m", str(model), "--terms", str(terms), "--min-confidence", "0.1", "--json")
    tree = json.loads(run(*asked))
    parents = {edge["child"]: edge["parent"] for edge in tree["edges"]}
    right = sum(parents.get(child) == kind for kind, (kinds, _) in KINDS.items() for child in kinds)
    assert right >= 10, parents
    say(f"trained on {text.stat().st_size:,} bytes; {right} of 12 terms have the right parent")


def generated_lines() -> list[str]:
    """Sentences that state the kinds, and sentences in which they share contexts; always the same."""
    lines = []
    for number in range(40):
        for kind, (kinds, contexts) in KINDS.items():
            words = contexts.split()
            for place, name in enumerate(kinds):
                lines.append(f"A {name} is a {kind}.")
                lines.append(f"The {name} {words[(number + place) % 4]} {words[(number + place + 1) % 4]}.")
            lines.append(f"{kind.capitalize()}s such as {kinds[number % 4]}s {' '.join(words)}.")
    return lines


def run(*arguments: str) -> str:
    """Standard output of a hyperdive command."""
    command = [sys.executable, "-m", "hyperdive", *arguments]
    done: Any = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
    return str(done.stdout)


def say(line: str) -> None:
    """A line of progress."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
