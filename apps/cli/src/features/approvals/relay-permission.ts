import { randomBytes, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { createIdempotencyKey, MerkleError, type OutputOf } from "@merkle/wire";
import { type ApprovalSubject, hashApproval } from "@merkle/wire/identity";
import { parseQuestions, planTool, questionTool } from "@merkle/wire/text";
import { type BrokerClient, describeConnectionError, findBroker } from "../../broker/broker-client.js";
import { readClaudeState } from "../../clients/claude-state.js";
import { CliError } from "../../core/cli-error.js";
import type { JsonFields } from "../../core/is-object.js";
import { nodeCrypto } from "../../core/node-crypto.js";
import { findStoredPeer, type StoredPeer, toStoredPeerId } from "../../home/stored-peers.js";
import { readHookInput } from "../../mcp/hooks/hook-input.js";
import { type Config, readEnvironment } from "../../settings/config.js";
import { feature as ownWords } from "../own-words/feature.js";

export interface RelayOptions {
  readonly config: Config;
  /** The devices from which a person can answer, as specified at launch. */
  readonly devices: readonly string[];
  readonly input: Readable;
  /**
   * Aborted when the client ends the hook, because the client's own prompt was denied or the hook timed out.
   */
  readonly signal: AbortSignal;
}

/** The tools of Claude Code and OpenCode that run a command in a shell. */
const shellTools: readonly string[] = ["Bash", "bash"];
/** The client kills a hook that does not exit soon after the signal. */
const withdrawWithinMs = 2_000;
const retryDelayMs = 1_000;
/**
 * How long one request waits for an answer. Shorter than a command's timeout for any response from a broker.
 */
const waitSeconds = 8;

/**
 * Relays a permission prompt, question or plan from the client's terminal to the agent's own person, and
 * returns that person's answer for the client. Returns undefined if there is no answer; the client's own
 * prompt then decides (APPROVE-6). The client runs exactly the call that the person saw (APPROVE-4).
 */
export async function relayPermission({
  config,
  devices,
  input,
  signal,
}: RelayOptions): Promise<string | undefined> {
  try {
    const fields = await readHookInput(input);
    const peer = config.peer === undefined ? undefined : await findStoredPeer(config.home, config.peer);
    const subject = toSubject(fields);
    if (!peer || !subject) return undefined;
    if (subject.tool === questionTool && !(await takesAnswers(config, peer))) return undefined;
    const { answered, stop } = watchTerminal(signal);
    const launchId = shellTools.includes(subject.tool)
      ? readEnvironment().variables["MERKLE_LAUNCH"]
      : undefined;
    const ended = AbortSignal.any([signal, answered]);
    try {
      return await askPerson({ config, peer, subject, devices, launchId, ended });
    } finally {
      stop();
    }
  } catch {
    // Report no error: the client would show a failed hook to its user, who can still answer the client's own
    // prompt.
    return undefined;
  }
}

function toSubject(fields: Readonly<Record<string, unknown>>): ApprovalSubject | undefined {
  const { tool_name: tool, tool_input: input, cwd: folder } = fields;
  if (typeof tool !== "string" || typeof folder !== "string") return undefined;
  if (typeof input !== "object" || input === null) return undefined;
  const subject = createSubject(tool, input, folder);
  // Allowing the tool would not answer questions that a page cannot show.
  const isUnknownQuestion = tool === questionTool && parseQuestions(tool, subject.input) === null;
  return isUnknownQuestion ? undefined : subject;
}

function createSubject(tool: string, input: object, folder: string): ApprovalSubject {
  return { tool, input: JSON.stringify(input), folder, salt: randomBytes(32).toString("hex") };
}

interface PermissionCall {
  readonly config: Config;
  readonly peer: StoredPeer;
  readonly subject: ApprovalSubject;
  readonly devices: readonly string[];
  /** The launch's id, if the tool runs a command in a shell, which the person may then allow again (APPROVE-15). */
  readonly launchId?: string | undefined;
  readonly ended: AbortSignal;
}

/**
 * Asks the agent's own person, and returns the answer for the client. Withdraws the request when `ended` is
 * aborted.
 */
export async function askPerson(call: PermissionCall): Promise<string | undefined> {
  const answered = await waitForPerson(call);
  return answered && toDecision(answered.answer, call.subject, answered.person);
}

/**
 * Asks the person of an agent that the launch drives, which has no hooks, for a permission. Returns undefined if
 * there is no answer; the terminal then decides.
 */
export async function askForDrivenAgent({
  tool,
  input,
  folder,
  ...call
}: Omit<PermissionCall, "subject"> & {
  readonly tool: string;
  readonly input: object;
  readonly folder: string;
}): Promise<{ readonly isAllowed: boolean; readonly words: string | null } | undefined> {
  const answered = await waitForPerson({ ...call, subject: createSubject(tool, input, folder) });
  if (answered?.answer.state !== "allowed" && answered?.answer.state !== "denied") return undefined;
  return { isAllowed: answered.answer.state === "allowed", words: answered.answer.words };
}

async function waitForPerson({
  config,
  peer,
  subject,
  devices,
  launchId,
  ended,
}: PermissionCall): Promise<{ readonly answer: Answer; readonly person: string } | undefined> {
  const { session_id } = peer;
  const broker = (await findBroker(config, ended)).as(peer.credential);
  const key = createIdempotencyKey(randomUUID());
  const input = {
    ...{ session_id, ...subject, devices: [...devices], idempotency_key: key },
    ...(launchId !== undefined && { launch: launchId }),
  };
  const callOnce = () => broker.call("ask_approval", input);
  const request = await callOnce().catch((error: unknown) => {
    // If only the reply was lost, the request may have succeeded. A refused request reached no one.
    if (isRefused(error)) throw error;
    return retryUntilAnswered(callOnce, ended);
  });
  const { approval } = request;
  try {
    const answer = await waitForAnswer(broker, { session_id, approval }, ended);
    // The answer counts only for the request that this process sent, regardless of what the broker returns.
    if (answer.hash !== hashApproval(subject, nodeCrypto.sha256)) return undefined;
    if (answer.answers !== null && !(await isOwnAnswer(answer, { config, peer }))) return undefined;
    return { answer, person: request.person };
  } catch (error) {
    if (!ended.aborted) throw error;
    const last = (await findBroker(config, AbortSignal.timeout(withdrawWithinMs))).as(peer.credential);
    await last.call("withdraw_approval", { session_id, approval });
    return undefined;
  }
}

/** Returns whether the agent's person can answer its questions: the launch takes its user's words from devices. */
export async function takesAnswers({ home }: Pick<Config, "home">, peer: StoredPeer): Promise<boolean> {
  const part = await ownWords.loadOwnWords?.();
  return part?.isBound({ home, storedPeerId: toStoredPeerId(peer) }) ?? false;
}

type Answer = OutputOf<"wait_for_approval">;

/** Returns whether one of the launch's devices has signed the answers (APPROVE-13). */
async function isOwnAnswer(
  { hash, answers, own }: Answer,
  { config: { home }, peer }: Pick<PermissionCall, "config" | "peer">,
): Promise<boolean> {
  const { session_id } = peer;
  const part = await ownWords.loadOwnWords?.();
  const reader = { home, storedPeerId: toStoredPeerId(peer), sessionId: session_id };
  return part?.acceptsAnswer({ session_id, hash, answers: answers ?? [] }, own, reader) ?? false;
}

/** The codes of errors for which a retry does not help. */
const refusals: readonly string[] = [
  "bad_request",
  "unauthorized",
  "forbidden",
  "not_found",
  "conflict",
  "session_closed",
];

/** Waits for the answer without a time limit. The broker keeps the answer until it is requested. */
async function waitForAnswer(
  broker: BrokerClient,
  key: { readonly session_id: string; readonly approval: number },
  ended: AbortSignal,
): Promise<Answer> {
  for (;;) {
    const waitOnce = () => broker.call("wait_for_approval", { ...key, timeout: waitSeconds });
    const answer = await retryUntilAnswered(waitOnce, ended);
    if (answer.state !== "waiting") return answer;
  }
}

/** Retries the call after lost connections and broker restarts. */
async function retryUntilAnswered<Answered>(
  call: () => Promise<Answered>,
  ended: AbortSignal,
): Promise<Answered> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (ended.aborted || (error instanceof MerkleError && refusals.includes(error.code))) throw error;
      await delay(retryDelayMs);
    }
  }
}

