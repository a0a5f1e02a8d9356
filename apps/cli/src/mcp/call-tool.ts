import { setTimeout as delay } from "node:timers/promises";
import { createRefusedCalls, MerkleError, withToolWait } from "@merkle/wire";
import { readToolInput } from "@merkle/wire/schemas";
import { describeError } from "../core/describe-error.js";
import { isObject, type JsonFields } from "../core/is-object.js";
import { completeInput, fillProject } from "./complete-input.js";
import type { LongResults, Renderer } from "./long-results.js";
import type { McpOptions } from "./options.js";
import type { PeerSessions } from "./peer-sessions.js";
import type { PerformOperation } from "./perform.js";
import type { Rejoin } from "./rejoin.js";
import type { SecretStore } from "./secret-store.js";
import { ignore, type ToolAnswer } from "./tool-answer.js";
import { readMore, requireTool } from "./tool-list.js";
import type { ToolCaller } from "./turn.js";

export interface ToolCall {
  readonly name: string;
  readonly args: unknown;
  /** The client's id for the tool call. A `PreToolUse` hook announces the call under the same id. */
  readonly toolUseId: string | undefined;
  /** The `_meta` of the request, in which some clients identify the calling agent. */
  readonly meta?: unknown;
  readonly signal: AbortSignal;
}

interface CallToolOptions {
  readonly toolsets: McpOptions["toolsets"];
  /** How long a call waits for messages by default, in seconds. */
  readonly waitSeconds: () => number;
  readonly rejoin: Pick<Rejoin, "enter">;
  readonly teams: PeerSessions;
  readonly secretStore: SecretStore;
  readonly longResults: LongResults;
  readonly render: Renderer;
  readonly perform: PerformOperation;
  /** Answers calls to the `hook` tool, which come from the client's hooks. */
  readonly answerHook: (fields: JsonFields, meta: unknown) => Promise<ToolAnswer>;
  /** Records a tool call and returns which of the client's agents made it. */
  readonly noteCall: (call: ToolCall) => ToolCaller;
  readonly log: (text: string) => void;
}

/** Answers a tool call. Failures are returned as answers too, not thrown. */
export type CallTool = (call: ToolCall) => Promise<ToolAnswer>;

export function createCallTool(options: CallToolOptions): CallTool {
  const { rejoin, teams, secretStore, longResults, render, perform, log } = options;
  const refusedCalls = createRefusedCalls();

  async function callTool(call: ToolCall): Promise<ToolAnswer> {
    const { name, args, meta, signal } = call;
    try {
      // Calls from hooks are not made by the model, and never wait for the broker.
      if (name === "hook") return await options.answerHook(requireFields(name, args), meta);
      const answer = await runTool(call, options.noteCall(call));
      refusedCalls.record(name, args, null);
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      return answerError(call, toMerkleError(error, log));
    }
  }

  async function runTool({ name, args, meta, signal }: ToolCall, caller: ToolCaller): Promise<ToolAnswer> {
    const fields = requireFields(name, args);
    if (name === readMore.name)
      return { result: render.text(longResults.read(readId(fields))), settle: ignore };
    const operation = requireTool(name, options.toolsets);

    const refusal = await rejoin.enter();

    const toolInput = requireFields(name, readToolInput(operation, fields));
    const filled = withToolWait(operation, await fillProject(operation, toolInput), {
      defaultSeconds: options.waitSeconds(),
      progressToken: Object(meta).progressToken,
    });
    const completed = completeInput({ operation, fields: filled, refusal, teams, secretStore });

    const { input, team, everyTeam } = completed;
    const performed = await perform({ operation, input, team, everyTeam, caller, signal });

    const notices = [completed.notice, performed.notice].filter((each) => each !== undefined).join("\n");
    const result = render.output(operation, performed.output, notices || undefined);
    return { result, settle: performed.settle ?? ignore };
  }

  /** Returns a refusal as an answer. If the same call is refused repeatedly, the answer is delayed. */
  async function answerError({ name, args, signal }: ToolCall, refusal: MerkleError): Promise<ToolAnswer> {
    const { delayMs, advice } = refusedCalls.record(name, args, refusal);
    if (delayMs > 0) await delay(delayMs, undefined, { signal });
    return { result: render.error(name, withAdvice(refusal, advice)), settle: ignore };
  }

  return callTool;
}

function requireFields(name: string, args: unknown): JsonFields {
  if (args === undefined) return {};
  if (isObject(args)) return args;
  throw new MerkleError("bad_request", `${name.slice(0, 100)}: the arguments must be a JSON object.`);
}

function readId(fields: JsonFields): string {
  const { id, ...others } = fields;
  if (typeof id === "string" && Object.keys(others).length === 0) return id;
  throw new MerkleError("bad_request", "Pass only id, which is in the first line of a long result.");
}

function withAdvice(error: MerkleError, advice: string): MerkleError {
  return advice === "" ? error : new MerkleError(error.code, error.message + advice, error.details);
}

function toMerkleError(error: unknown, log: (text: string) => void): MerkleError {
  if (error instanceof MerkleError) return error;
  log(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return new MerkleError(
    "internal",
    `Something unexpected went wrong in merkle mcp: ${describeError(error)}`,
  );
}
