/** Somebody else changed the corrections: nothing is lost, and the user decides what happens to the step. */

import type { Step } from "../state/use-corrections";
import { Icon } from "./icon";

export function ConflictNotice({ step, onReload }: { step: Step; onReload: (again: boolean) => void }) {
  return (
    <div class="notice" role="alert">
      <Icon name="warning" />
      <div>
        <strong>The corrections were changed in another tab or program.</strong>
        <p>Your last step was not saved: {step.says}.</p>
        <div class="button-row">
          <button type="button" class="button button-primary" onClick={() => onReload(true)}>
            Load the changes and try again
          </button>
          <button type="button" class="button" onClick={() => onReload(false)}>
            Load the changes, drop my step
          </button>
        </div>
      </div>
    </div>
  );
}
