import { randomUUID } from "node:crypto";
import type { AcpEvent, AcpSession } from "../../clients/acp-session.js";
import type { HookEvent } from "../../clients/client.js";
import { sendToServer, type TurnReport } from "../../clients/client-socket.js";
import { describeError } from "../../core/describe-error.js";
import type { AcpView } from "./view.js";

/** The turns of an agent that the launch drives. */
export interface Turns {
  readonly isRunning: boolean;
  /** Prompts the agent with a line that the user typed. */
  addTyped(line: string): void;
  /** Prompts the agent with a nudge and the unread messages. */
  addNudge(line: string): void;
  /** Notes what the agent reports about the running turn. */
  noteEvent(event: AcpEvent): void;
  /** Cancels the running turn. */
  cancel(): void;
}

interface TurnsOptions {
  readonly session: AcpSession;
  /** The socket of the peer's MCP server, which has the unread messages. */
  readonly socket: string;
  /** The text that introduces the model to its session, before its first prompt. */
  readonly introduction: string;
  readonly view: Pick<AcpView, "showMail" | "showHint" | "showEnd">;
  /** Aborted when the agent ends. */
  readonly ended: AbortSignal;
}

/** How long the MCP server may take to answer. It usually takes a few milliseconds. */
const serverMsMax = 30_000;
/** How long nudges wait after one, two or more prompts in a row that failed, for instance without a login. */
const retryPausesMs: readonly number[] = [1_000, 10_000, 60_000, 300_000];

/**
 * Runs one prompt after another. The MCP server gives the messages to put into a prompt, as it does to hooks of
 * clients: at a prompt, at a turn's end and, if the agent can be steered, between its steps. Messages that come
 * meanwhile wait at the server, and are acknowledged only when the agent has taken the prompt that contained them
 * (WAKE-23).
 */
export function createTurns({ session, socket, introduction, view, ended }: TurnsOptions): Turns {
  const typed: string[] = [];
  let nudge: string | undefined;
  let isRunning = false;
  let isPrompting = false;
  let isCancelled = false;
  let isIntroduced = false;
  /** How many prompts in a row have failed, and when a nudge may try again. */
  let failures = 0;
  let retryAt = 0;
  /** The id of the turn's first prompt. The prompts that continue a turn have the same. */
  let promptId = "";
  /** Requests to the server are sent one after another, so that it sees a turn's events in their order. */
  let lastRequest: Promise<unknown> = Promise.resolve();

  function send(
    request: Parameters<typeof sendToServer>[0],
    isDue = () => true,
  ): Promise<string | undefined> {
    const sent = lastRequest.then(() =>
      isDue() ? sendToServer(request, { path: socket, timeoutMs: serverMsMax }) : "",
    );
    lastRequest = sent;
    return sent;
  }

  /** Sends an event. Returns the messages that the agent should get. */
  async function sendEvent(event: HookEvent, isDue?: () => boolean): Promise<string> {
    const hook = { event, session_id: "", prompt_id: promptId, agent_id: "" };
    const mail = await send({ hook }, isDue);
    // Messages in a lost reply must not count as received because a later event has the same prompt id.
    if (mail === undefined && event !== "PreToolUse") promptId = randomUUID();
    return mail ?? "";
  }

  /** Sends an event between two steps of the prompt, unless the prompt has ended meanwhile. */
  function sendStep(event: HookEvent): Promise<string> {
    return sendEvent(event, () => isPrompting);
  }

  async function report(state: TurnReport["state"]): Promise<void> {
    await send({ turn: { state, prompt_id: promptId } });
  }

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    while (!ended.aborted && (typed.length > 0 || isNudgeDue())) await runTurn();
    isRunning = false;
    if (nudge !== undefined) setTimeout(() => void run(), retryAt - performance.now()).unref();
  }

  function isNudgeDue(): boolean {
    return nudge !== undefined && performance.now() >= retryAt;
  }

  async function runTurn(): Promise<void> {
    promptId = randomUUID();
    isCancelled = false;
    const lines = typed.length > 0 ? typed.splice(0) : [nudge ?? ""];
    nudge = undefined;
    await report("running");
    let mail = await sendEvent("UserPromptSubmit");
    let texts = [...(isIntroduced ? [] : [introduction]), ...lines, mail];
    for (;;) {
      view.showMail(mail);
      const state = isCancelled ? "failed" : await prompt(texts.filter((text) => text !== ""));
      isIntroduced ||= state !== "failed";
      failures = state === "failed" ? failures + 1 : 0;
      retryAt = performance.now() + (retryPausesMs[Math.min(failures, retryPausesMs.length) - 1] ?? 0);
      if (state !== "ended") return report(state);
      mail = await sendEvent("Stop");
      texts = [...typed.splice(0), mail].filter((text) => text !== "");
      if (texts.length === 0) return report("ended");
      // The messages that the nudge was about are in this prompt.
      nudge = undefined;
    }
  }

  async function prompt(texts: readonly string[]): Promise<TurnReport["state"]> {
    isPrompting = true;
    try {
      view.showEnd(await session.prompt(texts));
      return isCancelled ? "interrupted" : "ended";
    } catch (error) {
      if (isCancelled) return "interrupted";
      if (!ended.aborted) view.showHint(`The agent did not take the prompt: ${describeError(error)}`);
      return "failed";
    } finally {
      isPrompting = false;
    }
  }

  /** Adds lines and the messages that the running turn should get to the turn. */
  async function steer(lines: readonly string[]): Promise<void> {
    const mail = await sendStep("PostToolBatch");
    const texts = [...lines, mail].filter((text) => text !== "");
    if (texts.length === 0) return;
    view.showMail(mail);
    const isTaken =
      isPrompting &&
      (await session.steer(texts).then(
        () => true,
        () => false,
      ));
    if (isTaken) return;
    // The prompt that continues this turn, or the next one, has them.
    typed.push(...texts);
    void run();
  }

  return {
    get isRunning() {
      return isRunning;
    },
    addTyped(line) {
      if (isPrompting && session.canSteer) return void steer([line]);
      typed.push(line);
      void run();
    },
    addNudge(line) {
      if (isPrompting && session.canSteer) return void steer([line]);
      nudge = line;
      void run();
    },
    noteEvent(event) {
      if (event.type !== "tool" || !isPrompting) return;
      const isOver = event.tool.status === "completed" || event.tool.status === "failed";
      if (session.canSteer && isOver) void steer([]);
      // A step proves that the model has the prompt, and that the turn still runs.
      else if (event.isNew) void sendStep("PreToolUse");
    },
    cancel() {
      isCancelled = true;
      if (isPrompting) session.cancel();
    },
  };
}
