/** The rows of a tree that are on show, and what a key does there. */

import type { Edge } from "../api/types";
import type { Forest } from "./forest";

export interface Row {
  term: string;
  /** From 1. */
  level: number;
  /** Place among the siblings, from 1. */
  position: number;
  siblings: number;
  /** undefined for a term without children. */
  expanded: boolean | undefined;
  edge: Edge | undefined;
  size: number;
  /** Whether the text that was searched for is in the term. */
  match: boolean;
}

/** Rows from top to bottom; with a search text only the matches and the terms above them, all of them open. */
export function visibleRows(forest: Forest, open: ReadonlySet<string>, search = ""): Row[] {
  const wanted = search.trim().toLowerCase();
  const onPath = wanted ? pathsToMatches(forest, wanted) : undefined;
  const rows: Row[] = [];
  const walk = (terms: readonly string[], level: number): void => {
    const shown = onPath ? terms.filter((term) => onPath.has(term)) : terms;
    shown.forEach((term, place) => {
      const beneath = forest.children.get(term);
      const shownBeneath = beneath && (!onPath || beneath.some((child) => onPath.has(child)));
      const expanded = beneath && (onPath ? shownBeneath === true : open.has(term));
      rows.push({
        term,
        level,
        position: place + 1,
        siblings: shown.length,
        expanded,
        edge: forest.above.get(term),
        size: forest.sizes.get(term) ?? 0,
        match: onPath !== undefined && term.toLowerCase().includes(wanted),
      });
      if (beneath && expanded) walk(beneath, level + 1);
    });
  };
  walk(forest.roots, 1);
  return rows;
}

function pathsToMatches(forest: Forest, wanted: string): Set<string> {
  const onPath = new Set<string>();
  for (const term of [...forest.above.keys(), ...forest.roots]) {
    if (!term.toLowerCase().includes(wanted)) continue;
    for (let at: string | undefined = term; at !== undefined && !onPath.has(at); ) {
      onPath.add(at);
      at = forest.above.get(at)?.parent;
    }
  }
  return onPath;
}

/** Terms to open so that the first levels show, but no more rows than `most`. */
export function openLevels(forest: Forest, most: number): Set<string> {
  const open = new Set<string>();
  let level = forest.roots;
  let rows = level.length;
  while (level.length) {
    const next = level.flatMap((term) => forest.children.get(term) ?? []);
    rows += next.length;
    if (rows > most) break;
    for (const term of level) if (forest.children.has(term)) open.add(term);
    level = next;
  }
  return open;
}

export type KeyEffect =
  | { kind: "go"; to: number }
  | { kind: "open"; terms: string[] }
  | { kind: "close"; term: string }
  | { kind: "none" };

const NONE: KeyEffect = { kind: "none" };

/** What a key does in a tree, after the ARIA practices: arrows, Home, End, pages, and `*` for all siblings. */
export function keyEffect(rows: readonly Row[], at: number, key: string, page: number): KeyEffect {
  const row = rows[at];
  if (!row) return rows.length ? { kind: "go", to: 0 } : NONE;
  const go = (to: number): KeyEffect => ({ kind: "go", to: Math.max(0, Math.min(rows.length - 1, to)) });
  switch (key) {
    case "ArrowDown":
      return go(at + 1);
    case "ArrowUp":
      return go(at - 1);
    case "Home":
      return go(0);
    case "End":
      return go(rows.length - 1);
    case "PageDown":
      return go(at + page);
    case "PageUp":
      return go(at - page);
    case "ArrowRight":
      if (row.expanded === undefined) return NONE;
      return row.expanded ? go(at + 1) : { kind: "open", terms: [row.term] };
    case "ArrowLeft":
      if (row.expanded) return { kind: "close", term: row.term };
      return row.level > 1 ? go(parentIndex(rows, at)) : NONE;
    case "*":
      return { kind: "open", terms: siblingTerms(rows, at) };
    default:
      return NONE;
  }
}

function parentIndex(rows: readonly Row[], at: number): number {
  const level = rows[at]!.level;
  let place = at;
  while (place > 0 && rows[place]!.level >= level) place -= 1;
  return place;
}

function siblingTerms(rows: readonly Row[], at: number): string[] {
  const { level } = rows[at]!;
  const terms: string[] = [];
  let first = at;
  while (first > 0 && rows[first - 1]!.level >= level) first -= 1;
  for (let place = first; place < rows.length && rows[place]!.level >= level; place += 1) {
    if (rows[place]!.level === level && rows[place]!.expanded !== undefined) terms.push(rows[place]!.term);
  }
  return terms;
}

/** The next row that starts with the typed text, from the present one on and around. */
export function typeAhead(rows: readonly Row[], at: number, typed: string): number {
  const start = typed.length > 1 ? at : at + 1;
  for (let step = 0; step < rows.length; step += 1) {
    const place = (Math.max(start, 0) + step) % rows.length;
    if (rows[place]!.term.toLowerCase().startsWith(typed.toLowerCase())) return place;
  }
  return at;
}

/** First and last row (exclusive) to render for a part of the tree that is in view, with some rows to spare. */
export function renderedRange(top: number, height: number, rowHeight: number, rows: number): [number, number] {
  const spare = 8;
  const first = Math.max(0, Math.floor(top / rowHeight) - spare);
  return [first, Math.min(rows, Math.ceil((top + height) / rowHeight) + spare)];
}
