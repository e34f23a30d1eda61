/** What every view needs: the server, the chosen model, links that keep it, and messages. */

import { createContext } from "preact";
import { useContext } from "preact/hooks";

import type { ModelInfo, ServerReply } from "../api/types";
import type { ToastMessage } from "../components/toast";
import type { View } from "./route";
import type { Change } from "./use-route";

export interface Explorer {
  server: ServerReply;
  model: ModelInfo;
  /** Parameters of the present view. */
  parameters: Readonly<Record<string, string>>;
  /** Changes parameters of the present view without a new entry of the history. */
  replace: (change: Change) => void;
  /** The address of a view with the present model. */
  hrefTo: (view: View, parameters?: Change) => string;
  /** Goes to a view. */
  go: (view: View, parameters?: Change) => void;
  notify: (message: ToastMessage | null) => void;
}

export const ExplorerContext = createContext<Explorer | null>(null);

export function useExplorer(): Explorer {
  const explorer = useContext(ExplorerContext);
  if (!explorer) throw new Error("no explorer around this component");
  return explorer;
}
