/** Where the broadest of several compared words includes the others, and where it fails. */

import type { CompareReply, Shared } from "../api/types";

export const HIDDEN = 0.1; // the paper leaves out values under this

/** How much of the other words sticks out over the broadest one in a dimension. */
export function excess({ values: [broadest = 0, ...others] }: Shared): number {
  return others.reduce((sum, value) => sum + Math.max(0, value - broadest), 0);
}

/** Dimensions where inclusion fails most first; the others keep their order. */
export function byExcess(dimensions: readonly Shared[]): Shared[] {
  return [...dimensions].sort((first, second) => excess(second) - excess(first));
}

export interface Inclusion {
  broader: string;
  narrower: string;
  share: number;
}

/** Every ordered pair of words with the share of the second that lies under the first, the largest first. */
export function inclusions({ words, included }: Pick<CompareReply, "words" | "included">): Inclusion[] {
  const pairs = words.flatMap((broader, row) =>
    words.flatMap((narrower, column) => (row === column ? [] : [{ broader, narrower, share: included[row]?.[column] ?? 0 }])),
  );
  return pairs.sort((first, second) => second.share - first.share);
}
