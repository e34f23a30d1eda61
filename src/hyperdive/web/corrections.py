"""Endpoints for the corrections of a model: read them, and change them step by step."""

from __future__ import annotations

from collections.abc import Iterable

from hyperdive.errors import Error
from hyperdive.taxonomy.corrections import VERBS
from hyperdive.taxonomy.corrections_file import Change, Contradiction, Rule, Snapshot, VersionConflict
from hyperdive.taxonomy.operations import Operations
from hyperdive.web import taxonomy_messages as m
from hyperdive.web.commands import commands
from hyperdive.web.problems import Problem
from hyperdive.web.service import Service

Operation = m.Accept | m.Reject | m.Move | m.Merge | m.Rename | m.Add | m.Edit


def corrections(service: Service, request: m.CorrectionsQuery) -> m.CorrectionsReply:
    """The corrections of a model."""
    served = service.models[request.model]
    snapshot = served.corrections()
    return m.CorrectionsReply(
        served.name,
        snapshot.version,
        served.writable,
        served.file.path.name,
        _entries(snapshot.rules),
        commands(served.place, "taxonomy", options={"corrections": str(served.file.path)}),
    )


def change(service: Service, request: m.CorrectionsRequest) -> m.ChangeReply:
    """Carry out operations on the corrections of a version, all or none, and save them."""
    served = service.models[request.model]
    if service.read_only:
        raise Problem("read_only", "this server is read-only", hint="start it without --read-only")
    present = served.corrections()
    if present.version != request.version:
        raise VersionConflict(present.version)
    rules = list(present.rules)
    for operation in request.operations:
        step = _change(operation, Snapshot(request.version, tuple(rules)))
        rules = [rule for rule in rules if rule not in step.remove or rule in step.add]
        rules += [rule for rule in step.add if rule not in rules]
    wanted = Change(
        tuple(rule for rule in rules if rule not in present.rules),
        tuple(rule for rule in present.rules if rule not in rules),
    )
    saved, actual = served.file.change(request.version, wanted)
    undo = m.Edit("edit", _entries(actual.remove), _entries(actual.add))
    return m.ChangeReply(
        served.name, saved.version, _entries(actual.add), _entries(actual.remove), _entries(saved.rules), undo
    )


def _change(operation: Operation, snapshot: Snapshot) -> Change:
    if isinstance(operation, m.Edit):
        return Change(_rules(operation.add), _rules(operation.remove))
    try:
        operations = Operations(snapshot)
    except Error as error:
        raise Contradiction(error.what, hint=error.hint) from None
    if isinstance(operation, m.Accept):
        return operations.accept(operation.child, operation.parent, keep_others=operation.keep_others)
    if isinstance(operation, m.Reject):
        return operations.reject(operation.child, operation.parent)
    if isinstance(operation, m.Move):
        return operations.move(operation.child, operation.parent)
    if isinstance(operation, m.Merge):
        return operations.merge(operation.term, operation.into)
    if isinstance(operation, m.Rename):
        return operations.rename(operation.term, operation.name)
    return operations.add(operation.term, operation.parent)


def _entries(rules: Iterable[Rule]) -> tuple[m.Entry, ...]:
    return tuple(m.Entry(*rule) for rule in rules)  # type: ignore[arg-type]


def _rules(entries: Iterable[m.Entry]) -> tuple[Rule, ...]:
    rules = []
    for entry in entries:
        rule = (entry.verb, entry.term) if entry.other is None else (entry.verb, entry.term, entry.other)
        if len(rule) != VERBS[entry.verb] + 1:
            raise Problem("bad_request", f"{entry.verb} takes {VERBS[entry.verb]} term(s)")
        rules.append(rule)
    return tuple(rules)
