import { describe, expect, it } from "vitest";

import { buildForest } from "../src/taxonomy/forest";
import { keyEffect, openLevels, renderedRange, typeAhead, visibleRows } from "../src/taxonomy/rows";
import { largeTaxonomy, PETS } from "./taxonomy";

const forest = buildForest(PETS);
const terms = (open: string[], search = "") => visibleRows(forest, new Set(open), search).map(({ term }) => term);

describe("visibleRows", () => {
  it("shows the children of open terms", () => {
    expect(terms([])).toEqual(["animal", "tree"]);
    expect(terms(["animal", "dog"])).toEqual(["animal", "bird", "dog", "beagle", "poodle", "tree"]);
  });

  it("gives level, place and siblings", () => {
    const poodle = visibleRows(forest, new Set(["animal", "dog"]))[4]!;
    expect([poodle.level, poodle.position, poodle.siblings, poodle.expanded]).toEqual([3, 2, 2, undefined]);
    expect(poodle.edge?.confidence).toBe(0.8);
  });

  it("shows matches with the way to them, whether open or not", () => {
    expect(terms([], "poo")).toEqual(["animal", "dog", "poodle"]);
    expect(terms(["animal"], "DOG")).toEqual(["animal", "dog"]);
    expect(terms([], "unicorn")).toEqual([]);
    expect(visibleRows(forest, new Set(), "poo").map(({ match }) => match)).toEqual([false, false, true]);
  });

  it("shows every one of ten thousand terms once", () => {
    const large = buildForest(largeTaxonomy(10_000));
    const rows = visibleRows(large, new Set(large.children.keys()));
    expect(new Set(rows.map(({ term }) => term)).size).toBe(10_000);
  });
});

describe("openLevels", () => {
  it("opens whole levels as long as there is room", () => {
    expect([...openLevels(forest, 5)]).toEqual(["animal", "tree"]);
    expect([...openLevels(forest, 4)]).toEqual([]);
    expect(openLevels(forest, 100).has("dog")).toBe(true);
  });
});

describe("keyEffect", () => {
  const rows = visibleRows(forest, new Set(["animal"])); // animal, bird, dog, tree
  const press = (at: number, key: string) => keyEffect(rows, at, key, 2);

  it("moves within the rows", () => {
    expect(press(0, "ArrowDown")).toEqual({ kind: "go", to: 1 });
    expect(press(0, "ArrowUp")).toEqual({ kind: "go", to: 0 });
    expect(press(3, "ArrowDown")).toEqual({ kind: "go", to: 3 });
    expect(press(1, "End")).toEqual({ kind: "go", to: 3 });
    expect(press(2, "Home")).toEqual({ kind: "go", to: 0 });
    expect(press(0, "PageDown")).toEqual({ kind: "go", to: 2 });
  });

  it("opens, enters, closes and leaves", () => {
    expect(press(2, "ArrowRight")).toEqual({ kind: "open", terms: ["dog"] });
    expect(press(0, "ArrowRight")).toEqual({ kind: "go", to: 1 });
    expect(press(0, "ArrowLeft")).toEqual({ kind: "close", term: "animal" });
    expect(press(2, "ArrowLeft")).toEqual({ kind: "go", to: 0 });
    expect(press(3, "ArrowLeft")).toEqual({ kind: "none" });
  });

  it("opens all siblings", () => {
    expect(press(2, "*")).toEqual({ kind: "open", terms: ["bird", "dog"] });
    expect(press(3, "*")).toEqual({ kind: "open", terms: ["animal", "tree"] });
  });

  it("starts at the first row and leaves other keys alone", () => {
    expect(press(-1, "ArrowDown")).toEqual({ kind: "go", to: 0 });
    expect(press(0, "Tab")).toEqual({ kind: "none" });
    expect(keyEffect([], -1, "ArrowDown", 2)).toEqual({ kind: "none" });
  });
});

describe("typeAhead", () => {
  const rows = visibleRows(forest, new Set(["animal"]));

  it("goes on to the next row that starts so, and around", () => {
    expect(typeAhead(rows, 0, "d")).toBe(2);
    expect(typeAhead(rows, 2, "a")).toBe(0);
    expect(typeAhead(rows, 2, "do")).toBe(2);
    expect(typeAhead(rows, 1, "z")).toBe(1);
  });
});

describe("renderedRange", () => {
  it("renders what is in view with eight rows to spare", () => {
    expect(renderedRange(0, 360, 36, 10_000)).toEqual([0, 18]);
    expect(renderedRange(36_000, 360, 36, 10_000)).toEqual([992, 1018]);
    expect(renderedRange(0, 360, 36, 5)).toEqual([0, 5]);
  });
});
