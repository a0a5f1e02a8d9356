import { withProgress } from "@merkle/wire";
import type { ProgressNotification, RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { ServerIntroduction } from "./greet-first.js";
import type { CallResult } from "./long-results.js";
import type { ClientInfo } from "./self-description.js";
import type { StdioTransport } from "./stdio-transport.js";
import type { ToolServer } from "./tool-server.js";
import type { Channel } from "./waking/wake-paths.js";

/** Opens the tools for the connecting client, in whichever protocol revision the client uses. */
export interface ServedTools {
  /** Opens the tools for this client. If they are already open, returns them. */
  open(client: ToolClient): Promise<ToolServer>;
}

export interface ToolClient {
  /** Returns how the client describes itself, once received. */
  readonly getInfo: () => ClientInfo | undefined;
  /** The channel through which this connection can wake the client, or null if the client supports none. */
  readonly channel: Channel | null;
  /** Whether results also have `structuredContent`, for programs (MCP-17). */
  readonly isStructured: boolean;
}

export interface ServeOptions {
  readonly tools: ServedTools;
  readonly introduction: ServerIntroduction;
  /** The transport that receives the requests. */
  readonly requests: StdioTransport;
}

interface ServedCall {
  readonly name: string;
  readonly requestId: RequestId;
  readonly requests: StdioTransport;
  readonly progressToken: string | number | undefined;
  readonly sendProgress: (progress: ProgressNotification["params"]) => Promise<void>;
}

/**
 * Calls a tool for a request in either kind of protocol revision. Notifies the tool whether its answer was
 * delivered.
 */
export async function callTool(tools: ToolServer, call: ServedCall): Promise<CallResult> {
  const { name, requestId, requests, progressToken, sendProgress } = call;
  const request = requests.find(requestId);
  if (!request) throw new TypeError("This request has already ended.");
  const { result, settle } = await withProgress(
    progressToken,
    (progress) => sendProgress({ ...progress }),
    () =>
      tools.call({
        name,
        args: readField(request.params, "arguments"),
        toolUseId: findToolUseId(request.params),
        meta: readField(request.params, "_meta"),
        signal: request.signal,
      }),
  );
  request.onSettled(settle);
  return result;
}

function findToolUseId(params: unknown): string | undefined {
  const id = readField(readField(params, "_meta"), "claudecode/toolUseId");
  return typeof id === "string" ? id : undefined;
}

function readField(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
