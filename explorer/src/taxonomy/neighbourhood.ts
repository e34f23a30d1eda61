/** Where a term, the terms above it and those beneath it stand in a picture, from left (broad) to right (narrow). */

import { bandOf, type Band } from "../components/confidence-bar";
import { edgeValue, pathTo, type Forest } from "./forest";

export interface PlacedTerm {
  term: string;
  x: number;
  y: number;
  anchor: "start" | "middle" | "end";
  focus: boolean;
  /** Terms beneath that are not drawn. */
  more: number;
}

export interface PlacedLink {
  path: string;
  width: number;
  band: Band;
}

export interface Neighbourhood {
  width: number;
  height: number;
  nodes: PlacedTerm[];
  links: PlacedLink[];
  /** Children that found no room. */
  left: number;
}

const ROW = 30;
const GAP = 70;
const LETTER = 7.6; // pixels of a letter, on average
const MOST_CHILDREN = 24;
const MOST_ANCESTORS = 4;
const MOST_GRANDCHILDREN = 3;

const widthOf = (terms: readonly string[]): number => Math.max(40, ...terms.map((term) => term.length * LETTER));

export function layNeighbourhood(forest: Forest, focus: string, calibrated: boolean): Neighbourhood {
  const ancestors = pathTo(forest, focus).slice(0, -1).slice(-MOST_ANCESTORS);
  const byConfidence = (first: string, second: string) => strength(forest, second) - strength(forest, first);
  const everyChild = [...(forest.children.get(focus) ?? [])].sort(byConfidence);
  const children = everyChild.slice(0, MOST_CHILDREN);
  const grandchildren = new Map(
    children.map((child) => [child, [...(forest.children.get(child) ?? [])].sort(byConfidence).slice(0, MOST_GRANDCHILDREN)]),
  );
  const rows = children.reduce((sum, child) => sum + Math.max(1, grandchildren.get(child)!.length), 0);
  const height = Math.max(rows * ROW, 6 * ROW) + 2 * ROW;
  const nodes: PlacedTerm[] = [];
  const links: PlacedLink[] = [];
  const link = (term: string, from: [number, number], to: [number, number]) => {
    const value = strength(forest, term);
    const share = calibrated ? value : 1;
    const bend = (to[0] - from[0]) / 2;
    const path = `M${from[0]} ${from[1]}C${from[0] + bend} ${from[1]} ${to[0] - bend} ${to[1]} ${to[0]} ${to[1]}`;
    links.push({ path, width: 1 + 4 * share * share, band: bandOf(share) });
  };
  const middle = height / 2;
  let x = 16;
  let before: [number, number] | null = null;
  for (const term of [...ancestors, focus]) {
    if (before) link(term, before, [x + GAP - 10, middle]);
    if (before) x += GAP;
    nodes.push({ term, x, y: middle, anchor: "start", focus: term === focus, more: 0 });
    x += term.length * LETTER * (term === focus ? 1.3 : 1) + 10;
    before = [x, middle];
  }
  const childX = x + GAP;
  const grandchildX = childX + widthOf(children) + GAP + 36;
  let row = (height - rows * ROW) / 2 + ROW / 2;
  for (const child of children) {
    const beneath = grandchildren.get(child)!;
    const y = row + (Math.max(1, beneath.length) - 1) * (ROW / 2);
    const size = forest.children.get(child)?.length ?? 0;
    const more = size - beneath.length;
    const end = childX + child.length * LETTER + (more ? 36 : 8);
    nodes.push({ term: child, x: childX, y, anchor: "start", focus: false, more });
    link(child, before!, [childX - 10, y]);
    beneath.forEach((term, place) => {
      const at = row + place * ROW;
      nodes.push({ term, x: grandchildX, y: at, anchor: "start", focus: false, more: forest.sizes.get(term) ?? 0 });
      link(term, [end, y], [grandchildX - 10, at]);
    });
    row += Math.max(1, beneath.length) * ROW;
  }
  const last = [...grandchildren.values()].flat();
  const width = last.length ? grandchildX + widthOf(last) + 60 : children.length ? childX + widthOf(children) + 60 : x + 60;
  return { width, height, nodes, links, left: everyChild.length - children.length };
}

function strength(forest: Forest, term: string): number {
  const edge = forest.above.get(term);
  return edge ? (edgeValue(edge) ?? 0) : 1;
}
