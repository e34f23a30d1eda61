/** A taxonomy that is asked for, built with progress, and can be cancelled. */

import { useEffect, useRef, useState } from "preact/hooks";

import { api, ApiError } from "../api/client";
import { watchJob } from "../api/job-events";
import type { JobReply, TaxonomyRequest } from "../api/types";
import { asApiError } from "./use-request";

export type Building =
  | { state: "starting" }
  | { state: "running"; job: JobReply }
  | { state: "done"; job: JobReply }
  | { state: "cancelled" }
  | { state: "failed"; error: ApiError };

function stateOf(job: JobReply): Building {
  if (job.state === "done") return { state: "done", job };
  if (job.state === "cancelled") return { state: "cancelled" };
  if (job.state === "failed" && job.error) return { state: "failed", error: new ApiError(422, job.error) };
  return { state: "running", job };
}

/** Builds what is requested; `attempt` asks again for the same request, as after a correction. */
export function useTaxonomyJob(request: TaxonomyRequest, attempt: number): [Building, () => void] {
  const [building, setBuilding] = useState<Building>({ state: "starting" });
  const running = useRef<string | null>(null);
  useEffect(() => {
    let stopped = false;
    let stopWatching = () => {};
    const report = (job: JobReply) => {
      if (stopped) return;
      running.current = job.state === "waiting" || job.state === "running" ? job.id : null;
      setBuilding(stateOf(job));
    };
    const fail = (error: unknown) => {
      if (!stopped) setBuilding({ state: "failed", error: asApiError(error) });
    };
    setBuilding({ state: "starting" });
    api.buildTaxonomy(request).then((job) => {
      if (stopped) return;
      report(job);
      if (running.current !== job.id) return;
      const lost = () =>
        fail(new ApiError(0, { code: "lost", message: "The server stopped reporting.", hint: "Build it again.", near: [] }));
      stopWatching = watchJob(job.id, report, lost);
    }, fail);
    return () => {
      stopped = true;
      stopWatching();
    };
  }, [JSON.stringify(request), attempt]);
  const cancel = () => {
    // the last event of the stream says when it has stopped
    if (running.current) api.cancelTaxonomy(running.current).catch(() => undefined);
  };
  return [building, cancel];
}
