import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { type ModelServer, replyWithText, startModelServer } from "../kit/model-server.js";
import { startStdioServer } from "../kit/stdio.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { post, readRpc } from "../mcp/rpc.js";

/** Runs the examples from the description of a progress log (docs/deviations.md). Results and schemas must match. */

let model: ModelServer;
let broker: TestBroker;
const cleanup = createCleanup();
beforeAll(async () => {
  model = await startModelServer(cleanup);
  broker = await startTestBroker({ summaries: { apiKey: "sk-test", baseUrl: model.url } }, cleanup);
});

const id = expect.stringMatching(/^[0-9A-Za-z_-]{12}$/);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const logRequest = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: "log_progress",
    arguments: {
      projectId: "mobile-app",
      title: "Implemented user registration endpoint",
      content:
        "Created POST /api/users endpoint with validation. Added bcrypt for password hashing. Wrote integration tests.",
      tags: ["api", "users"],
    },
  },
};

const refactored = {
  projectId: "mobile-app",
  title: "Refactored authentication module",
  content:
    "I refactored the authentication module to use JWT tokens instead of sessions. Changes made: 1. Added jsonwebtoken package, 2. Created src/auth/jwt.ts with sign/verify functions, 3. Updated src/middleware/auth.ts to validate tokens, 4. Modified user login endpoint to return tokens. All tests pass.",
  tags: ["auth", "refactor"],
  agentId: "coding-agent-1",
};
const summary =
  "Refactored authentication from sessions to JWT tokens. Created jwt.ts with sign/verify utilities, updated auth middleware for token validation, and modified login endpoint to return tokens. All tests passing.";

