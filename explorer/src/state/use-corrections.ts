/** The corrections of a model: each step is saved by the server at once, and can be undone and redone. */

import { useEffect, useRef, useState } from "preact/hooks";

import { api, ApiError, type Operation } from "../api/client";
import type { CorrectionsReply } from "../api/types";
import { useExplorer } from "./explorer";
import { asApiError } from "./use-request";

export interface Step {
  operation: Operation;
  /** What the step does, for messages: "Moved poodle under dog". */
  says: string;
}

interface History {
  version: string;
  undo: Step[];
  redo: Step[];
}

type Kind = "do" | "undo" | "redo";

export interface Editing {
  /** null until the server has answered. */
  corrections: CorrectionsReply | null;
  editable: boolean;
  undo: Step | undefined;
  redo: Step | undefined;
  /** A step that was not saved, because the corrections had changed meanwhile. */
  conflict: Step | null;
  apply: (step: Step) => void;
  undoLast: () => void;
  redoLast: () => void;
  /** Takes over what others changed; with `again` the step that was not saved is tried once more. */
  reload: (again: boolean) => void;
}

const MOST_STEPS = 200;
const EMPTY: History = { version: "", undo: [], redo: [] };

const storageKey = (model: string): string => `hyperdive.history.${model}`;

/** The steps of this tab, unless somebody else has changed the corrections since. */
export function restoreHistory(model: string, version: string): History {
  try {
    const stored = JSON.parse(sessionStorage.getItem(storageKey(model)) ?? "null") as History | null;
    if (stored?.version === version) return stored;
  } catch {
    // storage is switched off or damaged: there is nothing to undo
  }
  return { ...EMPTY, version };
}

function storeHistory(model: string, history: History): void {
  try {
    sessionStorage.setItem(storageKey(model), JSON.stringify(history));
  } catch {
    // without storage the steps last as long as the page
  }
}

/** The history after a step of each kind, given the operation that takes it back. */
export function afterStep(history: History, kind: Kind, inverse: Step, version: string): History {
  const { undo, redo } = history;
  if (kind === "undo") return { version, undo: undo.slice(0, -1), redo: [...redo, inverse] };
  const grown = [...undo, inverse].slice(-MOST_STEPS);
  return { version, undo: grown, redo: kind === "redo" ? redo.slice(0, -1) : [] };
}

export function useCorrections(): Editing {
  const { model, server, notify } = useExplorer();
  const [corrections, setCorrections] = useState<CorrectionsReply | null>(null);
  const [history, setHistory] = useState<History>(EMPTY);
  const [conflict, setConflict] = useState<{ step: Step; kind: Kind } | null>(null);
  const latest = useRef({ version: "", history: EMPTY });
  const queue = useRef<Promise<void>>(Promise.resolve());

  const keep = (next: History) => {
    latest.current = { version: next.version, history: next };
    setHistory(next);
    storeHistory(model.name, next);
  };
  const load = async () => {
    const loaded = await api.corrections(model.name);
    keep(restoreHistory(model.name, loaded.version));
    setCorrections(loaded);
  };
  const fail = (error: ApiError) => notify({ text: [error.message, error.hint].filter(Boolean).join(" "), failed: true });

  useEffect(() => {
    load().catch((error: unknown) => fail(asApiError(error)));
  }, [model.name]);

  const save = async (step: Step, kind: Kind) => {
    try {
      const saved = await api.correct(model.name, latest.current.version, [step.operation]);
      keep(afterStep(latest.current.history, kind, { operation: saved.undo, says: step.says }, saved.version));
      setCorrections((before) => before && { ...before, version: saved.version, entries: saved.entries });
      setConflict(null);
      if (kind === "do") notify({ text: step.says, action: { label: "Undo", run: undoLast } });
      else notify({ text: `${kind === "undo" ? "Undone" : "Redone"}: ${step.says}` });
    } catch (error) {
      const problem = asApiError(error);
      if (problem.code === "version_conflict") setConflict({ step, kind });
      else fail(problem);
    }
  };
  // one step after another: each needs the version that the one before it made
  const enqueue = (work: () => Promise<void>) => {
    queue.current = queue.current.then(work);
  };
  const undoLast = () =>
    enqueue(async () => {
      const step = latest.current.history.undo.at(-1);
      if (step) await save(step, "undo");
    });
  const redoLast = () =>
    enqueue(async () => {
      const step = latest.current.history.redo.at(-1);
      if (step) await save(step, "redo");
    });
  const reload = (again: boolean) =>
    enqueue(async () => {
      const waiting = conflict;
      try {
        await load();
        setConflict(null);
        if (again && waiting) await save(waiting.step, "do");
      } catch (error) {
        fail(asApiError(error));
      }
    });

  return {
    corrections,
    editable: corrections !== null && corrections.writable && !server.read_only,
    undo: history.undo.at(-1),
    redo: history.redo.at(-1),
    conflict: conflict?.step ?? null,
    apply: (step) => enqueue(() => save(step, "do")),
    undoLast,
    redoLast,
    reload,
  };
}
