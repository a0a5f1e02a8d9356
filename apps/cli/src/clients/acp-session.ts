import { Readable, Writable } from "node:stream";
import {
  type ClientContext,
  client,
  methods,
  type NewSessionResponse,
  ndJsonStream,
  type PermissionOption,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
  type RequestPermissionRequest,
  type SessionUpdate,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { CliError, exitCodes } from "../core/cli-error.js";
import { isObject } from "../core/is-object.js";
import { readVersion } from "../core/this-program.js";
import { toOneLine } from "../text/one-line.js";
import type { PeerServer } from "./client.js";

/** A session with an agent, over the Agent Client Protocol. The agent is offered no files and no terminal. */
export interface AcpSession {
  /** The agent's name and version, as the agent itself reports them. */
  readonly agentName: string;
  /** The mode that the session was switched to, so that the agent asks before it acts. */
  readonly askingMode: string | undefined;
  /** Whether text can be added to a running turn. */
  readonly canSteer: boolean;
  /**
   * Runs a turn. The agent gets one prompt at a time: a second one would destroy the first or get no answer, by
   * agent. Resolves with the reason why the turn ended. @throws Error if the agent refused the prompt
   */
  prompt(texts: readonly string[]): Promise<string>;
  /** Adds text to the running turn. @throws Error if the agent did not take it */
  steer(texts: readonly string[]): Promise<void>;
  /** Ends the running turn, and withdraws its permission requests. */
  cancel(): void;
}

/** What an agent reports about its turn. */
export type AcpEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool"; readonly tool: AcpTool; readonly isNew: boolean }
  | {
      readonly type: "plan";
      readonly entries: readonly { readonly content: string; readonly status: string }[];
    };

/** A tool call, with everything that the agent has reported about it so far. */
export interface AcpTool {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly status: "pending" | "in_progress" | "completed" | "failed";
  /** The arguments and the edits that the call makes. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The texts that the agent shows for the call, which are its arguments for some agents, later its results. */
  readonly texts: readonly string[];
}

export interface AcpPermission {
  readonly tool: AcpTool;
  readonly options: readonly PermissionOption[];
  /** Aborted when the agent withdraws the request, or its turn is cancelled. */
  readonly signal: AbortSignal;
}

export type { PermissionOption };

interface AcpSessionOptions {
  readonly cwd: string;
  readonly server: PeerServer;
  /** Whether someone can answer permission requests. If so, the agent must not leave the answer to a model. */
  readonly canAsk: boolean;
  readonly onEvent: (event: AcpEvent) => void;
  /** Resolves with the option that was chosen, or null to cancel. */
  readonly onPermission: (permission: AcpPermission) => Promise<PermissionOption | null>;
}

interface AgentPipes {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/** The time in which an agent must answer the first request. The program may have to be downloaded before. */
const initializeMsMax = 120_000;

/**
 * Connects to an agent and opens a session in which the agent starts the peer's MCP server.
 *
 * @throws CliError `client_broken` if the program does not answer as an ACP agent, or wants its user to log in first
 */
export async function openAcpSession(pipes: AgentPipes, options: AcpSessionOptions): Promise<AcpSession> {
  const { cwd, server, canAsk, onEvent, onPermission } = options;
  const tools = createToolRecord();
  let turn = new AbortController();

  async function answerPermission(
    { toolCall, options: choices }: RequestPermissionRequest,
    withdrawn: AbortSignal,
  ) {
    const { tool, isNew } = tools.update(toolCall);
    onEvent({ type: "tool", tool, isNew });
    const own = isOwnTool(tool) ? choices.find(({ kind }) => kind === "allow_once") : undefined;
    const signal = AbortSignal.any([turn.signal, withdrawn]);
    const option = own ?? (await onPermission({ tool, options: choices, signal }));
    return option
      ? { outcome: { outcome: "selected" as const, optionId: option.optionId } }
      : { outcome: { outcome: "cancelled" as const } };
  }

  function noteUpdate(update: SessionUpdate): void {
    if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
      onEvent({ type: "text", text: update.content.text });
    else if (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update")
      onEvent({ type: "tool", ...tools.update(update) });
    else if (update.sessionUpdate === "plan") onEvent({ type: "plan", entries: update.entries });
  }

  // Node and the browser declare the same stream differently.
  const output = Readable.toWeb(pipes.stdout) as Parameters<typeof ndJsonStream>[1];
  const { agent } = client({ name: "merkle" })
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) =>
      answerPermission(params, signal),
    )
    .onNotification(methods.client.session.update, ({ params }) => noteUpdate(params.update))
    .connect(ndJsonStream(Writable.toWeb(pipes.stdin), output));
  const { info, canSteer, session } = await open(agent, { cwd, server });
  const { sessionId } = session;
  const askingMode = canAsk ? await setAskingMode(agent, session) : undefined;
  const toPrompt = (texts: readonly string[]) => texts.map((text) => ({ type: "text" as const, text }));

  return {
    agentName: info,
    askingMode,
    canSteer,
    async prompt(texts) {
      turn = new AbortController();
      const { stopReason } = await agent.request<PromptResponse>(methods.agent.session.prompt, {
        sessionId,
        prompt: toPrompt(texts),
      });
      return stopReason;
    },
    async steer(texts) {
      await agent.request("_session/steering", { sessionId, prompt: toPrompt(texts) });
    },
    cancel() {
      void agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined);
      // Some agents end the turn only once their open requests are answered.
      turn.abort();
    },
  };
}

