/** A menu at a place of the screen, with the keys of the ARIA practices. */

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

import { Icon, type IconName } from "./icon";

export interface MenuItem {
  label: string;
  icon: IconName;
  run: () => void;
}

interface MenuProps {
  label: string;
  anchor: DOMRect;
  items: MenuItem[];
  onClose: () => void;
}

export function Menu({ label, anchor, items, onClose }: MenuProps) {
  const list = useRef<HTMLDivElement>(null);
  const buttons = () => [...(list.current?.querySelectorAll<HTMLButtonElement>("[role=menuitem]") ?? [])];

  useLayoutEffect(() => {
    const element = list.current!;
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(8, Math.min(anchor.right - width, innerWidth - width - 8))}px`;
    element.style.top = `${anchor.bottom + height + 8 > innerHeight ? Math.max(8, anchor.top - height) : anchor.bottom}px`;
    const opener = document.activeElement;
    buttons()[0]?.focus();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);

  useEffect(() => {
    const outside = (event: PointerEvent) => {
      if (!list.current?.contains(event.target as Node)) onClose();
    };
    addEventListener("pointerdown", outside);
    return () => removeEventListener("pointerdown", outside);
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    const all = buttons();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const to: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 };
    if (event.key === "Escape" || event.key === "Tab") onClose();
    else if (event.key in to) all[(to[event.key]! + all.length) % all.length]?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div ref={list} class="menu" role="menu" aria-label={label} onKeyDown={onKeyDown}>
      {items.map(({ label: name, icon, run }) => (
        <button
          key={name}
          type="button"
          role="menuitem"
          tabIndex={-1}
          onClick={() => {
            onClose();
            run();
          }}
        >
          <Icon name={icon} size={18} />
          {name}
        </button>
      ))}
    </div>
  );
}
