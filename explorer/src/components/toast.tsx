/** A short message at the edge of the screen, with one thing that can be done about it. */

import { useEffect } from "preact/hooks";

export interface ToastMessage {
  text: string;
  action?: { label: string; run: () => void } | undefined;
  failed?: boolean;
}

const SECONDS = 8;

export function Toast({ message, onClose }: { message: ToastMessage | null; onClose: () => void }) {
  useEffect(() => {
    if (!message || message.failed) return undefined;
    const timer = setTimeout(onClose, SECONDS * 1000);
    return () => clearTimeout(timer);
  }, [message]);
  return (
    <div class="toast-region" role="status" aria-live="polite">
      {message && (
        <div class={message.failed ? "toast toast-failed" : "toast"}>
          <span>{message.text}</span>
          {message.action && (
            <button
              type="button"
              class="toast-action"
              onClick={() => {
                message.action?.run();
                onClose();
              }}
            >
              {message.action.label}
            </button>
          )}
          <button type="button" class="toast-action" onClick={onClose}>
            Close
          </button>
        </div>
      )}
    </div>
  );
}