/** Opens the session. @throws CliError `client_broken` */
async function open(agent: ClientContext, { cwd, server }: Pick<AcpSessionOptions, "cwd" | "server">) {
  const timeout = AbortSignal.timeout(initializeMsMax);
  const initialized = await agent
    .request(
      methods.agent.initialize,
      {
        protocolVersion: PROTOCOL_VERSION,
        clientInfo: { name: "merkle", version: readVersion() },
        clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      },
      { cancellationSignal: timeout },
    )
    .catch((error: unknown) => {
      const problem = timeout.aborted
        ? `did not answer within ${initializeMsMax / 1_000} s`
        : describe(error);
      throw broken(`The program does not speak the Agent Client Protocol: ${problem}.`, error);
    });
  const { agentInfo, authMethods = [] } = initialized;
  const name = agentInfo?.title ?? agentInfo?.name ?? "ACP agent";
  const info = toOneLine(`${name} ${agentInfo?.version ?? ""}`);
  const { command, args, env } = server;
  const session = await agent
    .request<NewSessionResponse>(methods.agent.session.new, {
      cwd,
      mcpServers: [
        {
          ...{ name: "merkle", command, args: [...args] },
          env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
        },
      ],
    })
    .catch((error: unknown) => {
      const isLogin = error instanceof RequestError && error.code === loginRequiredCode;
      const ways = authMethods.map((each) => toOneLine(each.name)).join(", ");
      const problem = isLogin
        ? `wants you to log in first (${ways})`
        : `opened no session: ${describe(error)}`;
      throw broken(
        `${info} ${problem}.`,
        error,
        isLogin ? "log in with the agent itself, in its own terminal" : undefined,
      );
    });
  const canSteer = Object(Object(initialized._meta)["steering"])["supported"] === true;
  return { info, canSteer, session };
}

/** The code of the error with which an agent asks its user to log in. */
const loginRequiredCode = -32_000;

/** The modes in which a model of the agent's decides about permissions, and those in which the agent asks. */
const decidingModes: ReadonlySet<string> = new Set(["auto", "agent"]);
const askingModes = ["default", "read-only"];

/**
 * Switches the session to a mode that asks, if a model decides about permissions in the agent's default mode.
 * Returns the name of the new mode.
 */
async function setAskingMode(
  agent: ClientContext,
  { sessionId, modes }: NewSessionResponse,
): Promise<string | undefined> {
  if (!modes || !decidingModes.has(modes.currentModeId)) return undefined;
  const mode = askingModes.flatMap((id) => modes.availableModes.filter((each) => each.id === id))[0];
  if (!mode) return undefined;
  await agent.request(methods.agent.session.setMode, { sessionId, modeId: mode.id });
  return toOneLine(mode.name);
}

function broken(
  message: string,
  cause: unknown,
  advice = "--client acp -- <the agent's ACP command>",
): CliError {
  return new CliError("client_broken", message, { exitCode: exitCodes.unexpected, next: [advice], cause });
}

function describe(error: unknown): string {
  return toOneLine(error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
}

/**
 * Merges what the agent reports about each tool call. Some agents send arguments only with the first report, others
 * only later, and some first mention a call when they ask for permission.
 */
function createToolRecord() {
  const tools = new Map<string, AcpTool>();
  return {
    update(report: ToolCallUpdate): { tool: AcpTool; isNew: boolean } {
      const known = tools.get(report.toolCallId);
      const input = toInput(report);
      const texts = listTexts(report);
      const tool: AcpTool = {
        id: report.toolCallId,
        title: report.title ?? known?.title ?? report.toolCallId,
        kind: report.kind ?? known?.kind ?? "other",
        status: report.status ?? known?.status ?? "pending",
        input: { ...known?.input, ...input },
        texts: texts.length > 0 ? texts : (known?.texts ?? []),
      };
      tools.set(tool.id, tool);
      return { tool, isNew: known === undefined };
    },
  };
}

/** Returns the call's arguments, and its edits in the form in which people are shown them (APPROVE-9). */
function toInput({ rawInput, content }: ToolCallUpdate): Record<string, unknown> {
  const fields = isObject(rawInput) ? rawInput : rawInput == null ? {} : { input: rawInput };
  const edits = (content ?? []).flatMap((each) =>
    each.type === "diff"
      ? [{ file_path: each.path, old_string: each.oldText ?? "", new_string: each.newText }]
      : [],
  );
  const [edit] = edits;
  if (!edit) return fields;
  return { ...fields, ...(edits.length === 1 && Object.keys(fields).length === 0 ? edit : { edits }) };
}

function listTexts({ content }: ToolCallUpdate): string[] {
  return (content ?? []).flatMap((each) =>
    each.type === "content" && each.content.type === "text" ? [each.content.text] : [],
  );
}

/**
 * Returns whether a call is to one of Merkle's tools, which a launched agent may call. Agents title such calls by
 * the server's and the tool's name.
 */
function isOwnTool({ title, kind }: AcpTool): boolean {
  return kind === "other" && ownToolPattern.test(title);
}

const ownToolPattern =
  /^(?:(?:mcp__merkle__|mcp\.merkle\.|merkle[_/])[a-z_]+|[a-z_]+ \(merkle MCP Server\))$/;
