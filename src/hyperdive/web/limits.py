"""Limits of requests. All are listed in docs/reference/http.md; a request beyond one gets a 4xx status."""

from __future__ import annotations

from hyperdive.ask.explain import MOST_WORDS
from hyperdive.ask.hypernyms import MOST_EVIDENCE
from hyperdive.taxonomy.terms import MAX_TERMS
from hyperdive.text.vocabulary import MAX_CHARACTERS

BODY_BYTES = 2 << 20  # bytes of a request body (413)
HEADER_BYTES = 16 << 10  # bytes of a request line with all headers (400)
REQUEST_SECONDS = 10.0  # seconds for sending a request (408, or a closed connection while headers are missing)
TERM_CHARACTERS = MAX_CHARACTERS  # characters of a term (400)
TERMS = 20  # terms of one question (400)
COMPARED = MOST_WORDS  # terms of one comparison (400)
CANDIDATES = 10_000  # candidates, or blocked terms, of one question (400)
TOP = 1000  # answers to one term (400)
SUGGESTIONS = 50  # suggestions for one text (400)
SENTENCES = MOST_EVIDENCE  # sentences with each answer or edge (400)
EVIDENCE = 10  # sentences of one pair (400)
TOPIC_WORDS = 50  # words of a topic (400)
PAIRS = 1000  # pairs of one request for scores (400)
TAXONOMY_TERMS = MAX_TERMS  # terms of a taxonomy (400)
OPERATIONS = 1000  # operations, or entries of an operation, in one change of corrections (400)
CORRECTIONS_BYTES = 4 << 20  # bytes of a file of corrections that is served (422)
QUESTION_SECONDS = 30.0  # seconds that a question may take, with the time it waits (408)
QUESTIONS = 100  # questions that are answered or wait at one time (429)
RUNNING_JOBS = 2  # taxonomies that are built at one time; others wait
WAITING_JOBS = 8  # taxonomies that wait to be built (429)
KEPT_JOBS = 20  # finished taxonomies that are kept; older ones are forgotten (404)
STREAMS = 32  # event streams at one time (429)
CONNECTIONS = 500  # open connections (503)
RESULT_BYTES = 32 << 20  # bytes of an answer (413)


def limits() -> dict[str, float]:
    """All limits by name, in lower case.

    >>> limits()["terms"], limits()["body_bytes"]
    (20, 2097152)
    """
    imported = {"MAX_TERMS", "MAX_CHARACTERS", "MOST_WORDS", "MOST_EVIDENCE"}
    return {name.lower(): value for name, value in globals().items() if name.isupper() and name not in imported}
