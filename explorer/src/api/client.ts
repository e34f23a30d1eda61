/** The typed client of the server's API. Every failure is an `ApiError` with a message for people. */

import type {
  AnswersReply,
  ChangeReply,
  CompareReply,
  CorrectionsContent,
  CorrectionsReply,
  EvidenceReply,
  Failure,
  GeneralReply,
  JobReply,
  ServerReply,
  SimilarReply,
  Suggestion,
  TaxonomyRequest,
  TopicsReply,
  TreeReply,
  WorklistReply,
} from "./types";

/** A step of the corrections. */
export type Operation = CorrectionsContent["operations"][number];

const BASE = "/api/v1";

export class ApiError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly near: string[];

  constructor(
    readonly status: number,
    body: Failure,
  ) {
    super(body.message);
    this.code = body.code;
    this.hint = body.hint;
    this.near = body.near;
  }
}

type Parameter = string | number | boolean | readonly string[] | undefined;

/** The address of a question; undefined parameters are left out, lists are repeated. */
export function address(path: string, parameters: Record<string, Parameter> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    for (const single of Array.isArray(value) ? value : [value]) query.append(name, String(single));
  }
  const text = query.toString();
  return `${BASE}${path}${text ? `?${text}` : ""}`;
}

async function send<T>(url: string, options: RequestInit = {}): Promise<T> {
  let response: Response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, {
      code: "unreachable",
      message: "The server does not answer.",
      hint: "It may have been stopped: start it again with “hyperdive serve”.",
      near: [],
    });
  }
  if (response.ok) return (await response.json()) as T;
  throw new ApiError(response.status, await errorBody(response));
}

async function errorBody(response: Response): Promise<Failure> {
  try {
    const { error } = (await response.json()) as { error: Failure };
    if (typeof error.message === "string") return error;
  } catch {
    // not our JSON: something between the page and the server answered
  }
  return { code: "http", message: `The server answered with status ${response.status}.`, hint: "", near: [] };
}

function get<T>(path: string, parameters: Record<string, Parameter> = {}, signal?: AbortSignal): Promise<T> {
  return send<T>(address(path, parameters), signal ? { signal } : {});
}

function post<T>(path: string, body: unknown): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  return send<T>(address(path), { method: "POST", headers, body: JSON.stringify(body) });
}

export const api = {
  server: (signal?: AbortSignal) => get<ServerReply>("/server", {}, signal),

  suggest: (model: string, q: string, signal?: AbortSignal) =>
    get<{ suggestions: Suggestion[] }>("/suggest", { model, q, top: 8 }, signal),

  hypernyms: (model: string, term: string, top: number, signal?: AbortSignal) =>
    get<AnswersReply>("/hypernyms", { model, term, top }, signal),

  senses: (model: string, term: string, top: number, signal?: AbortSignal) =>
    get<AnswersReply>("/hypernyms", { model, term, top, senses: true }, signal),

  hyponyms: (model: string, term: string, top: number, signal?: AbortSignal) =>
    get<AnswersReply>("/hyponyms", { model, term, top }, signal),

  similar: (model: string, term: string, signal?: AbortSignal) =>
    get<SimilarReply>("/similar", { model, term, top: 12 }, signal),

  evidence: (model: string, hyponym: string, hypernym: string, signal?: AbortSignal) =>
    get<EvidenceReply>("/evidence", { model, hyponym, hypernym, top: 5 }, signal),

  compare: (model: string, term: string[], signal?: AbortSignal) =>
    get<CompareReply>("/compare", { model, term }, signal),

  topics: (model: string, signal?: AbortSignal) => get<TopicsReply>("/topics", { model, words: 8 }, signal),

  general: (model: string, query: string | undefined, signal?: AbortSignal) =>
    get<GeneralReply>("/general", { model, query, top: 30 }, signal),

  buildTaxonomy: (request: TaxonomyRequest) => post<JobReply>("/taxonomies", request),

  cancelTaxonomy: (id: string) => send<JobReply>(address(`/taxonomies/${id}`), { method: "DELETE" }),

  tree: (id: string, signal?: AbortSignal) => get<TreeReply>(`/taxonomies/${id}/tree`, {}, signal),

  worklist: (id: string, top: number, signal?: AbortSignal) =>
    get<WorklistReply>(`/taxonomies/${id}/worklist`, { top }, signal),

  corrections: (model: string, signal?: AbortSignal) =>
    get<CorrectionsReply>(`/corrections/${encodeURIComponent(model)}`, {}, signal),

  correct: (model: string, version: string, operations: Operation[]) =>
    post<ChangeReply>(`/corrections/${encodeURIComponent(model)}`, { version, operations }),
};

export const eventsAddress = (id: string): string => address(`/taxonomies/${id}/events`);

/** Where a taxonomy is a file; `least` leaves edges of less confidence out. */
export const exportAddress = (id: string, format: string, least?: number): string =>
  address(`/taxonomies/${id}/export`, { format, min_confidence: least });
