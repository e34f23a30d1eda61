// @vitest-environment jsdom

import { afterEach, describe, expect, it } from "vitest";

import { formatRoute, parseRoute } from "../src/state/route";
import { extendTrail, parseTrail } from "../src/state/trail";
import { afterStep, restoreHistory, type Step } from "../src/state/use-corrections";

describe("routes", () => {
  it("come back from the address they were written to", () => {
    const parameters = { term: "rock & roll", from: "música|a?b", empty: "" };
    const hash = formatRoute("tree", parameters);
    expect(parseRoute(hash)).toEqual({ view: "tree", parameters: { term: "rock & roll", from: "música|a?b" } });
  });

  it("start with asking when the address says nothing or something unknown", () => {
    expect(parseRoute("")).toEqual({ view: "ask", parameters: {} });
    expect(parseRoute("#/nonsense?term=dog")).toEqual({ view: "ask", parameters: { term: "dog" } });
  });
});

describe("trails", () => {
  it("grow by a step and are cut when a term comes again", () => {
    expect(extendTrail(undefined, "poodle")).toBe("poodle");
    expect(extendTrail("poodle", "dog")).toBe("poodle|dog");
    expect(extendTrail("poodle|dog|animal", "dog")).toBe("poodle|dog");
    expect(parseTrail("poodle||dog")).toEqual(["poodle", "dog"]);
  });

  it("keep the last eight terms", () => {
    expect(parseTrail(extendTrail("a|b|c|d|e|f|g|h", "i"))).toEqual(["b", "c", "d", "e", "f", "g", "h", "i"]);
  });
});

describe("history of corrections", () => {
  const step = (says: string): Step => ({ operation: { op: "edit", add: [], remove: [] }, says });
  afterEach(() => sessionStorage.clear());

  it("moves steps between undo and redo, and a new step forgets what was undone", () => {
    const start = { version: "1", undo: [step("a")], redo: [step("z")] };
    const undone = afterStep(start, "undo", step("a back"), "2");
    expect([undone.undo.length, undone.redo.map(({ says }) => says)]).toEqual([0, ["z", "a back"]]);
    const redone = afterStep(undone, "redo", step("a again"), "3");
    expect([redone.undo.map(({ says }) => says), redone.redo.map(({ says }) => says)]).toEqual([["a again"], ["z"]]);
    expect(afterStep(redone, "do", step("b"), "4")).toEqual({ version: "4", undo: [step("a again"), step("b")], redo: [] });
  });

  it("is restored for the version it was made at, and for no other", () => {
    const stored = { version: "7", undo: [step("a")], redo: [] };
    sessionStorage.setItem("hyperdive.history.en-wiki", JSON.stringify(stored));
    expect(restoreHistory("en-wiki", "7")).toEqual(stored);
    expect(restoreHistory("en-wiki", "8")).toEqual({ version: "8", undo: [], redo: [] });
    expect(restoreHistory("other", "7").undo).toEqual([]);
  });

  it("is empty when the storage is damaged", () => {
    sessionStorage.setItem("hyperdive.history.en-wiki", "{not json");
    expect(restoreHistory("en-wiki", "7")).toEqual({ version: "7", undo: [], redo: [] });
  });
});