describe("over MCP over HTTP, with text and structure side by side", () => {
  /** Sends a request to the broker's MCP server, with only the progress log's three tools. */
  const ask = async (method: string, params: object) => {
    const url = `${broker.url}/mcp?tools=progress&view=compact&structured=1`;
    return Object((await readRpc(await post(url, { jsonrpc: "2.0", id: 2, method, params }))).result);
  };
  const call = (name: string, args: object) => ask("tools/call", { name, arguments: args });

  it("[MCP-10] [MCP-17] the three tools have the schemas that are drawn", async () => {
    const { tools } = await ask("tools/list", {});
    const find = (name: string) => tools.find((tool: { name: string }) => tool.name === name);
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      "log_progress",
      "get_context",
      "search_logs",
    ]);
    expect(find("log_progress")).toMatchObject({
      inputSchema: {
        type: "object",
        properties: {
          projectId: { type: "string", maxLength: 100 },
          title: { type: "string", maxLength: 100 },
          content: { type: "string", maxLength: 10_000 },
          tags: { type: "array", items: { type: "string", maxLength: 50 }, maxItems: 10 },
          agentId: { type: "string", maxLength: 100 },
        },
        required: ["projectId", "title", "content"],
      },
      outputSchema: {
        type: "object",
        properties: { id: { type: "string" }, projectId: {}, title: {}, createdAt: { type: "string" } },
        required: ["id", "projectId", "title", "createdAt"],
      },
    });
    expect(find("get_context").inputSchema).toMatchObject({
      properties: { includeFull: { type: "boolean", default: false } },
      required: ["projectId", "id"],
    });
    expect(find("search_logs").inputSchema).toMatchObject({
      properties: {
        query: { type: "string" },
        tags: { type: "array", items: { type: "string" } },
        startDate: { type: "string" },
        endDate: { type: "string" },
        limit: { type: "integer", default: 20, maximum: 100 },
      },
      required: ["projectId"],
    });
  });

  it("[PROGRESS-1] log_progress answers as drawn", async () => {
    const url = `${broker.url}/mcp?tools=progress&view=compact&structured=1`;
    const answer = Object(await (await post(url, logRequest)).json());
    const logged = answer.result.structuredContent;
    expect(answer).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: {
        content: [
          {
            type: "text",
            text: `Logged: Implemented user registration endpoint (ID: ${logged.id}) in project mobile-app`,
          },
        ],
        structuredContent: {
          id,
          projectId: "mobile-app",
          title: "Implemented user registration endpoint",
          createdAt: timestamp,
        },
      },
    });
  });

  it("[PROGRESS-6] get_context asks the model as drawn, once, and answers with its summary", async () => {
    const { structuredContent: entry } = await call("log_progress", refactored);
    const before = model.requests.length;
    model.answer = replyWithText(summary);
    const { projectId, title, content, tags } = refactored;
    const first = await call("get_context", { projectId, id: entry.id });
    expect(first).toMatchObject({
      content: [{ type: "text", text: expect.stringContaining(summary) }],
      structuredContent: { id: entry.id, projectId, title, summary, createdAt: entry.createdAt, tags },
    });
    expect(first.structuredContent).not.toHaveProperty("content");
    const whole = await call("get_context", { projectId, id: entry.id, includeFull: true });
    expect(whole.structuredContent).toMatchObject({ summary, content });
    expect(model.requests.slice(before)).toMatchObject([
      {
        path: "/v1/chat/completions",
        headers: { authorization: "Bearer sk-test" },
        body: {
          model: "gpt-4o-mini",
          messages: [
            { role: "system", content: expect.any(String) },
            { role: "user", content: `Title: ${title}\n\nContent:\n${content}` },
          ],
          max_tokens: 150,
          temperature: 0.3,
        },
      },
    ]);
  });

  it("[PROGRESS-9] [PROGRESS-11] search_logs answers as drawn, newest first, without content and summary", async () => {
    const projectId = "auth-app";
    await call("log_progress", { ...refactored, projectId, title: "Added auth middleware" });
    await call("log_progress", { ...refactored, projectId });
    const found = await call("search_logs", {
      projectId,
      query: "auth",
      startDate: "2025-06-01T00:00:00Z",
      limit: 5,
    });
    const { entries, total } = found.structuredContent;
    expect(total).toBe(2);
    const row = { id, createdAt: timestamp, tags: ["auth", "refactor"] };
    expect(entries).toMatchObject([
      { ...row, title: "Refactored authentication module" },
      { ...row, title: "Added auth middleware" },
    ]);
    for (const entry of entries)
      for (const field of ["content", "summary"]) expect(entry).not.toHaveProperty(field);
    const [one, two] = entries;
    const day = (at: string) => at.slice(0, 10);
    expect(found.content).toEqual([
      {
        type: "text",
        text:
          "Found 2 entries matching 'auth' in auth-app:\n" +
          `1. ${one.id} - Refactored authentication module (${day(one.createdAt)})\n` +
          `2. ${two.id} - Added auth middleware (${day(two.createdAt)})`,
      },
    ]);
  });

  it("[PROGRESS-2] [PROGRESS-9] [LIMIT-1] what is bounded by 100 takes 100 and refuses 101", async () => {
    const isRefused = async (name: string, args: object) => (await call(name, args)).isError === true;
    for (const field of ["projectId", "title", "agentId"])
      for (const length of [100, 101]) {
        const args = { ...refactored, projectId: "bounds", [field]: "x".repeat(length) };
        expect(await isRefused("log_progress", args), `${field} of ${length}`).toBe(length > 100);
      }
    for (const limit of [100, 101])
      expect(await isRefused("search_logs", { projectId: "bounds", limit })).toBe(limit > 100);
  });

  it("[PROGRESS-2] [PROGRESS-4] errors say what the description's say", async () => {
    const refused = async (name: string, args: object) => {
      const { isError, content } = await call(name, args);
      expect(isError).toBe(true);
      return content[0].text;
    };
    expect(await refused("get_context", { projectId: "mobile-app", id: "x7k9m2p4q1w3" })).toContain(
      "Entry not found: x7k9m2p4q1w3 in project mobile-app",
    );
    const { projectId, ...unnamed } = refactored;
    expect(await refused("log_progress", unnamed)).toContain("projectId is required");
    expect(await refused("log_progress", { ...refactored, title: "t".repeat(101) })).toContain(
      "title exceeds maximum length of 100 characters",
    );
    expect(await refused("log_progress", { ...refactored, content: "" })).toContain(
      "content is required and cannot be empty",
    );
    expect(await refused("search_logs", { projectId, startDate: "yesterday" })).toContain(
      "Invalid date format for startDate: expected ISO 8601",
    );
  });
});

describe("over stdio", () => {
  it("[STDIO-2] merkle mcp --only-tools progress lists the three tools, and takes the request as written", async () => {
    const server = await startStdioServer({ url: broker.url, args: ["--only-tools", "progress"] });
    await server.initialize();
    const { result } = await server.request("tools/list");
    const { tools } = Object(result);
    expect(tools.map(({ name }: { name: string }) => name)).toEqual([
      "log_progress",
      "get_context",
      "search_logs",
    ]);
    const { name, arguments: args } = logRequest.params;
    expect(await server.call(name, args)).toMatch(
      /^Logged: Implemented user registration endpoint \(ID: [\w-]{12}\) in project mobile-app$/,
    );
  });
});
