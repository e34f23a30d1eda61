/**
 * A tree of any size: only the rows in view are in the page, the tree is one tab stop, and every function has a key.
 *
 * The focus stays on the tree and `aria-activedescendant` names the active row, so that scrolling a row out of view
 * never loses the focus. Rows are flat, with their level, place and number of siblings as attributes.
 */

import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";

import { edgeValue } from "../taxonomy/forest";
import { keyEffect, renderedRange, typeAhead, type Row } from "../taxonomy/rows";
import { bandOf, ConfidenceBar, formatValue } from "./confidence-bar";
import { counted } from "./counted";
import { Icon } from "./icon";

export type TreeKey = "Enter" | "F2" | "Delete" | "Insert" | "ContextMenu" | "cut" | "paste";

export interface TreeProps {
  label: string;
  rows: readonly Row[];
  active: string | null;
  calibrated: boolean;
  editable: boolean;
  /** The term that was cut and waits for its new place. */
  cutTerm: string | null;
  /** The term under the pointer while another one is dragged. */
  dropTerm: string | null;
  onActivate: (term: string) => void;
  onOpen: (terms: string[]) => void;
  onClose: (term: string) => void;
  onKey: (key: TreeKey, term: string) => void;
  onMenu: (term: string, anchor: DOMRect) => void;
  onGrab: (term: string, event: PointerEvent) => void;
}

const ROW_HEIGHT = 2.25; // rem, as in tree.css
const TYPING_PAUSE = 700; // milliseconds

export function Tree(props: TreeProps) {
  const { rows, active } = props;
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: "", at: 0 });
  const [view, setView] = useState({ top: 0, height: 600 });
  const [rowHeight] = useState(() => ROW_HEIGHT * parseFloat(getComputedStyle(document.documentElement).fontSize || "16"));
  const at = rows.findIndex((row) => row.term === active);

  useLayoutEffect(() => {
    const element = frame.current!;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight || 600 });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const element = frame.current!;
    if (at < 0) return;
    const top = at * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight - element.clientHeight;
    }
  }, [active, at]);

  const onKeyDown = (event: KeyboardEvent) => {
    const command = commandOf(event);
    const term = rows[at]?.term;
    if (command && term !== undefined) {
      event.preventDefault();
      props.onKey(command, term);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.length === 1 && /\S/.test(event.key) && event.key !== "*") {
      const now = event.timeStamp;
      typed.current.text = now - typed.current.at > TYPING_PAUSE ? event.key : typed.current.text + event.key;
      typed.current.at = now;
      const place = typeAhead(rows, at, typed.current.text);
      if (rows[place]) props.onActivate(rows[place].term);
      return;
    }
    const effect = keyEffect(rows, at, event.key, Math.max(1, Math.floor(view.height / rowHeight) - 1));
    if (effect.kind === "none") return;
    event.preventDefault();
    if (effect.kind === "go") props.onActivate(rows[effect.to]!.term);
    else if (effect.kind === "open") props.onOpen(effect.terms);
    else props.onClose(effect.term);
  };

  const [first, last] = renderedRange(view.top, view.height, rowHeight, rows.length);
  const places = Array.from({ length: Math.max(0, last - first) }, (_, step) => first + step);
  if (at >= 0 && (at < first || at >= last)) places.push(at); // the active row always exists, for its id
  return (
    <div
      ref={frame}
      class="tree"
      role="tree"
      tabIndex={0}
      aria-label={props.label}
      aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        // a pointer chooses the row it is on, and nothing may move before its click
        if (at < 0 && rows[0] && event.currentTarget.matches(":focus-visible")) props.onActivate(rows[0].term);
      }}
      onScroll={(event) => setView({ top: event.currentTarget.scrollTop, height: event.currentTarget.clientHeight })}
    >
      <div class="tree-rows" role="presentation" style={{ height: `${rows.length * rowHeight}px` }}>
        {places.map((place) => (
          <TreeRow key={rows[place]!.term} id={`${id}-${place}`} row={rows[place]!} top={place * rowHeight} {...props} />
        ))}
      </div>
    </div>
  );
}

