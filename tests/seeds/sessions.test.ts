import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { beforeAll, describe, expect, it } from "vitest";
import { getSharedBroker } from "../kit/test-broker.js";
import { callTool, initialize } from "../mcp/rpc.js";

/** Runs the examples from the description of sessions (docs/deviations.md). Replies and events must match. */

let url: string;
beforeAll(async () => {
  ({ url } = await getSharedBroker());
});

/** Matches a uuid, or a credential that begins with a uuid. */
const id = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/);
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** Sends a request as `curl -X POST -d` would, with curl's default content type for forms. */
async function curl(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const text = body && JSON.stringify(body);
  return new Promise<{ status: number | undefined; body: Record<string, unknown> }>((resolve, reject) => {
    const type = text === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" };
    const sent = request(`${url}${path}`, { method, headers: { accept: "*/*", ...type, ...headers } });
    sent.once("error", reject).once("response", async (response) => {
      let said = "";
      for await (const chunk of response) said += String(chunk);
      resolve({ status: response.statusCode, body: JSON.parse(said) });
    });
    sent.end(text);
  });
}

describe("tools over MCP", () => {
  const call = (name: string, args: object) => callTool(`${url}/api/mcp`, name, args);

  async function startSession() {
    const title = `Auth refactor ${randomUUID()}`;
    const created = await call("create_session", {
      title,
      description: "Move login to rotating tokens.",
      creator_team_name: "Alex's Team",
    });
    const { session_id, team_id } = created;
    return { created, title, convener: { session_id, team_id }, session_id };
  }

  it("[SES-1] create_session and join_session give session, token and cursor, and the roster", async () => {
    const { created, title, session_id } = await startSession();
    expect(created).toMatchObject({
      session_id: id,
      team_id: id,
      cursor: 0,
      title,
      description: "Move login to rotating tokens.",
    });
    const joined = await call("join_session", { session_id, team_name: "Birch's Team" });
    expect(joined).toMatchObject({ team_id: id, cursor: 1 });
    const [first] = Object(joined).participants;
    expect(first).toMatchObject({ team_name: "Alex's Team", joined_at: timestamp, last_seen_at: timestamp });
    expect(["active", "idle", "disconnected"]).toContain(first.status);
  });

  it("[WAIT-1] the loop of the description joins, waits, posts, leaves and ends", async () => {
    const { session_id, convener } = await startSession();
    const { team_id, cursor } = await call("join_session", { session_id, team_name: "Birch's Team" });
    const own = { session_id, team_id };
    const posted = await call("post_message", { ...convener, content: { text: "hello" } });
    expect(posted).toEqual({ message_id: id, cursor: 2, at: timestamp });
    const result = await call("wait_for_messages", { ...own, since_cursor: cursor, timeout: 30 });
    expect(result).toMatchObject({
      messages: [
        {
          id,
          type: "chat",
          content: { text: "hello" },
          posted_by_team_id: id,
          posted_at: timestamp,
          sequence: 2,
        },
      ],
      next_cursor: 2,
      session_closed: false,
    });
    const empty = await call("wait_for_messages", { ...own, since_cursor: 2, timeout: 0 });
    expect(empty).toMatchObject({ messages: [], next_cursor: 2, session_closed: false });
    await call("leave_session", own);
    const { messages } = await call("get_history", convener);
    expect(messages).toMatchObject([
      { type: "system", event: "team_joined", team: "Birch's Team", at: timestamp },
      { type: "chat" },
      { type: "system", event: "team_left", team: "Birch's Team", at: timestamp },
    ]);
    await expect(
      call("post_message", { ...convener, type: "team_joined", content: { text: "x" } }),
    ).rejects.toMatchObject({ code: "bad_request" });
  });

  it("[DOC-1] the document is read, replaced by its version, appended to, and concluded", async () => {
    const { session_id, convener } = await startSession();
    const { version } = await call("read_session_doc", { session_id });
    expect(await call("read_session_doc", { session_id })).toMatchObject({ content: "", version: 0 });
    const update = { ...convener, content: "# Session: Auth\n\n## Notes", expected_version: version };
    expect(await call("update_session_doc", update)).toMatchObject({ version: 1 });
    await expect(call("update_session_doc", update)).rejects.toMatchObject({
      code: "conflict",
      details: { current_version: 1 },
    });
    const text = "- found that Y is the right approach because Z";
    expect(await call("append_to_session_doc", { ...convener, text })).toMatchObject({ version: 2 });
    const summary_section = "## Conclusion\nSubtask X complete. Decided on approach Y. Resume from Z.";
    expect(await call("conclude_session", { ...convener, summary_section })).toMatchObject({
      session_id,
      status: "closed",
      closed_at: timestamp,
      doc_version: 3,
    });
    const { content } = await call("read_session_doc", { session_id });
    expect(content).toBe(
      `# Session: Auth\n\n## Notes\n${text}\n\n${summary_section.replace("\n", "\n\n")}\n`,
    );
    expect(
      await call("wait_for_messages", { ...convener, since_cursor: 0, include_own: true }),
    ).toMatchObject({
      messages: [{ event: "session_concluded" }],
      session_closed: true,
    });
    await expect(call("append_to_session_doc", { ...convener, text })).rejects.toMatchObject({
      code: "session_closed",
    });
  });

  it("[SES-8] update_session_metadata answers what holds now, and says what changed and why", async () => {
    const { title, convener } = await startSession();
    const reason = "the goal has changed";
    const updated = await call("update_session_metadata", { ...convener, description: "New.", reason });
    expect(updated).toMatchObject({ title, description: "New.", updated_at: timestamp });
    expect(await call("get_history", convener)).toMatchObject({
      messages: [
        {
          type: "system",
          event: "session_metadata_updated",
          by: "Alex's Team",
          changes: { description: { from: "Move login to rotating tokens.", to: "New." } },
          reason,
          at: timestamp,
        },
      ],
      next_cursor: null,
      has_more: false,
    });
    await expect(call("update_session_metadata", { ...convener, title: "x" })).rejects.toMatchObject({
      code: "bad_request",
    });
  });

  it("[SES-5] [ROSTER-1] [FEED-14] get_session, list_participants and get_history read as drawn", async () => {
    const { title, session_id, convener } = await startSession();
    expect(await call("get_session", { session_id })).toMatchObject({
      title,
      description: "Move login to rotating tokens.",
      status: "active",
    });
    const { participants } = await call("list_participants", { session_id });
    expect(participants).toMatchObject([
      { team_id: id, team_name: "Alex's Team", status: expect.any(String) },
    ]);
    for (const text of ["one", "two", "three"])
      await call("post_message", { ...convener, content: { text } });
    const newest = await call("get_history", { session_id, limit: 2 });
    expect(newest).toMatchObject({
      messages: [{ content: { text: "two" } }, { content: { text: "three" } }],
      has_more: true,
    });
    const before_cursor = newest["next_cursor"];
    expect(await call("get_history", { session_id, before_cursor })).toMatchObject({
      messages: [{ content: { text: "one" } }],
      next_cursor: null,
      has_more: false,
    });
  });

  it("[FEED-14] get_history has 100 of 101 messages by default, and where the limit is above 500", async () => {
    const { session_id, convener } = await startSession();
    for (let n = 1; n <= 100; n += 1) await call("post_message", { ...convener, content: { text: `${n}` } });
    const countOf = async (args: object = {}) => {
      const { messages, has_more } = Object(await call("get_history", { session_id, ...args }));
      return [messages.length, has_more];
    };
    expect(await countOf()).toEqual([100, false]);
    await call("post_message", { ...convener, content: { text: "101" } });
    expect(await countOf()).toEqual([100, true]);
    expect(await countOf({ limit: 500 })).toEqual([101, false]);
    expect(await countOf({ limit: 501 })).toEqual([100, true]);
  });

  it("[MCP-2] [MCP-19] the same calls work without session and token where the client keeps an MCP session", async () => {
    const headers = { "mcp-session-id": await initialize(`${url}/api/mcp`) };
    const bare = (name: string, args?: object) => callTool(`${url}/api/mcp`, name, args, { headers });
    await bare("create_session", { title: randomUUID(), creator_team_name: "Alex's Team" });
    await bare("post_message", { content: { text: "hello" } });
    expect(await bare("get_history")).toMatchObject({ messages: [{ content: { text: "hello" } }] });
    expect(await bare("list_participants")).toMatchObject({ participants: [{ team_name: "Alex's Team" }] });
  });
});

