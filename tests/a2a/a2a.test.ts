import { randomUUID } from "node:crypto";
import { type AgentCard, Role, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import {
  type Client,
  ClientFactory,
  ClientFactoryOptions,
  JsonRpcTransportFactory,
} from "@a2a-js/sdk/client";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { startInviteBroker, type TestMember } from "../kit/members.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";

let broker: TestBroker;
let admin: TestMember;
let token: string;
let base: string;
const cleanup = createCleanup();
beforeAll(async () => {
  ({ broker, admin } = await startInviteBroker(cleanup));
  base = broker.url.replace("127.0.0.1", "localhost");
  ({ token } = await admin.call("issue_token", {}));
});

/** Creates a session with Ana's team, and opens a third-party A2A client that acts as a second team. */
async function startTalk(revision: "1.0" | "0.3" = "1.0") {
  const session = await admin.call("create_session", {
    title: `Talk ${randomUUID()}`,
    creator_team_name: "Ana's",
  });
  const { session_id, slug, team_id } = session;
  const guest = await admin.call("join_session", { session_id, team_name: "Cedar" });
  const headers = { authorization: `Bearer ${token}`, "x-team-id": guest.team_id };
  const client = await openClient({ headers, revision });
  const post = (text: string, reply_to?: number) =>
    admin.call("post_message", {
      ...{ session_id, team_id, content: { text } },
      ...(reply_to !== undefined && { reply_to }),
    });
  const chat = async () =>
    (await admin.call("get_history", { session_id, types: ["chat"] })).messages.map(
      ({ sequence, content, from, reply_to }) => ({
        sequence,
        text: content["text"],
        team: from?.team,
        reply_to,
      }),
    );
  return { session_id, slug, team_id, client, post, chat, headers };
}

async function openClient(options: {
  readonly headers: Record<string, string>;
  readonly revision: "1.0" | "0.3";
  readonly path?: string;
}): Promise<Client> {
  const { headers, revision, path = "/.well-known/agent-card.json" } = options;
  const card: AgentCard = Object(await (await fetch(`${base}${path}`)).json());
  const supportedInterfaces = card.supportedInterfaces.filter(
    ({ protocolVersion }) => protocolVersion === revision,
  );
  const fetchImpl: typeof fetch = (input, init) =>
    fetch(input, { ...init, headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers } });
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat: { enabled: true } })],
    }),
  );
  return factory.createFromAgentCard({ ...card, supportedInterfaces });
}

function say(
  contextId: string,
  text: string,
  more: { messageId?: string; taskId?: string; returnImmediately?: boolean } = {},
) {
  const { messageId = randomUUID(), taskId = "", returnImmediately = false } = more;
  return {
    tenant: "",
    message: {
      ...{ messageId, contextId, taskId, role: Role.ROLE_USER, metadata: undefined },
      parts: [
        {
          content: { $case: "text" as const, value: text },
          metadata: undefined,
          filename: "",
          mediaType: "",
        },
      ],
      ...{ extensions: [], referenceTaskIds: [] },
    },
    configuration: {
      ...{ acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately },
    },
    metadata: undefined,
  };
}

function textsOf({ history }: Task): string[] {
  return history.flatMap(({ parts }) =>
    parts.flatMap(({ content }) => (content?.$case === "text" ? [content.value] : [])),
  );
}

const sequenceOf = ({ id }: Task) => Number(id.split(".")[1]);

