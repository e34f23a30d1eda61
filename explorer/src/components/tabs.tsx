/** Tabs with the keys of the ARIA practices; the shown panel is the children. */

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface TabsProps {
  label: string;
  active: string;
  tabs: readonly { name: string; title: string; count?: number }[];
  onChange: (name: string) => void;
  children: ComponentChildren;
}

export function Tabs({ label, active, tabs, onChange, children }: TabsProps) {
  const id = useId();
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ name }) => name === active);
    const steps: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const { name } = tabs[(to + tabs.length) % tabs.length]!;
    onChange(name);
    document.getElementById(`${id}-${name}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(({ name, title, count }) => (
          <button
            key={name}
            id={`${id}-${name}`}
            type="button"
            role="tab"
            aria-selected={name === active}
            aria-controls={`${id}-panel`}
            tabIndex={name === active ? 0 : -1}
            onClick={() => onChange(name)}
          >
            {title}
            {count ? <span class="count">{count.toLocaleString("en")}</span> : null}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} class="tab-panel" role="tabpanel" tabIndex={0} aria-labelledby={`${id}-${active}`}>
        {children}
      </div>
    </>
  );
}
