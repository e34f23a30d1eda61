// @vitest-environment jsdom

import { render } from "preact";
import { act } from "preact/test-utils";
import { beforeEach, describe, expect, it, vi } from "vitest";

import type { Answer } from "../src/api/types";
import { AnswerList } from "../src/components/answer-list";
import { bandOf, ConfidenceBar, formatValue } from "../src/components/confidence-bar";
import { TermBox } from "../src/components/term-box";
import { Tree, type TreeProps } from "../src/components/tree";
import { ExplorerContext, type Explorer } from "../src/state/explorer";
import { buildForest } from "../src/taxonomy/forest";
import { visibleRows } from "../src/taxonomy/rows";
import { largeTaxonomy, PETS } from "./taxonomy";

let host: HTMLDivElement;

beforeEach(() => {
  document.body.replaceChildren();
  host = document.createElement("div");
  document.body.append(host);
  vi.stubGlobal("ResizeObserver", class { observe() {} disconnect() {} });
});

const press = (element: Element, key: string, more: KeyboardEventInit = {}) =>
  act(() => void element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more })));

describe("ConfidenceBar", () => {
  it("is as long as the value and named by its band", () => {
    render(<ConfidenceBar value={0.42} />, host);
    expect(host.querySelector(".bar-fill")!.getAttribute("width")).toBe("42%");
    expect(host.querySelector("svg")!.getAttribute("class")).toBe("bar bar-weak");
    expect([0.9, 0.7, 0.5, 0.49].map(bandOf)).toEqual(["strong", "good", "fair", "weak"]);
    expect([formatValue(0.967), formatValue(null), formatValue(12.3456, false)]).toEqual(["0.97", "–", "12.3"]);
  });
});

describe("AnswerList", () => {
  const answer = (term: string, sense: number | null): Answer => ({
    word: "dog",
    term,
    confidence: 0.8,
    score: null,
    signals: ["patterns"],
    statements: 3,
    evidence: [],
    sense,
  });
  const show = (answers: Answer[]) => {
    const explorer = { hrefTo: () => "#", parameters: {} } as unknown as Explorer;
    const table = { term: "bass", known: true, answers, notes: [], unknown: null };
    render(
      <ExplorerContext.Provider value={explorer}>
        <AnswerList model="m" table={table} calibrated direction="broader" opened={undefined} onOpen={vi.fn()} />
      </ExplorerContext.Provider>,
      host,
    );
    return [...host.querySelectorAll("section")].map((section) => [
      document.getElementById(section.getAttribute("aria-labelledby")!)!.textContent,
      ...[...section.querySelectorAll(".answer-term")].map((element) => element.textContent),
    ]);
  };

  it("has a headed group for each sense, and none where there is one sense or none was asked for", () => {
    expect(show([answer("instrument", 1), answer("guitar", 1), answer("fish", 2)])).toEqual([
      ["Sense 1: instrument", "instrument", "guitar"],
      ["Sense 2: fish", "fish"],
    ]);
    expect(show([answer("instrument", 1), answer("guitar", 1)])).toEqual([]);
    expect(show([answer("instrument", null), answer("fish", null)])).toEqual([]);
    expect(host.querySelectorAll("ul.answers > li").length).toBe(2);
  });
});

