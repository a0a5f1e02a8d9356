import type { HookEvent } from "./client.js";
import { askServer, attach } from "./client-socket.js";
import { type AskedPermission, createPermissions } from "./opencode-permissions.js";

/** The part of OpenCode's client API that this plugin uses. */
interface OpenCode {
  readonly session: {
    get(options: { path: { id: string } }): Promise<{ data?: { parentID?: string } }>;
    create(options: { body: object }): Promise<{ data?: { id: string } }>;
    promptAsync(options: { path: { id: string }; body: { parts: readonly object[] } }): Promise<unknown>;
  };
  readonly tui: { publish(options: { body: object }): Promise<unknown> };
  /** The client on which the others are built. It has no method of its own for an answer with words. */
  readonly _client: {
    post(options: { url: string; path: object; body: object; headers: object }): Promise<unknown>;
  };
}

interface OpenCodeEvent {
  readonly type: string;
  readonly properties: { readonly sessionID?: string; readonly requestID?: string };
}

interface Part {
  readonly id: string;
  readonly sessionID: string;
  readonly messageID: string;
  readonly type: string;
}

/**
 * The plugin that OpenCode loads into its own process. It adds messages to prompts and tool results. When
 * messages arrive, it begins a turn in the most recently used session.
 */
export default async function merkle({ client, directory }: { client: OpenCode; directory: string }) {
  const hook: unknown = JSON.parse(process.env["MERKLE_APPROVAL_HOOK"] ?? "null");
  const permissions = Array.isArray(hook)
    ? createPermissions({
        hook,
        folder: directory,
        reply: (requestID, body) =>
          client._client.post({
            ...{ url: "/permission/{requestID}/reply", path: { requestID }, body },
            headers: { "Content-Type": "application/json" },
          }),
      })
    : undefined;
  const parents = new Map<string, string>();
  let current = process.env["MERKLE_CONVERSATION"];

  /**
   * Creates a session and opens it in the terminal. Before the first prompt there is no session, and the
   * terminal shows its start screen.
   */
  async function startSession(): Promise<string | undefined> {
    const { data } = await client.session.create({ body: {} });
    const sessionID = data?.id;
    await client.tui.publish({ body: { type: "tui.session.select", properties: { sessionID } } });
    return sessionID;
  }

  async function readParent(id: string): Promise<string> {
    const known = parents.get(id);
    if (known !== undefined) return known;
    const { data } = await client.session.get({ path: { id } });
    const parent = data?.parentID ?? "";
    parents.set(id, parent);
    return parent;
  }

  /** Sends an event to the server. A session with a parent belongs to a subagent. */
  async function sendEvent(event: HookEvent, id: string): Promise<string> {
    const parent = await readParent(id);
    const [session_id, agent_id] = parent === "" ? [id, ""] : [parent, id];
    if (agent_id === "") current = id;
    return askServer({ event, session_id, prompt_id: session_id, agent_id });
  }

  async function sendPrompt(id: string, text: string): Promise<void> {
    await client.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text }] } });
  }

  attach(async (line) => {
    current ??= await startSession();
    if (current !== undefined) await sendPrompt(current, line);
  });

  return {
    async "chat.message"({ sessionID }: { sessionID: string }, { parts }: { parts: Part[] }) {
      const text = await sendEvent("UserPromptSubmit", sessionID);
      const last = parts.at(-1);
      if (text === "" || !last) return;
      const { messageID } = last;
      // The id must sort last, because parts are ordered by id.
      parts.push({ id: `${last.id}z`, sessionID, messageID, type: "text", text, synthetic: true } as Part);
    },
    async "tool.execute.before"(
      { tool, callID }: { tool: string; callID: string },
      { args }: { args: object },
    ) {
      permissions?.begin(tool, callID, args);
    },
    async "tool.execute.after"(
      { sessionID }: { sessionID: string },
      result: { output?: string; content?: object[] },
    ) {
      const text = await sendEvent("PostToolBatch", sessionID);
      if (text === "") return;
      if (Array.isArray(result.content)) result.content.push({ type: "text", text });
      else result.output = `${result.output ?? ""}\n\n${text}`;
    },
    async event({ event }: { event: OpenCodeEvent }) {
      const { sessionID, requestID } = event.properties;
      // The answer may take hours, so nothing waits for it.
      if (event.type === "permission.asked")
        permissions?.ask(event.properties as unknown as AskedPermission).catch(() => undefined);
      if (event.type === "permission.replied" && requestID !== undefined) permissions?.end(requestID);
      if (event.type !== "session.idle" || sessionID === undefined) return;
      const text = await sendEvent("Stop", sessionID);
      if (text !== "") await sendPrompt(sessionID, text);
    },
  };
}
