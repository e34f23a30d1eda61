/** Line icons of 24 units, drawn in the colour of the text around them. */

const PATHS = {
  ask: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14ZM16 16l5 5",
  tree: "M5 4v16M5 8h6M5 14h6M5 20h6M14 8h5M14 14h5M14 20h5",
  compare: "M4 5h14M4 9h9M4 15h16M4 19h6",
  topics: "M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z",
  models: "M4 5h6v14H4zM14 5h6v14h-6zM10 12h4",
  arrow: "M5 12h14M13 6l6 6-6 6",
  chevron: "M9 5l7 7-7 7",
  check: "M5 13l4 4 10-11",
  cross: "M6 6l12 12M18 6L6 18",
  undo: "M9 7L4 12l5 5M4 12h10a6 6 0 0 1 6 6",
  redo: "M15 7l5 5-5 5M20 12H10a6 6 0 0 0-6 6",
  move: "M4 6h7M4 12h7M4 18h7M15 12h6M18 9l3 3-3 3",
  merge: "M5 4c0 6 7 4 7 10M19 4c0 6-7 4-7 10v6M9 17l3 3 3-3",
  add: "M12 5v14M5 12h14",
  rename: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  top: "M5 4h14M12 20V9M7 13l5-5 5 5",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  grip: "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01",
  share: "M12 15V4M8 8l4-4 4 4M5 12v8h14v-8",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4",
  moon: "M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5Z",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  graph: "M5 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM19 3a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM19 16a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5ZM7.5 11L17 6.7M7.5 13l9.5 4.3",
  quote: "M5 7h5v5H5zM10 12c0 3-2 5-5 5M14 7h5v5h-5zM19 12c0 3-2 5-5 5",
  question: "M9 9a3 3 0 1 1 4 2.8c-.7.3-1 .8-1 1.7M12 17.5h.01",
  warning: "M12 4l9 16H3zM12 10v4M12 17h.01",
  list: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  expand: "M7 9l5-5 5 5M7 15l5 5 5-5",
  collapse: "M7 4l5 5 5-5M7 20l5-5 5 5",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
