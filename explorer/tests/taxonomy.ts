/** A small taxonomy with a known shape, and large ones. */

import type { Edge, TreeReply } from "../src/api/types";

export function edge(child: string, parent: string, confidence: number, reason: Edge["reason"] = "model"): Edge {
  return { child, parent, confidence, score: confidence, statements: 1, reason, evidence: [] };
}

export function taxonomyOf(edges: Edge[], unplaced: string[] = []): TreeReply {
  const terms = [...new Set([...edges.flatMap(({ child, parent }) => [parent, child]), ...unplaced])];
  const children = new Set(edges.map(({ child }) => child));
  return {
    id: "t1",
    model: "small",
    version: "0",
    stale: false,
    score: "confidence",
    calibrated: true,
    measure: "confidence",
    terms,
    edges,
    roots: terms.filter((term) => !children.has(term)),
    unplaced,
    added: [],
    unknown: [],
    synonyms: {},
    notes: [],
    command: { cli: "hyperdive taxonomy", python: "model.taxonomy()" },
  };
}

/** animal over bird (owl) and dog (poodle, beagle); tree over oak; law without a place. */
export const PETS = taxonomyOf(
  [
    edge("dog", "animal", 0.97),
    edge("bird", "animal", 0.6),
    edge("poodle", "dog", 0.8),
    edge("beagle", "dog", 0.9),
    edge("owl", "bird", 0.95),
    edge("oak", "tree", 0.55),
  ],
  ["law"],
);

/** Every term under the term with a tenth of its number. */
export function largeTaxonomy(size: number): TreeReply {
  const edges = Array.from({ length: size - 1 }, (_, place) => edge(`t${place + 1}`, `t${Math.floor((place + 1) / 10)}`, 0.9));
  return taxonomyOf(edges);
}
