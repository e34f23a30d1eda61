/** The states of a view that has nothing to show yet, or not what was hoped for. */

import type { ComponentChildren } from "preact";

import type { ApiError } from "../api/client";
import { Icon, type IconName } from "./icon";

interface StateProps {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}

export function EmptyState({ icon, title, children }: StateProps) {
  return (
    <div class="state">
      <span class="state-icon">
        <Icon name={icon} size={28} />
      </span>
      <h2>{title}</h2>
      <div class="state-text">{children}</div>
    </div>
  );
}

/** Grey lines where answers will be. */
export function Loading({ label, lines = 6 }: { label: string; lines?: number }) {
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">{label}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="loading-line" style={{ width: `${92 - ((line * 23) % 40)}%` }} />
      ))}
    </div>
  );
}

export function ErrorState({ error, retry }: { error: ApiError; retry?: (() => void) | undefined }) {
  const needsToken = error.status === 401;
  return (
    <div class="state state-error" role="alert">
      <span class="state-icon">
        <Icon name="warning" size={28} />
      </span>
      <h2>{needsToken ? "This server needs its token" : error.message}</h2>
      <div class="state-text">
        <p>{needsToken ? "Open the address that the server printed when it started." : error.hint}</p>
        {retry && (
          <button type="button" class="button" onClick={retry}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}
