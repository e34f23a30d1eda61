/** Tree: choose terms, build their taxonomy, look at it and correct it. */

import { useEffect, useState } from "preact/hooks";

import type { TaxonomyRequest } from "../api/types";
import { Loading } from "../components/states";
import { useExplorer } from "../state/explorer";
import { unpackTerms } from "../taxonomy/term-list";
import { TaxonomyPage } from "./taxonomy-page";
import { TreeStart } from "./tree-start";

export function TreeView() {
  const { model, parameters } = useExplorer();
  const { root, top, list } = parameters;
  const [terms, setTerms] = useState<string[] | null>(null);
  useEffect(() => {
    setTerms(null);
    if (list) void unpackTerms(list).then(setTerms);
  }, [list]);
  if (list && !terms) return <Loading label="Reading the list" />;
  const request = requestOf(model.name, root, top, terms);
  if (!request) return <TreeStart />;
  return <TaxonomyPage key={`${model.name} ${root} ${top} ${list}`} request={request} title={titleOf(request)} />;
}

function requestOf(model: string, root?: string, top?: string, terms?: string[] | null): TaxonomyRequest | null {
  const number = top && /^\d+$/.test(top) ? Number(top) : undefined;
  if (terms) return { model, terms };
  if (root) return { model, root, ...(number && { top: number }) };
  return number ? { model, top: number } : null;
}

function titleOf({ root, terms, top }: TaxonomyRequest): string {
  if (root) return `Beneath “${root}”`;
  return terms ? `Your ${terms.length.toLocaleString("en")} terms` : `The ${top?.toLocaleString("en")} most connected terms`;
}
