import { setTimeout as delay } from "node:timers/promises";
import {
  createRefusedCalls,
  type ListedTool,
  MerkleError,
  type Message,
  type NudgeFrame,
  withToolWait,
} from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import { brokerSettingsDefault, readToolInput } from "@merkle/wire/schemas";
import { claude } from "../clients/claude.js";
import { allowTool, asksInPlanMode } from "../clients/claude-hooks.js";
import { findInboxSocket } from "../clients/claude-inbox.js";
import { readClaudeState } from "../clients/claude-state.js";
import { findClientIntroducing } from "../clients/clients.js";
import { isServerEnded, serverEnded } from "../clients/serving.js";
import type { Transcript } from "../clients/transcript.js";
import { checkConcluded } from "../feed/check-seen.js";
import { type Config, readEnvironment } from "../settings/config.js";
import { openBrokerLink } from "./broker-link.js";
import { createClaimGuard, toHookRefusal } from "./claims/claim-guard.js";
import { completeInput, fillProject } from "./complete-input.js";
import { type HookCall, parseHookCall } from "./hook-call.js";
import { createHookServer, type HookAnswer, type HookBriefs } from "./hooks/hook-server.js";
import { openHookSocket } from "./hooks/hook-socket.js";
import { createPermissionWatch, isPermission } from "./hooks/permission-watch.js";
import { createStatusReporter, idleSince, noteDeclared } from "./hooks/status-reporter.js";
import { type CallResult, createLongResults, createRenderer } from "./long-results.js";
import { createAcknowledger } from "./mail/acknowledger.js";
import { type Brief, createBriefs } from "./mail/briefs.js";
import { createHandedOut } from "./mail/handed-out.js";
import { createMembership, type Fields } from "./membership.js";
import type { McpOptions } from "./options.js";
import { createPeerSessions, type PeerSession } from "./peer-sessions.js";
import { createPerformer } from "./perform.js";
import { createSealing } from "./private-messages.js";
import { createRejoin, type Declared } from "./rejoin.js";
import { createSecretStore } from "./secret-store.js";
import { type ClientInfo, describeSelf } from "./self-description.js";
import { listTools, readMore, requireTool } from "./tool-list.js";
import { type Caller, createTurn } from "./turn.js";
import { createUsageReporter } from "./usage/usage-reporter.js";
import { type Channel, createWakePaths, untilInVain } from "./waking/wake-paths.js";
import { createWakers } from "./waking/wakers.js";

/** Everything behind the tools: the connection to the broker, the places that this server acts in, and what it keeps. */
export interface ToolServer {
  readonly tools: ListedTool[];
  /** How much waits to be read in each session. */
  unread(): { session: string; unread: number }[];
  /** Answers a tool call; a failure is an answer, too. Rejects only when the caller has given up. */
  call(call: ToolCall): Promise<ToolAnswer>;
  /** Ends the connection. The teams stay in their sessions, and their place is kept. */
  close(): Promise<void>;
}

interface ToolCall {
  readonly name: string;
  readonly args: unknown;
  /** The client's own id of the model's call, by which a hook announced it. */
  readonly toolUseId: string | undefined;
  /** The `_meta` that came with it, in which some clients say who calls. */
  readonly meta?: unknown;
  readonly signal: AbortSignal;
}

interface ToolAnswer {
  readonly result: CallResult;
  /** To be told whether the answer arrived. */
  settle(arrived: boolean): void;
}

interface ToolDeskOptions {
  readonly config: Config;
  readonly options: McpOptions;
  /** The Claude Code session whose server this is: a later server of it goes on in this one's places. */
  readonly claudeSessionId: string | null;
  /** How the client introduced itself, once it has. */
  readonly client: () => ClientInfo | undefined;
  readonly channel: Channel | null;
  /** Whether results have `structuredContent` where a program reads them (MCP-17). */
  readonly structured: boolean;
  /** Called with each hook and each call of the client; returns whether this is its server for the peer of `--as`. */
  readonly onHeard: () => boolean;
  readonly log: (text: string) => void;
}

