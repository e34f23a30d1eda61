/** The box that asks a model for terms. */

import { api } from "../api/client";
import type { Suggestion } from "../api/types";
import { TermBox, type Choice } from "./term-box";

interface ModelTermBoxProps {
  model: string;
  label: string;
  hideLabel?: boolean;
  placeholder?: string;
  value?: string;
  autofocus?: boolean;
  large?: boolean;
  onChoose: (term: string) => void;
  onType?: (text: string) => void;
}

function choiceOf({ term, match }: Suggestion): Choice {
  return match === "spelling" ? { term, note: "similar spelling" } : { term };
}

export function ModelTermBox({ model, ...box }: ModelTermBoxProps) {
  const complete = async (text: string, signal: AbortSignal) =>
    (await api.suggest(model, text, signal)).suggestions.map(choiceOf);
  return <TermBox {...box} complete={complete} />;
}