/**
 * Returns whether a request certainly had no effect: the request was refused or could not be sent, or no
 * broker was found.
 */
function isRefused(error: unknown): boolean {
  if (error instanceof MerkleError) return refusals.includes(error.code);
  const isUnanswered = error instanceof CliError && error.code === "unreachable";
  return !isUnanswered || ["refused", "no such host"].includes(describeConnectionError(error));
}

async function toDecision(
  { state, words, answers }: Answer,
  { tool, input }: ApprovalSubject,
  person: string,
): Promise<string | undefined> {
  if (state === "denied") return deny(words ?? `${person} has denied it.`);
  if (state !== "allowed") return undefined;
  const fields = JSON.parse(input);
  const questions = parseQuestions(tool, input);
  if (questions) return answers?.length === questions.length ? allow(toAnswered(fields, answers)) : undefined;
  if (tool === planTool && (await hasPlanChanged(fields)))
    return deny(`The plan's file has changed since ${person} was shown the plan. Present the plan again.`);
  return allow(fields);
}

/** Returns the input of a question with its answers, by the question's text, as the client's prompt does. */
function toAnswered({ questions }: { questions: { question: string }[] }, answers: readonly string[]) {
  return {
    questions,
    answers: Object.fromEntries(questions.map(({ question }, index) => [question, answers[index]])),
  };
}

