import { describe, expect, it } from "vitest";

import { buildForest, findTerms, isBeneath, pathTo } from "../src/taxonomy/forest";
import { largeTaxonomy, PETS } from "./taxonomy";

describe("buildForest", () => {
  it("indexes children, sizes and top terms", () => {
    const forest = buildForest(PETS);
    expect(forest.roots).toEqual(["animal", "tree"]);
    expect(forest.children.get("dog")).toEqual(["beagle", "poodle"]);
    expect(forest.sizes.get("animal")).toBe(5);
    expect(forest.unplaced).toEqual(["law"]);
    expect([forest.cut, forest.hidden]).toEqual([[], 0]);
  });

  it("cuts leaves into the tray and keeps cut groups as top terms", () => {
    const forest = buildForest(PETS, 0.85);
    expect(forest.roots).toEqual(["animal", "bird"]);
    expect(forest.cut.map(({ child }) => child)).toEqual(["poodle", "oak", "tree"]);
    expect(forest.hidden).toBe(3);
  });

  it("loses no term, whatever the minimum", () => {
    for (const minimum of [0, 0.5, 0.6, 0.8, 0.9, 0.96, 1]) {
      const { above, children, unplaced, cut } = buildForest(PETS, minimum);
      const terms = new Set([...above.keys(), ...children.keys(), ...unplaced, ...cut.map(({ child }) => child)]);
      expect([...terms].sort()).toEqual([...PETS.terms].sort());
    }
  });

  it("counts ten thousand terms", () => {
    const forest = buildForest(largeTaxonomy(10_000));
    expect(forest.sizes.get("t0")).toBe(9_999);
    expect(forest.sizes.get("t1")).toBe(1_110);
  });
});

describe("places in a forest", () => {
  const forest = buildForest(PETS);

  it("gives the way to a term", () => {
    expect(pathTo(forest, "poodle")).toEqual(["animal", "dog", "poodle"]);
    expect(pathTo(forest, "law")).toEqual(["law"]);
  });

  it("knows what may not become a parent", () => {
    expect(isBeneath(forest, "poodle", "animal")).toBe(true);
    expect(isBeneath(forest, "dog", "dog")).toBe(true);
    expect(isBeneath(forest, "animal", "dog")).toBe(false);
  });
});

describe("findTerms", () => {
  it("puts terms that start with the text first, the shortest before the others", () => {
    expect(findTerms(["sheepdog", "dogfish", "dog", "cat"], "DOG", 5)).toEqual(["dog", "dogfish", "sheepdog"]);
    expect(findTerms(["dog"], "  ", 5)).toEqual([]);
    expect(findTerms(["dog", "dogfish"], "dog", 1)).toEqual(["dog"]);
  });
});
