/** A finished taxonomy: the tree with its tools, and a side panel for the term, the review, terms without a parent, the changes. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Operation } from "../api/client";
import type { TreeReply } from "../api/types";
import { ChangesPanel } from "../components/changes-panel";
import { formatValue } from "../components/confidence-bar";
import { Icon } from "../components/icon";
import { Menu, type MenuItem } from "../components/menu";
import { NeighbourhoodGraph } from "../components/neighbourhood-graph";
import { EmptyState } from "../components/states";
import { Tabs } from "../components/tabs";
import { TermPanel } from "../components/term-panel";
import { Tree, type TreeKey } from "../components/tree";
import { UnplacedPanel } from "../components/unplaced-panel";
import { WorklistPanel } from "../components/worklist-panel";
import { useExplorer } from "../state/explorer";
import type { Editing } from "../state/use-corrections";
import { useDrag } from "../state/use-drag";
import { counted } from "../components/counted";
import { buildForest, edgeValue, isBeneath, pathTo } from "../taxonomy/forest";
import { openLevels, visibleRows } from "../taxonomy/rows";
import { acceptEdge, moveTerm, rejectEdge } from "../taxonomy/steps";
import { CorrectionDialog, type CorrectionKind } from "./correction-dialog";
import { ConflictNotice } from "../components/conflict-notice";
import { TreeExport } from "../export/tree-export";

const FIRST_ROWS = 150; // rows that are open at first

interface TaxonomyEditorProps {
  title: string;
  taxonomy: TreeReply;
  editing: Editing;
  onRebuild: () => void;
}

export function TaxonomyEditor({ title, taxonomy, editing, onRebuild }: TaxonomyEditorProps) {
  const { parameters, replace, hrefTo, go } = useExplorer();
  const { editable, apply } = editing;
  const [lowest, highest] = useMemo(() => valueRange(taxonomy), [taxonomy]);
  const minimum = parameters["min"] === undefined ? lowest : Number(parameters["min"]) || lowest;
  const forest = useMemo(() => buildForest(taxonomy, minimum > lowest ? minimum : -Infinity), [taxonomy, minimum, lowest]);
  const [open, setOpen] = useState<ReadonlySet<string>>(() => openLevels(forest, FIRST_ROWS));
  const search = parameters["find"] ?? "";
  const rows = useMemo(() => visibleRows(forest, open, search), [forest, open, search]);
  const selected = parameters["at"] ?? null;
  const asGraph = parameters["as"] === "graph";
  const panel = parameters["panel"] ?? "term";
  const [menu, setMenu] = useState<{ term: string; anchor: DOMRect } | null>(null);
  const [dialog, setDialog] = useState<{ kind: CorrectionKind; term: string } | null>(null);
  const [cutTerm, setCutTerm] = useState<string | null>(null);
  const aside = useRef<HTMLElement>(null);

  const select = (term: string) => {
    setOpen((before) => new Set([...before, ...pathTo(forest, term).slice(0, -1)]));
    replace({ at: term, panel: undefined });
  };
  // a term that was moved shows where it went
  useEffect(() => {
    if (selected) setOpen((before) => new Set([...before, ...pathTo(forest, selected).slice(0, -1)]));
  }, [forest]);

  const modelName = (term: string): string =>
    editing.corrections?.entries.find(({ verb, other }) => verb === "rename" && other === term)?.term ?? term;
  const parentOf = (term: string): string | null => forest.above.get(term)?.parent ?? null;
  const move = (term: string, target: string) => {
    const parent = target || null;
    if (parent === parentOf(term) && (parent !== null || forest.children.has(term))) return;
    if (parent !== null && isBeneath(forest, parent, term)) return;
    apply(moveTerm(term, parent));
    replace({ at: term, panel: undefined });
  };
  const [drag, grab] = useDrag(move);
  const allowed = drag?.target == null ? null : drag.target === "" || !isBeneath(forest, drag.target, drag.term);

  const actionsOf = (term: string): MenuItem[] => {
    if (!editable) return [];
    const edge = forest.above.get(term);
    const ask = (kind: CorrectionKind) => () => setDialog({ kind, term });
    const decided = edge?.reason === "expert";
    return [
      ...(edge && !decided ? [{ label: "Accept", icon: "check", run: () => apply(acceptEdge(edge)) } as const] : []),
      ...(edge ? [{ label: "Reject", icon: "cross", run: () => apply(rejectEdge(edge)) } as const] : []),
      { label: "Move…", icon: "move", run: ask("move") },
      { label: "Merge…", icon: "merge", run: ask("merge") },
      { label: "Add beneath…", icon: "add", run: ask("add") },
      { label: "Rename…", icon: "rename", run: ask("rename") },
    ];
  };
  const menuOf = (term: string): MenuItem[] => [
    ...actionsOf(term),
    ...(editable && forest.above.has(term)
      ? [{ label: "Make it a top term", icon: "top", run: () => move(term, "") } as const]
      : []),
    { label: "Show in graph", icon: "graph", run: () => replace({ at: term, as: "graph" }) },
    { label: "Ask about it", icon: "ask", run: () => go("ask", { term }) },
  ];
  const onKey = (key: TreeKey, term: string) => {
    const edge = forest.above.get(term);
    if (key === "Enter") {
      replace({ at: term, panel: undefined });
      aside.current?.focus();
    } else if (key === "ContextMenu") {
      const row = document.querySelector(`[role=treeitem][aria-selected=true]`);
      if (row) setMenu({ term, anchor: row.getBoundingClientRect() });
    } else if (!editable) return;
    else if (key === "F2") setDialog({ kind: "rename", term });
    else if (key === "Insert") setDialog({ kind: "add", term });
    else if (key === "Delete" && edge) apply(rejectEdge(edge));
    else if (key === "cut") setCutTerm(term);
    else if (key === "paste" && cutTerm) {
      move(cutTerm, term);
      setCutTerm(null);
    }
  };
  const onShortcut = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.target instanceof HTMLInputElement) return;
    const key = event.key.toLowerCase();
    if (key === "z" && !event.shiftKey) editing.undoLast();
    else if (key === "y" || (key === "z" && event.shiftKey)) editing.redoLast();
    else return;
    event.preventDefault();
  };

  const placed = forest.above.size + forest.roots.length;
  const waiting = forest.unplaced.length + forest.cut.length + taxonomy.unknown.length;
  return (
    <div class="editor" onKeyDown={onShortcut}>
      <div class="headline">
        <div>
          <h1>{title}</h1>
          <p class="muted">
            {counted(placed, "term")} in {counted(forest.roots.length, "tree")}
            {waiting > 0 && `, ${waiting.toLocaleString("en")} not placed`}. <a href={hrefTo("tree")}>Other terms</a>
          </p>
        </div>
        <div class="button-row">
          {editable && (
            <>
              <button
                type="button"
                class="icon-button framed"
                aria-label={editing.undo ? `Undo: ${editing.undo.says}` : "Undo"}
                title={editing.undo ? `Undo: ${editing.undo.says}` : "Nothing to undo"}
                disabled={!editing.undo}
                onClick={editing.undoLast}
              >
                <Icon name="undo" />
              </button>
              <button
                type="button"
                class="icon-button framed"
                aria-label={editing.redo ? `Redo: ${editing.redo.says}` : "Redo"}
                title={editing.redo ? `Redo: ${editing.redo.says}` : "Nothing to redo"}
                disabled={!editing.redo}
                onClick={editing.redoLast}
              >
                <Icon name="redo" />
              </button>
            </>
          )}
          {taxonomy.stale && (
            <button type="button" class="button" onClick={onRebuild} title="Build again, with your corrections">
              Rebuild
            </button>
          )}
          <TreeExport
            title={title}
            taxonomy={taxonomy}
            forest={forest}
            rows={rows}
            graphOf={asGraph ? selected : null}
            least={minimum > lowest ? minimum : undefined}
          />
        </div>
      </div>
      {editing.conflict && <ConflictNotice step={editing.conflict} onReload={editing.reload} />}
      <div class="editor-columns">
        <section class="panel tree-panel" aria-label="Tree">
          <div class="tree-tools">
            <label class="field">
              <span class="visually-hidden">Find in the tree</span>
              <input
                class="input"
                type="search"
                placeholder="Find in the tree"
                value={search}
                onInput={(event) => replace({ find: event.currentTarget.value })}
              />
            </label>
            <label class="filter">
              <span>{taxonomy.measure} at least</span>
              <input
                type="range"
                min={lowest}
                max={highest}
                step={(highest - lowest) / 100 || 1}
                value={minimum}
                aria-valuetext={formatValue(minimum, taxonomy.calibrated)}
                onInput={(event) => replace({ min: event.currentTarget.value })}
              />
              <output>{formatValue(minimum, taxonomy.calibrated)}</output>
            </label>
            <div class="button-row">
              <button
                type="button"
                class="icon-button framed"
                aria-label="Expand all"
                title="Expand all"
                onClick={() => setOpen(new Set(forest.children.keys()))}
              >
                <Icon name="expand" size={18} />
              </button>
              <button
                type="button"
                class="icon-button framed"
                aria-label="Collapse all"
                title="Collapse all"
                onClick={() => setOpen(new Set())}
              >
                <Icon name="collapse" size={18} />
              </button>
              <button
                type="button"
                class="icon-button framed"
                aria-pressed={asGraph}
                aria-label="Graph of the chosen term"
                title="Graph of the chosen term"
                onClick={() => replace({ as: asGraph ? undefined : "graph", at: selected ?? forest.roots[0] })}
              >
                <Icon name="graph" size={18} />
              </button>
            </div>
            {drag && (
              <div class={drag.target === "" ? "drop-top drop-top-over" : "drop-top"} data-drop-top="">
                Drop here to make it a top term
              </div>
            )}
          </div>
          {asGraph && selected ? (
            <NeighbourhoodGraph forest={forest} term={selected} calibrated={taxonomy.calibrated} onSelect={select} />
          ) : rows.length ? (
            <Tree
              label={title}
              rows={rows}
              active={selected}
              calibrated={taxonomy.calibrated}
              editable={editable}
              cutTerm={cutTerm}
              dropTerm={drag && allowed ? drag.target : null}
              onActivate={(term) => replace({ at: term, panel: undefined })}
              onOpen={(terms) => setOpen(new Set([...open, ...terms]))}
              onClose={(term) => setOpen(new Set([...open].filter((other) => other !== term)))}
              onKey={onKey}
              onMenu={(term, anchor) => setMenu({ term, anchor })}
              onGrab={grab}
            />
          ) : (
            <EmptyState icon="tree" title={search ? "No such term in this tree" : "No term has a parent"}>
              <p>{search ? "Look in “Without a parent”." : "Lower the confidence, or choose other terms."}</p>
            </EmptyState>
          )}
          <p class="tree-foot muted">
            {cutTerm && `${cutTerm} is cut: go to its new parent and press Ctrl+V. `}
            {search && `${rows.filter(({ match }) => match).length} found. `}
            {forest.hidden > 0 && `${counted(forest.hidden, "edge")} under ${formatValue(minimum, taxonomy.calibrated)}. `}
            {taxonomy.notes.join(" ")}
          </p>
        </section>
        <aside ref={aside} class={selected || panel !== "term" ? "panel side side-shown" : "panel side"} tabIndex={-1} aria-label="Details">
          <button
            type="button"
            class="icon-button side-close"
            aria-label="Close the details"
            onClick={() => replace({ at: undefined, panel: undefined })}
          >
            <Icon name="cross" />
          </button>
          <Tabs
            label="Details"
            active={panel}
            onChange={(name) => replace({ panel: name === "term" ? undefined : name })}
            tabs={[
              { name: "term", title: "Term" },
              { name: "decide", title: "Review" },
              { name: "unplaced", title: "Without a parent", count: waiting },
              { name: "changes", title: "Changes", count: editing.corrections?.entries.length ?? 0 },
            ]}
          >
            {panel === "term" && (
              <TermPanel
                taxonomy={taxonomy}
                forest={forest}
                term={selected}
                modelName={modelName}
                actions={selected && taxonomy.terms.includes(selected) ? actionsOf(selected) : []}
                onSelect={select}
              />
            )}
            {panel === "decide" && (
              <WorklistPanel
                taxonomy={taxonomy.id}
                version={taxonomy.version}
                calibrated={taxonomy.calibrated}
                editable={editable}
                onStep={apply}
                onSelect={select}
              />
            )}
            {panel === "unplaced" && (
              <UnplacedPanel forest={forest} unknown={taxonomy.unknown} editable={editable} onSelect={select} onGrab={grab} />
            )}
            {panel === "changes" && <ChangesPanel corrections={editing.corrections} editable={editable} onStep={apply} />}
          </Tabs>
        </aside>
      </div>
      {drag && <DragGhost term={drag.term} target={drag.target} allowed={allowed} x={drag.x} y={drag.y} />}
      {menu && <Menu label={`Actions for ${menu.term}`} anchor={menu.anchor} items={menuOf(menu.term)} onClose={() => setMenu(null)} />}
      {dialog && (
        <CorrectionDialog
          kind={dialog.kind}
          term={dialog.term}
          taxonomy={taxonomy}
          forest={forest}
          onStep={(step) => {
            setDialog(null);
            apply(step);
            replace({ at: shownAfter(step.operation, dialog.term), panel: undefined });
          }}
          onClose={() => setDialog(null)}
        />
      )}
    </div>
  );
}

/** The term to show after a step: the new one, or the one that is left. */
function shownAfter(operation: Operation, term: string): string {
  if (operation.op === "rename") return operation.name;
  if (operation.op === "add") return operation.term;
  return operation.op === "merge" ? operation.into : term;
}

/** The smallest and the largest value of an edge. */
function valueRange(taxonomy: TreeReply): [number, number] {
  const values = taxonomy.edges.map(edgeValue).filter((value) => value !== null);
  if (!values.length) return [0, 1];
  const lowest = values.reduce((least, value) => Math.min(least, value));
  const highest = values.reduce((most, value) => Math.max(most, value));
  return taxonomy.calibrated ? [Math.floor(lowest * 20) / 20, 1] : [lowest, highest];
}

interface DragGhostProps {
  term: string;
  target: string | null;
  allowed: boolean | null;
  x: number;
  y: number;
}

/** Says beside the pointer exactly what a drop would do. */
function DragGhost({ term, target, allowed, x, y }: DragGhostProps) {
  const says = target === null ? term : target === "" ? `${term} as a top term` : allowed ? `${term} under ${target}` : `not under itself`;
  return (
    <div class={allowed === false ? "ghost ghost-refused" : "ghost"} style={{ transform: `translate(${x + 14}px, ${y + 10}px)` }}>
      {says}
    </div>
  );
}
