/** The progress of a taxonomy that is being built, as server-sent events. */

import { eventsAddress } from "./client";
import type { JobReply } from "./types";

/** Calls `report` with every state of a job until it has ended; the returned function stops listening. */
export function watchJob(id: string, report: (job: JobReply) => void, lost: () => void): () => void {
  const source = new EventSource(eventsAddress(id));
  const read = (event: Event): JobReply => JSON.parse((event as MessageEvent<string>).data) as JobReply;
  source.addEventListener("progress", (event) => report(read(event)));
  for (const end of ["done", "failed", "cancelled"]) {
    source.addEventListener(end, (event) => {
      source.close();
      report(read(event));
    });
  }
  source.onerror = () => {
    // the browser reconnects by itself, except after an answer that is no event stream
    if (source.readyState === EventSource.CLOSED) lost();
  };
  return () => source.close();
}
