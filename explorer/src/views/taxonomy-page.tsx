/** A taxonomy while it is built, and then itself. */

import { useState } from "preact/hooks";

import { api } from "../api/client";
import type { JobReply, TaxonomyRequest } from "../api/types";
import { EmptyState, ErrorState, Loading } from "../components/states";
import { useExplorer } from "../state/explorer";
import { useCorrections } from "../state/use-corrections";
import { shown, useRequest } from "../state/use-request";
import { useTaxonomyJob } from "../state/use-taxonomy-job";
import { TaxonomyEditor } from "./taxonomy-editor";

interface TaxonomyPageProps {
  request: TaxonomyRequest;
  title: string;
}

export function TaxonomyPage({ request, title }: TaxonomyPageProps) {
  const [attempt, setAttempt] = useState(0);
  const [building, cancel] = useTaxonomyJob(request, attempt);
  const editing = useCorrections();
  const job = building.state === "done" ? building.job : null;
  const version = editing.corrections?.version;
  const tree = useRequest(job && version !== undefined ? `${job.id} ${version}` : null, (signal) => api.tree(job!.id, signal));
  const taxonomy = shown(tree);
  const again = () => setAttempt(attempt + 1);
  const { hrefTo } = useExplorer();

  if (building.state === "failed") {
    return (
      <section class="panel">
        <ErrorState error={building.error} retry={again} />
        {building.error.near.length > 0 && (
          <ul class="chips chips-centred">
            {building.error.near.map((term) => (
              <li key={term}>
                <a class="chip chip-link" href={hrefTo("tree", { root: term })}>
                  {term}
                </a>
              </li>
            ))}
          </ul>
        )}
        <p class="centred">
          <a href={hrefTo("tree")}>Choose other terms</a>
        </p>
      </section>
    );
  }
  if (building.state === "cancelled") {
    return (
      <section class="panel">
        <EmptyState icon="tree" title="Cancelled">
          <div class="button-row">
            <button type="button" class="button button-primary" onClick={again}>
              Build it after all
            </button>
            <a class="button" href={hrefTo("tree")}>
              Choose other terms
            </a>
          </div>
        </EmptyState>
      </section>
    );
  }
  if (!job) return <Progress title={title} job={building.state === "running" ? building.job : null} onCancel={cancel} />;
  if (tree.state === "failed") return <ErrorState error={tree.error} retry={again} />;
  if (!taxonomy) return <Loading label="Reading the tree" lines={12} />;
  return <TaxonomyEditor title={title} taxonomy={taxonomy} editing={editing} onRebuild={again} />;
}

function Progress({ title, job, onCancel }: { title: string; job: JobReply | null; onCancel: () => void }) {
  const share = job?.total ? Math.min(1, job.done / job.total) : null;
  return (
    <section class="panel progress">
      <h1>{title}</h1>
      <p role="status">{job ? (job.state === "waiting" ? "Waiting for another taxonomy to finish" : job.stage) : "Starting"}</p>
      <progress aria-label="Progress" max={1} value={share ?? undefined} />
      <p class="muted">
        {job && `${job.seconds.toFixed(0)} s`}
        {job?.seconds_left != null && `, about ${Math.ceil(job.seconds_left)} s left`}
      </p>
      <button type="button" class="button" onClick={onCancel} disabled={!job}>
        Cancel
      </button>
    </section>
  );
}