export function openToolServer(deskOptions: ToolDeskOptions): ToolServer {
  const { config, options, claudeSessionId, client, channel, onHeard, log } = deskOptions;
  const structured = deskOptions.structured && options.view === "json";
  const { home } = config;
  const env = readEnvironment().variables;
  // Whoever does what Claude Code does is served like it.
  const own = findClientIntroducing(client()?.name) ?? claude;
  let conversation = claudeSessionId ?? env["MERKLE_CONVERSATION"];
  const socket = openHookSocket({ answer: answerSocket, onAttached: describeAgain, log });
  if (own.usesSocket) socket.listen();
  const inbox = own.openInbox({ env, conversation: () => conversation, attached: socket.attached });
  const secretStore = createSecretStore();
  const now = () => Date.now();
  const turn = createTurn(now);
  const claudeInbox = findInboxSocket(env);
  const idle = async () => (claudeInbox ? idleSince(claudeInbox, env) : undefined);
  let heardAt = 0;
  const paths = untilInVain(createWakePaths({ inbox, channel, hasHooks: () => turn.hasHooks, log }), {
    // Without hooks a model that ignores a nudge is not heard either.
    heardAt: () => (turn.hasHooks ? heardAt : Number.POSITIVE_INFINITY),
    idleSince: idle,
    onVain: declareUnreached,
  });
  const wakers = createWakers({
    ...{ paths, turn, now, idleSince: idle },
    mayInterrupt: options.interruptible,
    onRun: describeAgain,
  });
  const teams = createPeerSessions({
    log,
    onNew: welcome,
    open: (team, message) => sealing.open(team, message),
    onConcluded: (team, message) => void compareSeal(team, message),
    onChanged: (team, kind) => claimGuard.refresh(team, kind),
  });
  const link = openBrokerLink({ config, onClient: takeClient, onUp: comeUp, log });
  const claimGuard = createClaimGuard({ link, teams: () => teams, cwd: process.cwd(), log });
  const sealing = createSealing({ link, home, log });
  const handedOut = createHandedOut({
    home,
    // A program reads messages in another form, and what only does like Claude Code keeps no such record.
    format:
      options.view === "compact" && (own !== claude || claudeSessionId !== null) ? own.transcript : undefined,
    conversation,
    env,
    client: process.ppid,
  });
  const acknowledger = createAcknowledger(link, handedOut);
  const describe = () =>
    describeSelf({ client: client(), toolsets: options.toolsets, wake: paths.available });
  const place = { link, teams, secretStore, handedOut, home, claudeSessionId, describe, log };
  const rejoin = createRejoin({ ...place, options, onDeclared: unblock });
  const membership = createMembership(place);
  const perform = createPerformer({
    link,
    membership,
    secretStore,
    sealing,
    acknowledger,
    view: options.view,
  });
  const refusedCalls = createRefusedCalls();
  let { mcp_wait_s: waitSeconds, brief_after: unreadMax } = brokerSettingsDefault;
  const briefs = createBriefs({ link, unreadMax: () => unreadMax });
  const longResults = createLongResults();
  const render = createRenderer({ view: options.view, structured, secretStore, longResults });
  /** Saves for which conversation the peers are held; a hook does not wait for it, the end does. */
  let moving: Promise<void> = Promise.resolve();
  let isGoingBack = false;
  /** The status that peers have while the client does not reach this server. */
  const unreached = new Map<PeerSession, Declared>();
  const hooks = createHookServer({
    teams,
    turn,
    status: createStatusReporter(link, log),
    onConversation: noteConversation,
    onProof: acknowledger.soon,
  });
  const permissions = createPermissionWatch({
    ...{ link, teams, log },
    readState: () => readClaudeState(process.ppid, env),
    hide: secretStore.hide,
  });
  channel?.onChange(describeAgain);
  const usage =
    own.usage && config.reportUsage
      ? createUsageReporter({ link, team: () => teams.findLast(), record: own.usage, home, env, log })
      : undefined;
  void enterQuietly();

  /** Whatever keeps it out, the model is told by its next call. */
  async function enterQuietly(): Promise<void> {
    try {
      const refusal = await rejoin.enter();
      if (refusal) log(refusal.message);
    } catch (error) {
      log(describeError(error));
    }
  }

  function welcome(team: PeerSession): () => void {
    sealing.publish(team);
    const stops = [wakers.add(team), team.mail.listen(() => acknowledger.soon(team))];
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** Takes back the status that another process declared while no server was there (WAKE-15). */
  function unblock(team: PeerSession, { reason }: Declared): void {
    if (!isServerEnded(reason) && !isPermission(reason)) return;
    const status = turn.runsUntil > now() ? "working" : "idle";
    team.observed = status;
    link.call("set_status", { session_id: team.sessionId, team_id: team.credential, status }).then(
      (output) => noteDeclared(team, output),
      (error: unknown) => log(describeError(error)),
    );
  }

  /** The client runs turns of which nothing is heard here: people can see that, and what its user does about it (WAKE-19). */
  function declareUnreached(): void {
    const status = { status: "blocked", reason: serverEnded(own.name), automatic: true } as const;
    for (const team of teams.readers())
      link.call("set_status", { session_id: team.sessionId, team_id: team.credential, ...status }).then(
        (output) => {
          noteDeclared(team, output);
          unreached.set(team, output.declared);
        },
        (error: unknown) => log(describeError(error)),
      );
    describeAgain();
  }

  /**
   * Checks that a conclusion's seal goes on from the record that this machine saw before (CLI-73); if it does not, the model is
   * warned.
   */
  async function compareSeal(team: PeerSession, message: Message): Promise<void> {
    const problem = await checkConcluded(message, { home, broker: link });
    if (!problem) return;
    team.warning = problem.message;
    log(problem.message);
  }

  function comeUp(): void {
    for (const team of teams.readers()) {
      claimGuard.refresh(team);
      sealing.publish(team);
      // Cursors that could not be acknowledged when the connection was lost are now.
      acknowledger.soon(team);
    }
    void enterQuietly();
    void learnSettings();
  }

  /** A broker that does not say it, being older or keeping it to members, leaves it as it is. */
  async function learnSettings(): Promise<void> {
    try {
      const { settings } = await link.call("get_settings", {});
      waitSeconds = settings.mcp_wait_s ?? waitSeconds;
      unreadMax = settings.brief_after ?? unreadMax;
    } catch (error) {
      log(describeError(error));
    }
  }

  function describeAgain(): void {
    rejoin.describeAgain();
  }

  function takeClient(next: MerkleClient): void {
    teams.subscribe(next);
    next.onPush((push) => {
      if (push.type === "nudge") void answerNudge(next, push);
    });
  }

  async function answerNudge(from: MerkleClient, { id, session_id: session }: NudgeFrame): Promise<void> {
    const team = teams.findLast(session);
    from.answerNudge(id, team ? await wakers.nudge(team) : []);
  }

  function noteConversation(id: string | undefined): void {
    if (!id || id === conversation) return;
    conversation = id;
    moving = membership.moveTo(id);
    describeAgain();
  }

  async function runHook(call: HookCall): Promise<HookAnswer> {
    const hadHooks = turn.hasHooks;
    if (call.agentId === "" && call.event !== "PreToolUse") permissions.goOn();
    // Claude Code has named its own when it started this server; of another one after it the hooks tell.
    if (claudeSessionId === null && call.agentId === "") noteConversation(call.sessionId);
    if (call.sessionId !== "") handedOut.moveTo(call.sessionId);
    const needsRecord = (team: PeerSession) =>
      team.mail.pending.length > 0 || briefs.asksForRecord(team, call);
    const isRead = call.event !== "PreToolUse" && teams.readers().some(needsRecord);
    const transcript = isRead ? await handedOut.readTranscript() : undefined;
    const answered = hooks.answer(call, transcript, await prepareBriefs(call, transcript));
    usage?.hook(call);
    if (!hadHooks) describeAgain();
    wakers.look();
    return answered;
  }

  async function prepareBriefs(call: HookCall, transcript?: Transcript): Promise<HookBriefs> {
    const due = new Map<PeerSession, Brief>();
    if (call.agentId !== "") return due;
    for (const team of teams.readers()) {
      const brief = await briefs.prepare(team, call, transcript);
      if (brief) due.set(team, brief);
    }
    return due;
  }

  async function answerHook(fields: Fields, meta: unknown): Promise<ToolAnswer> {
    if (fields["event"] === "PermissionRequest") {
      // The launch has allowed these tools, so that its agents need nobody at the terminal for them.
      const isAllowed = options.as !== undefined && asksInPlanMode(fields);
      if (!isAllowed) permissions.ask(fields);
      return { result: render.text(isAllowed ? allowTool : "{}"), settle: ignore };
    }
    const call = parseHookCall(fields);
    const { subagent = call.agentId } = own.callerOf?.(meta, call.sessionId) ?? {};
    const { text, toUser, settle } = await runHook({ ...call, agentId: subagent });
    const { session_id: _session, prompt_id: _prompt, tool_use_id: _call, ...content } = fields;
    const edit = { files: own.editedFiles?.(fields) ?? [], content, agentId: subagent };
    const refusal = claimGuard.judge(edit);
    const result = refusal ? render.text(toHookRefusal(refusal)) : render.hook(own, call.event, text, toUser);
    return { result, settle };
  }

  /** What was declared, and a launch that stood in for this server, as it was not reached, gives way (WAKE-15, WAKE-19). */
  function noteHeard(): void {
    const { as = "" } = options;
    heardAt = now();
    for (const [team, declared] of unreached) unblock(team, declared);
    if (unreached.size > 0) describeAgain();
    unreached.clear();
    if (!onHeard() || isGoingBack || !teams.find(as)?.replaced) return;
    isGoingBack = true;
    teams.takeUpAgain(as);
    link.comeBack();
    rejoin.leaveBehind();
    void enterQuietly().finally(() => {
      isGoingBack = false;
    });
  }

  async function answerSocket(fields: Fields): Promise<HookAnswer> {
    const { text, toUser, settle } = await runHook(parseHookCall(fields));
    return { text: secretStore.hide(text), toUser, settle };
  }

  async function answer({ name, args, meta, signal }: ToolCall, caller: Caller): Promise<ToolAnswer> {
    const fields = requireFields(name, args);
    if (name === readMore.name)
      return { result: render.text(longResults.read(readId(fields))), settle: ignore };
    const operation = requireTool(name, options.toolsets);
    const refusal = await rejoin.enter();
    const given = requireFields(name, readToolInput(operation, fields));
    const filled = withToolWait(operation, await fillProject(operation, given), {
      defaultSeconds: waitSeconds,
      progressToken: Object(meta).progressToken,
    });
    const completed = completeInput({ operation, fields: filled, refusal, teams, secretStore });
    const { input, team, everyTeam } = completed;
    const {
      output,
      notice,
      settle = ignore,
    } = await perform({ operation, input, team, everyTeam, caller, signal });
    const notices = [completed.notice, notice].filter((each) => each !== undefined).join("\n");
    return { result: render.output(operation, output, notices || undefined), settle };
  }

  /** A call of the main agent's comes from a turn that has everything which was offered before. */
  function noteCall({ toolUseId, meta, signal }: ToolCall): Caller {
    const named = own.callerOf?.(meta) ?? {};
    noteConversation(named.conversation);
    const caller: Caller =
      named.subagent === undefined ? turn.callerOf(toolUseId) : { is: "subagent", agent: named.subagent };
    if (caller.is === "main") for (const team of teams.readers()) proveByCall(team);
    // An answer that nobody waits for any more was interrupted, and the turn with it.
    if (caller.is !== "subagent") signal.addEventListener("abort", interruptTurn, { once: true });
    return caller;
  }

  function proveByCall(team: PeerSession): void {
    team.mail.prove({ by: "call" });
    acknowledger.soon(team);
  }

  function interruptTurn(): void {
    turn.interrupt();
    wakers.look();
  }

  return {
    tools: listTools(options.toolsets, { structured, onlyTools: options.onlyTools }),
    unread: () => teams.readers().map(({ slug, mail }) => ({ session: slug, unread: mail.pending.length })),
    async call(call) {
      const { name, args, signal } = call;
      noteHeard();
      try {
        // A hook is no call of the model's, and is not kept waiting by a broker.
        if (name === "hook") return await answerHook(requireFields(name, args), call.meta);
        const answered = await answer(call, noteCall(call));
        refusedCalls.note(name, args, null);
        return answered;
      } catch (error) {
        signal.throwIfAborted();
        const refusal = toMerkleError(error, log);
        const { delayMs, advice } = refusedCalls.note(name, args, refusal);
        if (delayMs > 0) await delay(delayMs, undefined, { signal });
        return { result: render.error(name, withAdvice(refusal, advice)), settle: ignore };
      }
    },
    async close() {
      acknowledger.flush();
      socket.close();
      await Promise.race([moving, delay(goodbyeMsMax)]);
      // The connection first: ended while its inboxes are open, it says that nobody is in their places any more.
      await Promise.all([Promise.race([link.close(), delay(goodbyeMsMax)]), teams.close()]);
    },
  };
}

/** A broker that does not answer the goodbye is not waited for. */
const goodbyeMsMax = 80;

function ignore(): void {}

function requireFields(name: string, args: unknown): Fields {
  if (args === undefined) return {};
  if (typeof args === "object" && args !== null && !Array.isArray(args)) return { ...args };
  throw new MerkleError("bad_request", `${name.slice(0, 100)}: the arguments must be a JSON object.`);
}

function readId(fields: Fields): string {
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

function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
