/** A taxonomy indexed for showing: children of each term, sizes, and what a minimum confidence cuts off. */

import type { Edge, TreeReply } from "../api/types";

export interface Forest {
  /** Terms without a parent that have children, the largest first. */
  roots: string[];
  /** Children of each term, in alphabetical order. */
  children: ReadonlyMap<string, readonly string[]>;
  /** The edge from each placed term to its parent. */
  above: ReadonlyMap<string, Edge>;
  /** How many terms are beneath each term. */
  sizes: ReadonlyMap<string, number>;
  /** Terms that no edge of the taxonomy has. */
  unplaced: string[];
  /** Terms without children whose edge is under the minimum. */
  cut: Edge[];
  /** How many edges are under the minimum. */
  hidden: number;
}

const collator = new Intl.Collator("en", { sensitivity: "base", numeric: true });
export const alphabetical = (first: string, second: string): number => collator.compare(first, second);

/** The confidence of an edge, or its score where there is none. */
export function edgeValue(edge: Pick<Edge, "confidence" | "score">): number | null {
  return edge.confidence ?? edge.score;
}

function reaches(edge: Edge, minimum: number): boolean {
  const value = edgeValue(edge);
  return value === null || value >= minimum;
}

/** The forest of the edges that reach a minimum; a group whose edge is cut becomes a top term of its own. */
export function buildForest(taxonomy: TreeReply, minimum = -Infinity): Forest {
  const above = new Map<string, Edge>();
  const children = new Map<string, string[]>();
  const cutEdges: Edge[] = [];
  for (const edge of taxonomy.edges) {
    if (above.has(edge.child)) continue; // the page builds trees: one place for a term
    if (!reaches(edge, minimum)) {
      cutEdges.push(edge);
      continue;
    }
    above.set(edge.child, edge);
    const siblings = children.get(edge.parent);
    if (siblings) siblings.push(edge.child);
    else children.set(edge.parent, [edge.child]);
  }
  for (const siblings of children.values()) siblings.sort(alphabetical);
  const unplacedTerms = new Set(taxonomy.unplaced);
  const sizes = countBeneath(taxonomy.terms, above, children);
  const roots = taxonomy.terms.filter((term) => !above.has(term) && children.has(term) && !unplacedTerms.has(term));
  roots.sort((first, second) => sizes.get(second)! - sizes.get(first)! || alphabetical(first, second));
  const inTrees = new Set<string>([...above.keys(), ...children.keys()]);
  return {
    roots,
    children,
    above,
    sizes,
    unplaced: [...taxonomy.unplaced].sort(alphabetical),
    cut: [
      ...cutEdges.filter((edge) => !inTrees.has(edge.child)),
      ...stranded(taxonomy, inTrees, cutEdges, unplacedTerms),
    ],
    hidden: cutEdges.length,
  };
}

/** Edges whose parent has lost all its children and its own place, so that neither end is on screen. */
function stranded(taxonomy: TreeReply, inTrees: Set<string>, cutEdges: Edge[], unplaced: Set<string>): Edge[] {
  const named = new Set([...cutEdges.map((edge) => edge.child), ...inTrees, ...unplaced]);
  const byParent = new Map(cutEdges.map((edge) => [edge.parent, edge]));
  return taxonomy.terms
    .filter((term) => !named.has(term))
    .flatMap((term) => {
      const edge = byParent.get(term);
      return edge ? [{ ...edge, child: term, parent: "" }] : [];
    });
}

function countBeneath(
  terms: readonly string[],
  above: ReadonlyMap<string, Edge>,
  children: ReadonlyMap<string, readonly string[]>,
): Map<string, number> {
  const sizes = new Map(terms.map((term) => [term, 0]));
  const waiting = new Map(terms.map((term) => [term, children.get(term)?.length ?? 0]));
  const ready = terms.filter((term) => waiting.get(term) === 0);
  for (const term of ready) {
    const parent = above.get(term)?.parent;
    if (parent === undefined) continue;
    sizes.set(parent, (sizes.get(parent) ?? 0) + sizes.get(term)! + 1);
    const left = waiting.get(parent)! - 1;
    waiting.set(parent, left);
    if (left === 0) ready.push(parent);
  }
  return sizes;
}

/** The way from the top to a term, the term last. */
export function pathTo(forest: Forest, term: string): string[] {
  const path = [term];
  for (let edge = forest.above.get(term); edge; edge = forest.above.get(edge.parent)) path.unshift(edge.parent);
  return path;
}

/** Whether a term is the other or beneath it: it cannot take the other as a child. */
export function isBeneath(forest: Forest, term: string, ancestor: string): boolean {
  return pathTo(forest, term).includes(ancestor);
}

/** Terms that contain the text, those that start with it first. */
export function findTerms(terms: Iterable<string>, text: string, most: number): string[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const starting: string[] = [];
  const containing: string[] = [];
  for (const term of terms) {
    const place = term.toLowerCase().indexOf(wanted);
    if (place === 0) starting.push(term);
    else if (place > 0) containing.push(term);
  }
  starting.sort((first, second) => first.length - second.length || alphabetical(first, second));
  containing.sort(alphabetical);
  return [...starting, ...containing].slice(0, most);
}