describe.each(["1.0", "0.3"] as const)("A2A %s by a client of another library", (revision) => {
  it("[A2A-2] [A2A-3] what it sends is posted as its team, and an answer ends the task with its text", async () => {
    const { client, slug, session_id, post, chat } = await startTalk(revision);
    const sent = client.sendMessage(say(slug, "Which staging key?"));
    await expect.poll(async () => (await chat()).length).toBe(1);
    const [asked] = await chat();
    expect(asked).toMatchObject({ text: "Which staging key?", team: "Cedar" });
    await post("One moment.");
    await post("The one in the vault.", asked?.sequence);
    // Sending a message that gets a reply returns an A2A task, not an A2A message.
    const task = (await sent) as Task;
    expect(task).toMatchObject({ contextId: session_id, status: { state: TaskState.TASK_STATE_COMPLETED } });
    expect(textsOf(task)).toEqual(["Which staging key?", "One moment.", "The one in the vault."]);
    expect(task.artifacts).toMatchObject([{ parts: [{ content: { value: "The one in the vault." } }] }]);
    expect(task.history.map(({ role }) => role)).toEqual([Role.ROLE_USER, Role.ROLE_AGENT, Role.ROLE_AGENT]);

    const read = await client.getTask({ tenant: "", id: task.id });
    expect(read.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(textsOf(read)).toEqual(["Which staging key?", "The one in the vault."]);
    expect(textsOf(await client.getTask({ tenant: "", id: task.id, historyLength: 1 }))).toEqual([
      "The one in the vault.",
    ]);
  });

  it("[A2A-4] it hears the session while it waits: each message once, in order, and the answer last", async () => {
    const { client, slug, post, team_id, session_id } = await startTalk(revision);
    const stream = client.sendMessageStream(say(slug, "Tell me all."))[Symbol.asyncIterator]();
    const next = async (): Promise<StreamResponse> => {
      const { value } = await stream.next();
      if (!value) throw new Error("The stream has ended.");
      return value;
    };
    const begun = (await next()).payload;
    if (begun?.$case !== "task") throw new Error("A stream begins with its task.");
    expect(begun.value.status?.state).toBe(TaskState.TASK_STATE_WORKING);
    const heard = async () => {
      const { payload } = await next();
      if (payload?.$case !== "statusUpdate") throw new Error(`Expected news, got ${payload?.$case}.`);
      const [part] = payload.value.status?.message?.parts ?? [];
      return [payload.value.status?.state, part?.content?.value];
    };
    await post("First.");
    expect(await heard()).toEqual([TaskState.TASK_STATE_WORKING, "First."]);
    await admin.call("send_message", { session_id, team_id, to: "Cedar", message: "Second." });
    expect(await heard()).toEqual([TaskState.TASK_STATE_WORKING, "Second."]);
    await post("Third.", sequenceOf(begun.value));
    expect(await heard()).toEqual([TaskState.TASK_STATE_COMPLETED, "Third."]);
    expect((await stream.next()).done).toBe(true);
  });

  it("[A2A-3] the same message is posted once, however often it is sent, and one that need not wait does not", async () => {
    const { client, slug, chat } = await startTalk(revision);
    const request = say(slug, "Hello", { returnImmediately: true });
    const [first, second] = [await client.sendMessage(request), await client.sendMessage(request)] as Task[];
    expect(first?.id).toBe(second?.id);
    expect(first?.status?.state).toBe(TaskState.TASK_STATE_WORKING);
    expect(await chat()).toHaveLength(1);
    const more = say(slug, "And?", { returnImmediately: true, taskId: first?.id ?? "" });
    await client.sendMessage(more);
    expect((await chat()).find(({ text }) => text === "And?")?.reply_to).toBe(first && sequenceOf(first));
  });

  it("[A2A-4] a session that is concluded without an answer ends the task", async () => {
    const { client, slug, session_id, team_id } = await startTalk(revision);
    const task = (await client.sendMessage(say(slug, "Anybody?", { returnImmediately: true }))) as Task;
    await admin.call("conclude_session", { session_id, team_id, summary_section: "Done." });
    const { status } = await client.getTask({ tenant: "", id: task.id });
    expect(status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  });
});

describe("A2A", () => {
  const rpc = async (headers: Record<string, string>, body: object, path = "/api/a2a") => {
    const response = await fetch(`${base}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 7, ...body }),
    });
    return { status: response.status, ...Object(await response.json()) };
  };
  const sending = (contextId: string, text: string) => ({
    method: "SendMessage",
    params: {
      message: { messageId: randomUUID(), contextId, role: "ROLE_USER", parts: [{ text }] },
      configuration: { returnImmediately: true },
    },
  });

  it("[A2A-1] the card of a session leads to it a client that names none, and says nothing of whether there is one", async () => {
    const { slug, headers, chat } = await startTalk();
    const path = `/api/a2a/${slug}/.well-known/agent-card.json`;
    const client = await openClient({ headers, revision: "1.0", path });
    await client.sendMessage(say("", "By the card", { returnImmediately: true }));
    expect(await chat()).toMatchObject([{ text: "By the card" }]);
    const none = await fetch(`${base}/api/a2a/there-is-none/.well-known/agent-card.json`);
    expect(none.status).toBe(200);
  });

  it("[A2A-5] it takes the credentials that REST takes, and no others", async () => {
    const { slug, headers, chat } = await startTalk();
    const other = await startTalk();
    expect(await rpc({}, sending(slug, "Stranger"))).toMatchObject({ status: 401, id: 7 });
    expect(await rpc({ authorization: headers.authorization }, sending(slug, "No team"))).toMatchObject({
      status: 401,
    });
    expect(await rpc(other.headers, sending(slug, "Of another session"))).toMatchObject({ status: 401 });
    const task = await rpc(headers, sending(slug, "Own"));
    const { id } = task.result.task;
    expect(await rpc({}, { method: "GetTask", params: { id } })).toMatchObject({ status: 401 });
    expect(await chat()).toMatchObject([{ text: "Own" }]);
    const page = { ...headers, origin: "https://evil.example.com" };
    expect(await rpc(page, sending(slug, "A page"))).toMatchObject({ status: 403 });
  });

  it("[A2A-5] where everybody is let in, a team's credential is enough", async () => {
    const open = await startTestBroker();
    const card = Object(await (await fetch(`${open.url}/.well-known/agent-card.json`)).json());
    expect(Object.keys(card.securitySchemes)).toEqual(["team"]);
    const created = Object(
      await (
        await fetch(`${open.url}/api/sessions`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ title: "Open", creator_team_name: "Ana's" }),
        })
      ).json(),
    );
    const response = await fetch(`${open.url}/api/a2a`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-team-id": created.team_id },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...sending("open", "Hello") }),
    });
    expect(Object(await response.json()).result.task.contextId).toBe(created.session_id);
  });

  it("[A2A-6] what it cannot do it says in the protocol's own codes", async () => {
    const { slug, headers } = await startTalk();
    const codeOf = async (body: object, more: Record<string, string> = {}) =>
      (await rpc({ ...headers, ...more }, body)).error?.code;
    const message = { messageId: "m", contextId: slug, parts: [{ url: "https://example.com/file" }] };
    expect(await codeOf({ method: "SendMessage", params: { message } })).toBe(-32005);
    expect(await codeOf({ method: "GetTask", params: { id: `${randomUUID()}.1` } })).toBe(-32001);
    expect(await codeOf({ method: "GetTask", params: { id: "x" } })).toBe(-32001);
    expect(await codeOf({ method: "CancelTask", params: { id: "x" } })).toBe(-32601);
    expect(await codeOf({ method: "constructor" })).toBe(-32601);
    expect(await codeOf({ method: "SendMessage", params: {} })).toBe(-32602);
    expect(await codeOf({ method: "SendMessage", params: sending("", "x").params })).toBe(-32602);
    expect(await codeOf({ jsonrpc: "1.0", method: "GetTask" })).toBe(-32600);
    expect(await codeOf(sending(slug, "x"), { "a2a-version": "2.0" })).toBe(-32009);
    expect(await codeOf(sending(slug, "x"), { "a2a-version": "1.0" })).toBeUndefined();
  });
});
