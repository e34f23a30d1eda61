import { useEffect, useState } from "preact/hooks";

import { ApiError } from "../api/client";

export type Request<T> =
  | { state: "idle" }
  | { state: "loading"; previous: T | undefined }
  | { state: "ready"; value: T }
  | { state: "failed"; error: ApiError };

/** Any failure as an `ApiError`, so that every view can show it the same way. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, { code: "page", message: String(error), hint: "Reload the page.", near: [] });
}

/**
 * What a question to the server has come to; asked again when `key` changes, and aborted when it is outdated.
 *
 * A `key` of null asks nothing. While loading, `previous` is the last answer, so that a view need not flicker.
 */
export function useRequest<T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>): Request<T> {
  const [request, setRequest] = useState<Request<T>>({ state: "idle" });
  useEffect(() => {
    if (key === null) {
      setRequest({ state: "idle" });
      return undefined;
    }
    const controller = new AbortController();
    setRequest((before) => ({ state: "loading", previous: before.state === "ready" ? before.value : undefined }));
    ask(controller.signal).then(
      (value) => {
        if (!controller.signal.aborted) setRequest({ state: "ready", value });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setRequest({ state: "failed", error: asApiError(error) });
      },
    );
    return () => controller.abort();
    // `ask` is a new closure at every rendering; `key` says when its answer would differ
  }, [key]);
  return request;
}

/** The value that can be shown now: the answer, or the one before it while a new one is on its way. */
export function shown<T>(request: Request<T>): T | undefined {
  if (request.state === "ready") return request.value;
  return request.state === "loading" ? request.previous : undefined;
}
