import { operations } from "@merkle/wire/schemas";
import { describe, expect, it } from "vitest";
import { changeSettings } from "../kit/persons.js";
import { getSharedBroker, startTestBroker } from "../kit/test-broker.js";
import { transports } from "../kit/transports.js";
import { buildInitializeMessage, buildToolCall, callTool, post, readRpc } from "./rpc.js";

async function findTransport(): Promise<string> {
  const { url } = await getSharedBroker();
  return `${url}/mcp`;
}

/** Starts a new broker without sessions, and returns its MCP address. */
async function startTransport(): Promise<string> {
  const { url } = await startTestBroker();
  return `${url}/mcp`;
}

async function createSession(url: string): Promise<{ session_id: string; team_id: string }> {
  const created = await callTool(url, "create_session", {
    title: "Auth refactor",
    creator_team_name: "Alder",
  });
  return { session_id: String(created["session_id"]), team_id: String(created["team_id"]) };
}

describe("a single request", () => {
  it("[MCP-3] a call without initialize, with curl's Accept, is answered by plain JSON and opens no MCP session", async () => {
    const url = await findTransport();
    const response = await post(url, buildToolCall("get_app_info", {}));
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("mcp-session-id")).toBeNull();
    expect(await readRpc(response)).toMatchObject({
      jsonrpc: "2.0",
      id: 1,
      result: { content: [{ type: "text" }] },
    });
  });

  it("[MCP-1] the same server answers at /mcp and /api/mcp", async () => {
    const { url } = await getSharedBroker();
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const [one, other] = await Promise.all([post(`${url}/mcp`, list), post(`${url}/api/mcp`, list)]);
    expect(await one.json()).toEqual(await other.json());
  });

  it("[MCP-5] a result is the output as JSON in one text, to a request that names no revision without structuredContent", async () => {
    const url = await startTransport();
    const { result } = await readRpc(await post(url, buildToolCall("list_sessions", {})));
    expect(result).toEqual({
      content: [
        {
          type: "text",
          text: JSON.stringify({ sessions: [], next_cursor: null, counts: { active: 0, closed: 0 } }),
        },
      ],
    });
  });

  it("[MCP-6] with ?view=compact the text is the compact rendering, of failures too", async () => {
    const url = await findTransport();
    const { session_id, team_id } = await createSession(url);
    const text = async (name: string, args: unknown) => {
      const { result } = await readRpc(await post(`${url}?view=compact`, buildToolCall(name, args)));
      return Object(result).content[0].text;
    };
    expect(await text("post_message", { session_id, team_id, content: { text: "hi" } })).toBe("#1 posted");
    const conflict = await text("update_session_doc", {
      session_id,
      team_id,
      content: "x",
      expected_version: 7,
    });
    expect(conflict).toMatch(/^conflict: .+\n(?:.*\n)*current_version 0/);
    // The text explains the failure to people. A suggested next tool or the accepted fields follow on separate lines
    // (ERR-5).
    expect(await text("get_session", { session_id: "nowhere" })).toBe(
      'not_found: There is no session "nowhere".\nnext list_sessions',
    );
    expect(await text("leave_session", { session_id, team_id, why: "x" })).toMatch(
      /^bad_request: The input is not valid: unknown field "why"\.\naccepted_fields \["session_id"/,
    );
  });

  it("[MCP-7] the list has all but admin, and with ?tools= exactly the toolsets named", async () => {
    const url = await findTransport();
    const names = async (query: string) => {
      const { result } = await readRpc(
        await post(url + query, { jsonrpc: "2.0", id: 1, method: "tools/list" }),
      );
      return Object(result).tools.map(({ name }: { name: string }) => name);
    };
    const ofToolset = (wanted: (toolset: string) => boolean) =>
      operations
        .filter(({ toolset, unlisted }) => wanted(toolset) && unlisted !== true)
        .map(({ name }) => name);
    expect(await names("")).toEqual(ofToolset((toolset) => toolset !== "admin"));
    expect(await names("?tools=admin")).toEqual(ofToolset((toolset) => toolset === "admin"));
    expect(await names("?tools=core,mesh")).toEqual(
      ofToolset((toolset) => toolset === "core" || toolset === "mesh"),
    );
  });

  it("[MCP-7] an unknown toolset is answered 400 with those there are, an unknown view too", async () => {
    const url = await findTransport();
    const response = await post(`${url}?tools=core,sudo`, buildToolCall("get_app_info", {}));
    expect(response.status).toBe(400);
    expect((await readRpc(response)).error?.message).toContain(
      'no toolset "sudo". Known toolsets: core, messaging, mesh, tasks, progress, people, audit, work, admin',
    );
    expect((await post(`${url}?view=tiny`, buildToolCall("get_app_info", {}))).status).toBe(400);
  });

  it.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"])(
    "[MCP-8] it speaks revision %s with a client that asks for it",
    async (revision) => {
      const url = await findTransport();
      const { result } = await readRpc(await post(url, buildInitializeMessage(revision)));
      expect(result).toMatchObject({ protocolVersion: revision, serverInfo: { name: "merkle" } });
      expect(Object(result).instructions.length).toBeLessThan(2_000);
    },
  );

  it("[MCP-10] each tool has the operation's name, summary, input schema and read-only hint", async () => {
    const url = await findTransport();
    const { result } = await readRpc(await post(url, { jsonrpc: "2.0", id: 1, method: "tools/list" }));
    const { tools } = Object(result);
    for (const tool of tools) {
      const operation = operations.find(({ name }) => name === tool.name);
      expect(tool).toMatchObject({
        description: operation?.summary,
        inputSchema: { type: "object" },
      });
      expect(tool.annotations).toEqual(operation?.readOnly ? { readOnlyHint: true } : undefined);
      const unlisted = Array.isArray(operation?.unlisted) ? operation.unlisted : [];
      const inputs = Object.keys(operation?.input.shape ?? {}).filter((name) => !unlisted.includes(name));
      expect(Object.keys(tool.inputSchema.properties ?? {})).toEqual(inputs);
      expect(tool).not.toHaveProperty("outputSchema");
    }
  });

  it("[MCP-10] over HTTP the schemas have descriptions, bounds and defaults, and the wait no default of its own", async () => {
    const url = await findTransport();
    const { result } = await readRpc(await post(url, { jsonrpc: "2.0", id: 1, method: "tools/list" }));
    const propertiesOf = (name: string) =>
      Object(result).tools.find((tool: { name: string }) => tool.name === name).inputSchema.properties;
    expect(propertiesOf("log_progress")).toMatchObject({
      projectId: { type: "string", description: expect.any(String), maxLength: 100 },
      tags: { type: "array", items: { type: "string", maxLength: 50 }, maxItems: 10 },
    });
    expect(propertiesOf("get_context").includeFull).toMatchObject({ type: "boolean", default: false });
    expect(propertiesOf("search_logs").limit).toMatchObject({ type: "integer", default: 20, maximum: 100 });
    expect(propertiesOf("post_message")).toMatchObject({
      session_id: { description: expect.any(String) },
      to: { type: "array" },
    });
    expect(propertiesOf("wait_for_messages").timeout).toEqual({
      type: "number",
      minimum: 0,
      description: expect.stringContaining("over MCP 25"),
    });
  });
});

