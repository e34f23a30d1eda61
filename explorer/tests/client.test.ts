import { afterEach, describe, expect, it, vi } from "vitest";

import { address, api, ApiError } from "../src/api/client";

const answer = (status: number, body: string) => Promise.resolve(new Response(body, { status }));

afterEach(() => vi.unstubAllGlobals());

describe("address", () => {
  it("repeats lists, leaves out what is undefined and escapes the rest", () => {
    expect(address("/compare", { model: "a b", term: ["x&y", "z"], top: undefined })).toBe(
      "/api/v1/compare?model=a+b&term=x%26y&term=z",
    );
    expect(address("/server")).toBe("/api/v1/server");
  });
});

describe("senses", () => {
  it("are hypernyms that are asked for by sense", async () => {
    const fetched = vi.fn((..._: unknown[]) => answer(200, "{}"));
    vi.stubGlobal("fetch", fetched);
    await api.senses("m", "bass", 12);
    await api.hypernyms("m", "bass", 12);
    expect(fetched.mock.calls.map(([url]) => url)).toEqual([
      "/api/v1/hypernyms?model=m&term=bass&top=12&senses=true",
      "/api/v1/hypernyms?model=m&term=bass&top=12",
    ]);
  });
});

describe("errors", () => {
  it("carry the server's message, hint and near spellings", async () => {
    const body = { error: { code: "unknown_term", message: "'dgo' is not in this model", hint: "check it", near: ["dog"] } };
    vi.stubGlobal("fetch", () => answer(404, JSON.stringify(body)));
    const error = await api.evidence("m", "dgo", "animal").catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 404, code: "unknown_term", hint: "check it", near: ["dog"] });
  });

  it("say so when the answer is not JSON, or when there is none", async () => {
    vi.stubGlobal("fetch", () => answer(502, "<html>bad gateway</html>"));
    await expect(api.server()).rejects.toMatchObject({ status: 502, message: "The server answered with status 502." });
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
    await expect(api.server()).rejects.toMatchObject({ status: 0, code: "unreachable" });
  });
});

describe("writing", () => {
  it("sends the version and the operations as JSON", async () => {
    const fetched = vi.fn((..._: unknown[]) => answer(200, "{}"));
    vi.stubGlobal("fetch", fetched);
    await api.correct("my model", "v1", [{ op: "accept", child: "dog", parent: "animal" }]);
    const [url, options] = fetched.mock.calls[0] as unknown as [string, RequestInit];
    expect(url).toBe("/api/v1/corrections/my%20model");
    expect(options.headers).toEqual({ "Content-Type": "application/json" });
    expect(JSON.parse(String(options.body))).toEqual({
      version: "v1",
      operations: [{ op: "accept", child: "dog", parent: "animal" }],
    });
  });
});