describe("Tree", () => {
  const forest = buildForest(PETS);
  const properties = (over: Partial<TreeProps> = {}): TreeProps => ({
    label: "Pets",
    rows: visibleRows(forest, new Set(["animal", "dog"])),
    active: "dog",
    calibrated: true,
    editable: true,
    cutTerm: null,
    dropTerm: null,
    onActivate: vi.fn(),
    onOpen: vi.fn(),
    onClose: vi.fn(),
    onKey: vi.fn(),
    onMenu: vi.fn(),
    onGrab: vi.fn(),
    ...over,
  });

  it("is one tab stop and names the active row", () => {
    render(<Tree {...properties()} />, host);
    const tree = host.querySelector("[role=tree]")!;
    expect(host.querySelectorAll("[tabindex='0']").length).toBe(1);
    const active = document.getElementById(tree.getAttribute("aria-activedescendant")!)!;
    expect(active.dataset["term"]).toBe("dog");
    expect(active.getAttribute("aria-level")).toBe("2");
    expect(active.getAttribute("aria-expanded")).toBe("true");
    expect(active.querySelector(".visually-hidden")!.textContent).toBe("dog, confidence 0.97, 1 statement, 2 beneath");
  });

  it("renders a few rows of ten thousand, and the active one wherever it is", () => {
    const large = buildForest(largeTaxonomy(10_000));
    const rows = visibleRows(large, new Set(large.children.keys()));
    render(<Tree {...properties({ rows, active: rows.at(-1)!.term })} />, host);
    const rendered = [...host.querySelectorAll<HTMLElement>("[role=treeitem]")].map((row) => row.dataset["term"]);
    expect(rendered.length).toBeLessThan(60);
    expect(rendered).toContain(rows.at(-1)!.term);
  });

  it("answers keys: arrows, letters, and the keys of corrections", async () => {
    const given = properties();
    render(<Tree {...given} />, host);
    const tree = host.querySelector("[role=tree]")!;
    await press(tree, "ArrowDown");
    expect(given.onActivate).toHaveBeenLastCalledWith("beagle");
    await press(tree, "ArrowLeft");
    expect(given.onClose).toHaveBeenLastCalledWith("dog");
    await press(tree, "t");
    expect(given.onActivate).toHaveBeenLastCalledWith("tree");
    await press(tree, "F2");
    expect(given.onKey).toHaveBeenLastCalledWith("F2", "dog");
    await press(tree, "x", { ctrlKey: true });
    expect(given.onKey).toHaveBeenLastCalledWith("cut", "dog");
    await press(tree, "F10", { shiftKey: true });
    expect(given.onKey).toHaveBeenLastCalledWith("ContextMenu", "dog");
  });

  it("shows no grip and no menu when nothing can be changed", () => {
    render(<Tree {...properties({ editable: false })} />, host);
    expect(host.querySelector(".grip, .row-menu")).toBeNull();
  });
});

describe("TermBox", () => {
  it("completes, goes through the choices by keys and chooses with Enter", async () => {
    vi.useFakeTimers();
    const chosen = vi.fn();
    const complete = vi.fn((_: string) => Promise.resolve([{ term: "dog" }, { term: "dogma" }]));
    await act(() => render(<TermBox label="Term" complete={complete} onChoose={chosen} />, host));
    const input = host.querySelector("input")!;
    input.value = "do";
    await act(() => void input.dispatchEvent(new Event("input", { bubbles: true })));
    await act(async () => void (await vi.advanceTimersByTimeAsync(200)));
    expect(complete).toHaveBeenCalledOnce();
    expect(input.getAttribute("aria-expanded")).toBe("true");
    await press(input, "ArrowDown");
    await press(input, "ArrowDown");
    const active = document.getElementById(input.getAttribute("aria-activedescendant")!);
    expect(active!.textContent).toBe("dogma");
    await press(input, "Enter");
    expect(chosen).toHaveBeenCalledWith("dogma");
    expect(input.getAttribute("aria-expanded")).toBe("false");
    vi.useRealTimers();
  });

  it("chooses what was typed when nothing is picked, and closes with Escape", async () => {
    vi.useFakeTimers();
    const chosen = vi.fn();
    await act(() => render(<TermBox label="Term" complete={() => Promise.resolve([{ term: "dog" }])} onChoose={chosen} />, host));
    const input = host.querySelector("input")!;
    input.value = " unicorn ";
    await act(() => void input.dispatchEvent(new Event("input", { bubbles: true })));
    await act(async () => void (await vi.advanceTimersByTimeAsync(200)));
    await press(input, "Escape");
    expect(input.getAttribute("aria-expanded")).toBe("false");
    await press(input, "Enter");
    expect(chosen).toHaveBeenCalledWith("unicorn");
    vi.useRealTimers();
  });
});