describe("requests over HTTP", () => {
  it("[WAIT-10] a wait is streamed over SSE where it is asked for", async () => {
    const created = await curl("POST", "/api/sessions", {
      title: randomUUID(),
      creator_team_name: "Alex's Team",
    });
    const own = { "x-team-id": String(created.body["team_id"]) };
    const at = `/api/sessions/${created.body["session_id"]}/messages`;
    await curl("POST", at, { content: { text: "hi" } }, own);
    const wait = `${url}${at}/wait?since_cursor=0&timeout=30&include_own=true`;
    const streamed = await fetch(wait, { headers: { ...own, accept: "text/event-stream" } });
    expect(streamed.headers.get("content-type")).toContain("text/event-stream");
    const data = /^event: messages\ndata: (.*)$/m.exec(await streamed.text())?.[1] ?? "";
    expect(JSON.parse(data)).toMatchObject({ messages: [{ content: { text: "hi" } }], next_cursor: 1 });
  });

  it("[AUTH-10] [REST-1] [DOC-3] curl needs no content type, the token is X-Team-ID, and the document takes POST", async () => {
    const created = await curl("POST", "/api/sessions", {
      title: randomUUID(),
      description: "Made by curl.",
      creator_team_name: "Alex's Team",
    });
    expect(created.status).toBe(200);
    const { session_id, team_id } = created.body;
    const own = { "x-team-id": String(team_id) };
    const at = `/api/sessions/${session_id}`;
    const document = { content: "# Session", expected_version: 0 };
    expect(await curl("POST", `${at}/doc`, document, own)).toMatchObject({
      status: 200,
      body: { version: 1 },
    });
    expect(await curl("POST", `${at}/doc`, document, own)).toMatchObject({
      status: 409,
      body: { error: { code: "conflict", message: expect.any(String), details: { current_version: 1 } } },
    });
    expect(await curl("POST", `${at}/messages`, { content: { text: "hi" } }, own)).toMatchObject({
      status: 200,
      body: { cursor: 1 },
    });
    expect(await curl("POST", `${at}/ack`, { cursor: 1 }, own)).toMatchObject({ status: 200 });
    expect((await curl("GET", `${at}/messages/wait?since_cursor=0&timeout=0`, undefined, own)).status).toBe(
      200,
    );
    expect(await curl("POST", `${at}/messages`, { content: { text: "hi" } })).toMatchObject({
      status: 401,
      body: { error: { code: "unauthorized", details: {} } },
    });
    expect(
      (await curl("POST", `/api/sessions/${randomUUID()}/messages`, { content: { text: "hi" } }, own)).status,
    ).toBe(404);
  });
});