/** The client does not approve the plan of the hook's input, but reads the plan's file again (APPROVE-11). */
async function hasPlanChanged({ plan, planFilePath: file }: JsonFields): Promise<boolean> {
  if (typeof file !== "string") return false;
  return (await readFile(file, "utf8").catch(() => undefined)) !== plan;
}

function allow(updatedInput: object): string {
  return formatDecision({ behavior: "allow", updatedInput });
}

function deny(message: string): string {
  return formatDecision({ behavior: "deny", message });
}

function formatDecision(decision: object): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
}

const pollIntervalMs = 500;
/** An interactive client reports that it is waiting for its user within this time after the hook starts. */
const waitsWithinMs = 5_000;

/**
 * Detects that the user has answered the client's own prompt, which the client does not report to any hook.
 * At a terminal, the client records in a state file whether it is waiting for its user. Without that file
 * nothing is detected, and the request waits until the hook ends. A client that was killed ends no hook, but no longer is
 * the hook's parent.
 */
function watchTerminal(signal: AbortSignal): { answered: AbortSignal; stop(): void } {
  const { variables } = readEnvironment();
  const answered = new AbortController();
  const stopped = new AbortController();
  const until = AbortSignal.any([signal, stopped.signal]);
  const beganAt = Date.now();
  const parent = process.ppid;
  const watch = async () => {
    for (let hasWaited = false; ; await delay(pollIntervalMs, undefined, { signal: until })) {
      if (process.ppid !== parent) return answered.abort();
      const { kind, status } = await readClaudeState(variables["CLAUDE_PID"], variables);
      if (kind !== "interactive") continue;
      if (status === "waiting") hasWaited = true;
      // The user may have answered the prompt before the first poll.
      else if (hasWaited || Date.now() - beganAt > waitsWithinMs) return answered.abort();
    }
  };
  watch().catch(() => undefined); // The watch was stopped.
  return { answered: answered.signal, stop: () => stopped.abort() };
}
