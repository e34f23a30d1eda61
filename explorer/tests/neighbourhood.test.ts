import { describe, expect, it } from "vitest";

import { buildForest } from "../src/taxonomy/forest";
import { layNeighbourhood } from "../src/taxonomy/neighbourhood";
import { edge, PETS, taxonomyOf } from "./taxonomy";

describe("layNeighbourhood", () => {
  it("places ancestors left, children right, inside the picture", () => {
    const { nodes, links, width, height } = layNeighbourhood(buildForest(PETS), "dog", true);
    const at = Object.fromEntries(nodes.map((node) => [node.term, node]));
    expect(Object.keys(at).sort()).toEqual(["animal", "beagle", "dog", "poodle"]);
    expect(at["animal"]!.x).toBeLessThan(at["dog"]!.x);
    expect(at["dog"]!.x).toBeLessThan(at["poodle"]!.x);
    expect(links.length).toBe(3);
    for (const { x, y } of nodes) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThan(width);
      expect(y).toBeGreaterThan(0);
      expect(y).toBeLessThan(height);
    }
  });

  it("never draws two terms of a column at one height, and says how many found no room", () => {
    const many = taxonomyOf(Array.from({ length: 40 }, (_, place) => edge(`kind ${place}`, "thing", 0.5 + place / 100)));
    const { nodes, left } = layNeighbourhood(buildForest(many), "thing", true);
    const children = nodes.filter(({ focus }) => !focus);
    expect(new Set(children.map(({ y }) => y)).size).toBe(24);
    expect(left).toBe(16);
    expect(children.some(({ term }) => term === "kind 39")).toBe(true);
    expect(children.some(({ term }) => term === "kind 0")).toBe(false);
  });
});