function commandOf(event: KeyboardEvent): TreeKey | null {
  if (event.ctrlKey || event.metaKey) {
    if (event.key === "x") return "cut";
    return event.key === "v" ? "paste" : null;
  }
  if (event.key === "F10" && event.shiftKey) return "ContextMenu";
  const keys = ["Enter", "F2", "Delete", "Insert", "ContextMenu"] as const;
  return keys.find((key) => key === event.key) ?? null;
}

interface TreeRowProps extends TreeProps {
  id: string;
  row: Row;
  top: number;
}

function TreeRow(props: TreeRowProps) {
  const { id, row, top, active, calibrated, editable, cutTerm, dropTerm } = props;
  const { term, edge } = row;
  const value = edge ? edgeValue(edge) : null;
  const classes = ["row"];
  if (term === active) classes.push("row-active");
  if (term === cutTerm) classes.push("row-cut");
  if (term === dropTerm) classes.push("row-drop");
  if (row.match) classes.push("row-match");
  if (value !== null) classes.push(`row-${bandOf(calibrated ? value : 1)}`);
  return (
    <div
      id={id}
      class={classes.join(" ")}
      role="treeitem"
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={row.expanded}
      aria-selected={term === active}
      data-term={term}
      style={{ transform: `translateY(${top}px)`, "--level": String(row.level - 1) }}
      onClick={() => props.onActivate(term)}
      onDblClick={() => (row.expanded ? props.onClose(term) : row.expanded === false && props.onOpen([term]))}
      onPointerDown={(event) => {
        if (editable && event.button === 0 && event.pointerType !== "touch") props.onGrab(term, event);
      }}
    >
      <span class="visually-hidden">{spoken(row, calibrated)}</span>
      <span
        aria-hidden="true"
        class={row.expanded === undefined ? "twisty twisty-none" : row.expanded ? "twisty twisty-open" : "twisty"}
        onClick={(event) => {
          if (row.expanded === undefined) return;
          event.stopPropagation();
          if (row.expanded) props.onClose(term);
          else props.onOpen([term]);
        }}
      >
        {row.expanded !== undefined && <Icon name="chevron" size={14} />}
      </span>
      <span class="row-term" aria-hidden="true">{term}</span>
      {row.size > 0 && <span class="row-size" aria-hidden="true">{row.size}</span>}
      <span class="row-fill" />
      {edge && edge.reason !== "model" && <span class={`reason reason-${edge.reason}`} aria-hidden="true">{edge.reason}</span>}
      {edge && edge.statements > 0 && <span class="row-statements" aria-hidden="true">{edge.statements}×</span>}
      {edge && calibrated && value !== null && <ConfidenceBar value={value} width={56} />}
      {edge && <span class="row-value" aria-hidden="true">{formatValue(value, calibrated)}</span>}
      {editable && (
        <>
          <span
            class="grip"
            onPointerDown={(event) => {
              event.stopPropagation();
              props.onGrab(term, event);
            }}
          >
            <Icon name="grip" size={16} />
          </span>
          <span
            class="row-menu"
            onPointerDown={(event) => event.stopPropagation()}
            onClick={(event) => {
              event.stopPropagation();
              props.onMenu(term, event.currentTarget.getBoundingClientRect());
            }}
          >
            <Icon name="more" size={16} />
          </span>
        </>
      )}
    </div>
  );
}

/** What a screen reader says of a row. */
function spoken(row: Row, calibrated: boolean): string {
  const parts = [row.term];
  if (row.edge) {
    const value = edgeValue(row.edge);
    if (value !== null) parts.push(`${calibrated ? "confidence" : "score"} ${formatValue(value, calibrated)}`);
    if (row.edge.reason !== "model") parts.push(row.edge.reason);
    if (row.edge.statements) parts.push(counted(row.edge.statements, "statement"));
  }
  if (row.size) parts.push(`${row.size} beneath`);
  return parts.join(", ");
}
