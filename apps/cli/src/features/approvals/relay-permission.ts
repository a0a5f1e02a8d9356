import { randomBytes, randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { idempotencyKeyOf, MerkleError, type OutputOf } from "@merkle/wire";
import { type ApprovalSubject, approvalHash } from "@merkle/wire/identity";
import { type BrokerClient, findBroker, reasonOf } from "../../broker/broker-client.js";
import { readClaudeState } from "../../clients/claude-state.js";
import { CliError } from "../../core/cli-error.js";
import { nodeCrypto } from "../../core/node-crypto.js";
import { findStoredPeer, type StoredPeer } from "../../home/stored-peers.js";
import { readHookInput } from "../../mcp/hooks/hook-input.js";
import { type Config, readEnvironment } from "../../settings/config.js";

interface Relay {
  readonly config: Config;
  /** The devices that may answer, as the launch named them. */
  readonly devices: readonly string[];
  readonly input: Readable;
  /** Aborted when the client ends the hook: its prompt was refused, or the hook's time is up. */
  readonly signal: AbortSignal;
}

/** The client ends what does not end by itself soon after it was told to. */
const withdrawWithinMs = 2_000;
const betweenTriesMs = 1_000;
/** A command waits no longer for any answer of a broker's. */
const waitSeconds = 8;

/**
 * Asks the agent's own person what the client asks at its terminal, and returns the answer for the client; undefined for none,
 * where the client's own prompt stays (APPROVE-6). What the client is told to run is what was shown (APPROVE-4).
 */
export async function relayPermission({
  config,
  devices,
  input,
  signal,
}: Relay): Promise<string | undefined> {
  try {
    const fields = await readHookInput(input);
    const place = config.peer === undefined ? undefined : await findStoredPeer(config.home, config.peer);
    const subject = toSubject(fields);
    if (!place || !subject) return undefined;
    const { answered, stop } = watchTerminal(signal);
    try {
      return await ask({ config, place, subject, devices, ended: AbortSignal.any([signal, answered]) });
    } finally {
      stop();
    }
  } catch {
    // A hook that fails would be shown to the user, whose prompt is there all the same.
    return undefined;
  }
}

/** Tools whose question to the user is no permission: to allow it would answer nothing. */
const asksItsUser = "AskUserQuestion";

function toSubject(fields: Readonly<Record<string, unknown>>): ApprovalSubject | undefined {
  const { tool_name: tool, tool_input: input, cwd: folder } = fields;
  if (typeof tool !== "string" || tool === asksItsUser || typeof folder !== "string") return undefined;
  if (typeof input !== "object" || input === null) return undefined;
  return { tool, input: JSON.stringify(input), folder, salt: randomBytes(32).toString("hex") };
}

interface Ask {
  readonly config: Config;
  readonly place: StoredPeer;
  readonly subject: ApprovalSubject;
  readonly devices: readonly string[];
  readonly ended: AbortSignal;
}

async function ask({ config, place, subject, devices, ended }: Ask): Promise<string | undefined> {
  const { session_id } = place;
  const broker = (await findBroker(config, ended)).as(place.credential);
  const key = idempotencyKeyOf(randomUUID());
  const input = { session_id, ...subject, devices: [...devices], idempotency_key: key };
  const asking = () => broker.call("ask_approval", input);
  const asked = await asking().catch((error: unknown) => {
    // It was done, perhaps, and its answer lost; where no broker is, nobody is asked.
    if (isRefused(error)) throw error;
    return persist(asking, ended);
  });
  const { approval } = asked;
  try {
    const answer = await waitForAnswer(broker, { session_id, approval }, ended);
    // Whatever the broker says, an answer counts for what this process was asked, and for nothing else.
    if (answer.hash !== approvalHash(subject, nodeCrypto.sha256)) return undefined;
    return toDecision(answer, subject, asked.person);
  } catch (error) {
    if (!ended.aborted) throw error;
    const last = (await findBroker(config, AbortSignal.timeout(withdrawWithinMs))).as(place.credential);
    await last.call("withdraw_approval", { session_id, approval });
    return undefined;
  }
}

type Answer = OutputOf<"wait_for_approval">;

/** What asking again does not change. */
const refusals: readonly string[] = [
  "bad_request",
  "unauthorized",
  "forbidden",
  "not_found",
  "conflict",
  "session_closed",
];

/** Waits as long as it takes: the answer is there when it is asked for again. */
async function waitForAnswer(
  broker: BrokerClient,
  key: { readonly session_id: string; readonly approval: number },
  ended: AbortSignal,
): Promise<Answer> {
  for (;;) {
    const waiting = () => broker.call("wait_for_approval", { ...key, timeout: waitSeconds });
    const answer = await persist(waiting, ended);
    if (answer.state !== "waiting") return answer;
  }
}

/** Calls again through broken connections and restarts of the broker. */
async function persist<Answered>(call: () => Promise<Answered>, ended: AbortSignal): Promise<Answered> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (ended.aborted || (error instanceof MerkleError && refusals.includes(error.code))) throw error;
      await delay(betweenTriesMs);
    }
  }
}

/** Whether an ask was not heard: the broker said no, nobody is where it should be, or nothing may be sent there. */
function isRefused(error: unknown): boolean {
  if (error instanceof MerkleError) return refusals.includes(error.code);
  const isUnanswered = error instanceof CliError && error.code === "unreachable";
  return !isUnanswered || ["refused", "no such host"].includes(reasonOf(error));
}

function toDecision(
  { state, words }: Answer,
  { input }: ApprovalSubject,
  person: string,
): string | undefined {
  if (state === "allowed") return decide({ behavior: "allow", updatedInput: JSON.parse(input) });
  if (state !== "denied") return undefined;
  return decide({ behavior: "deny", message: words ?? `${person} has denied it.` });
}

function decide(decision: object): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
}

const lookMs = 500;
/** So long after the hook began the client says that it waits, if it does. */
const waitsWithinMs = 5_000;

/**
 * Notices that the client's own prompt was allowed, which it tells no hook: at a terminal it says in a file of its own that it
 * waits for a permission, and then does not any more. Where there is no such file, nothing is noticed, and the ask waits until
 * the hook ends.
 */
function watchTerminal(signal: AbortSignal): { answered: AbortSignal; stop(): void } {
  const { variables } = readEnvironment();
  const answered = new AbortController();
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  const beganAt = Date.now();
  const watch = async () => {
    for (let hasWaited = false; ; await delay(lookMs, undefined, { signal: until })) {
      const { kind, status } = await readClaudeState(variables["CLAUDE_PID"], variables);
      if (kind !== "interactive") continue;
      if (status === "waiting") hasWaited = true;
      // It may have been answered before the first look.
      else if (hasWaited || Date.now() - beganAt > waitsWithinMs) return answered.abort();
    }
  };
  watch().catch(() => undefined); // It was stopped.
  return { answered: answered.signal, stop: () => over.abort() };
}