describe("what is refused", () => {
  it("[ERR-4] a failed operation and an unknown tool are results with isError, whose text is the error as JSON", async () => {
    const url = await findTransport();
    for (const call of [
      buildToolCall("get_session", { session_id: "nowhere" }),
      buildToolCall("make_coffee", {}),
    ]) {
      const response = await post(url, call);
      expect(response.status).toBe(200);
      const { result } = await readRpc(response);
      expect(result).toMatchObject({ isError: true, content: [{ type: "text" }] });
      const body = JSON.parse(Object(result).content[0].text);
      expect(body).toMatchObject({ error: { code: "not_found", message: expect.any(String), details: {} } });
    }
  });

  it("[ERR-4] a malformed envelope and an unknown method are JSON-RPC errors", async () => {
    const url = await findTransport();
    const envelope = await post(url, { id: 1, method: "tools/list" });
    expect(envelope.status).toBe(400);
    expect((await readRpc(envelope)).error?.code).toBe(-32700);
    const method = await readRpc(await post(url, { jsonrpc: "2.0", id: 1, method: "tools/fetch" }));
    expect(method).toMatchObject({ id: 1, error: { code: -32601 } });
  });

  it("[MCP-10] what is left out of the list may be called and given all the same", async () => {
    const url = await findTransport();
    const made = await readRpc(
      await post(url, buildToolCall("create_session", { title: "Unlisted", creator_team_name: "Atlas" })),
    );
    const { session_id } = JSON.parse(Object(made.result).content[0].text);
    for (const [name, input] of [
      ["get_timeline", { session_id }],
      ["get_history", { session_id, types: ["chat"], after_cursor: 0 }],
      ["get_health", {}],
    ] as const) {
      const { result } = await readRpc(await post(url, buildToolCall(name, input)));
      expect(Object(result).isError, name).toBeFalsy();
    }
  });

  it("[CAT-5] arguments with fields that the operation does not name are refused, __proto__ among them", async () => {
    const url = await startTransport();
    for (const name of ["colour", "__proto__", "constructor"]) {
      const args = `{"title":"A","creator_team_name":"B","${name}":{}}`;
      const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_session","arguments":${args}}}`;
      const { result } = await readRpc(await post(url, call));
      expect(Object(result).content[0].text, name).toContain('"code":"bad_request"');
    }
    expect(await callTool(url, "list_sessions", {})).toMatchObject({ sessions: [] });
  });

  it("[ERR-7] a body that is no JSON, too large, deeply nested or of another type is refused, and the broker goes on", async () => {
    const url = await startTransport();
    const broken = await post(url, "{not json");
    expect(broken.status).toBe(400);
    expect((await readRpc(broken)).error?.code).toBe(-32700);
    expect((await post(url, "")).status).toBe(400);
    const twice = `{"name":"forget",${JSON.stringify(buildToolCall("list_sessions", {})).slice(1)}`;
    expect(
      (await readRpc(await post(url, twice.replace('"arguments":', '"name":"forget","arguments":')))).error
        ?.code,
    ).toBe(-32700);
    expect((await post(url, JSON.stringify("x".repeat(2 * 1024 * 1024)))).status).toBe(413);
    expect((await post(url, "[]", { headers: { "content-type": "text/plain" } })).status).toBe(400);
    const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    expect((await post(url, deep(200_000))).status).toBe(400);
    const inside = (levels: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_sessions","arguments":{"query":${deep(levels)}}}}`;
    expect((await readRpc(await post(url, inside(200_000)))).error?.code).toBe(-32700);
    expect((await readRpc(await post(url, inside(9_000)))).result).toMatchObject({ isError: true });
    expect(await callTool(url, "list_sessions", {})).toMatchObject({ sessions: [] });
  });

  it("[AUTH-9] a request from a page of another origin is answered 403", async () => {
    const url = await findTransport();
    const response = await post(url, buildToolCall("list_sessions", {}), {
      headers: { origin: "https://evil.example" },
    });
    expect(response.status).toBe(403);
  });

  it("[AUTH-2] a credential counts in the argument, then in X-Team-ID, and is refused in the URL", async () => {
    const url = await findTransport();
    const { session_id, team_id } = await createSession(url);
    const message = { session_id, content: { text: "hi" } };
    const header = { headers: { "x-team-id": team_id } };
    expect(await callTool(url, "post_message", message, header)).toMatchObject({ cursor: 1 });
    const wrong = callTool(url, "post_message", { ...message, team_id: "wrong" }, header);
    await expect(wrong).rejects.toMatchObject({ code: "unauthorized" });
    expect((await post(`${url}?team_id=${team_id}`, buildToolCall("list_sessions", {}))).status).toBe(400);
  });

  it("a stream without an MCP session, and other methods, are answered 405", async () => {
    const url = await findTransport();
    expect((await fetch(url, { headers: { accept: "text/event-stream" } })).status).toBe(405);
    expect((await fetch(url, { method: "PUT" })).status).toBe(405);
  });
});

describe("a wait over MCP", () => {
  it("[MCP-15] [WAIT-5] lasts as long as its timeout, by default the setting's time, and over REST 30 s", async () => {
    const { url } = await startTestBroker();
    const mcp = `${url}/mcp`;
    await changeSettings(await transports.rest(url), { settings: { mcp_wait_s: 1 } });
    const { session_id, team_id } = await createSession(mcp);
    const asked = { session_id, team_id, since_cursor: 0 };
    const began = performance.now();
    const ended: string[] = [];
    // The REST wait starts first. If its default timeout were as short as that of MCP, the REST wait would also end
    // first.
    const long = new AbortController();
    fetch(`${url}/api/sessions/${session_id}/messages/wait?since_cursor=0`, {
      headers: { "x-team-id": team_id },
      signal: long.signal,
    }).then(
      () => ended.push("rest"),
      () => undefined,
    );
    for (const input of [{ ...asked, timeout: 2 }, asked])
      expect(await callTool(mcp, "wait_for_messages", input)).toMatchObject({ messages: [] });
    expect(ended).toEqual([]);
    long.abort();
    const rest = await fetch(`${url}/api/sessions/${session_id}/messages/wait?since_cursor=0&timeout=2`, {
      headers: { "x-team-id": team_id },
    });
    expect(await rest.json()).toMatchObject({ messages: [] });
    expect(performance.now() - began).toBeGreaterThanOrEqual(5_000 - 50);
  });
});
