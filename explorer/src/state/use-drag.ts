/** Dragging a term onto another one with the pointer; Escape or a drop elsewhere cancels it. */

import { useEffect, useRef, useState } from "preact/hooks";

export interface Drag {
  term: string;
  x: number;
  y: number;
  /** The term under the pointer, "" for the top of the tree, null for no place at all. */
  target: string | null;
}

const THRESHOLD = 6; // pixels before a press becomes a drag
const EDGE = 40; // pixels from the edge of the tree where it scrolls

/** The place under a point: an element with `data-term`, or the one with `data-drop-top`. */
function targetAt(x: number, y: number): string | null {
  const element = document.elementFromPoint(x, y);
  if (element?.closest("[data-drop-top]")) return "";
  return element?.closest<HTMLElement>("[role=tree] [data-term]")?.dataset["term"] ?? null;
}

export function useDrag(onDrop: (term: string, target: string) => void): [Drag | null, (term: string, event: PointerEvent) => void] {
  const [drag, setDrag] = useState<Drag | null>(null);
  const stop = useRef(() => {});
  const drop = useRef(onDrop);
  drop.current = onDrop;
  useEffect(() => () => stop.current(), []);

  const grab = (term: string, start: PointerEvent) => {
    stop.current();
    let present: Drag | null = null;
    const tree = document.querySelector("[role=tree]");
    const show = (next: Drag | null) => {
      present = next;
      setDrag(next);
    };
    const move = (event: PointerEvent) => {
      const { clientX: x, clientY: y } = event;
      if (!present && Math.hypot(x - start.clientX, y - start.clientY) < THRESHOLD) return;
      event.preventDefault();
      show({ term, x, y, target: targetAt(x, y) });
    };
    const scroll = setInterval(() => {
      if (!present || !tree) return;
      const { top, bottom } = tree.getBoundingClientRect();
      if (present.y < top + EDGE && present.y > top - EDGE) tree.scrollTop -= 12;
      else if (present.y > bottom - EDGE) tree.scrollTop += 12;
    }, 16);
    const end = (event: PointerEvent) => {
      const dropped = event.type === "pointerup" ? present : null;
      stop.current();
      if (dropped && dropped.target !== null) drop.current(dropped.term, dropped.target);
    };
    const escape = (event: KeyboardEvent) => {
      if (event.key === "Escape") stop.current();
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
    addEventListener("keydown", escape);
    stop.current = () => {
      clearInterval(scroll);
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      removeEventListener("keydown", escape);
      show(null);
      stop.current = () => {};
    };
  };
  return [drag, grab];
}
