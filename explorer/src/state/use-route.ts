import { useCallback, useEffect, useState } from "preact/hooks";

import { formatRoute, parseRoute, type Route } from "./route";

export type Change = Record<string, string | undefined>;

/** The present route, and a function that changes some of its parameters without a new entry of the history. */
export function useRoute(): [Route, (change: Change) => void] {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const follow = () => setRoute(parseRoute(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const replace = useCallback((change: Change) => {
    const now = parseRoute(location.hash);
    const hash = formatRoute(now.view, { ...now.parameters, ...change });
    history.replaceState(null, "", hash);
    setRoute(parseRoute(hash));
  }, []);
  return [route, replace];
}
