import { setTimeout as delay } from "node:timers/promises";
import type { ChangedKind, ListedTool, Message, NudgeFrame } from "@merkle/wire";
import type { MerkleClient } from "@merkle/wire/client";
import { brokerSettingsDefault } from "@merkle/wire/schemas";
import { acp } from "../clients/acp.js";
import { claude } from "../clients/claude.js";
import { findInboxSocket } from "../clients/claude-inbox.js";
import { readClaudeState } from "../clients/claude-state.js";
import { findServedClient } from "../clients/clients.js";
import { describeError } from "../core/describe-error.js";
import { toStub } from "../feed/private-stub.js";
import type { CheckConcluded } from "../feed/tail/run-tail.js";
import { type Config, readEnvironment } from "../settings/config.js";
import { openBrokerLink } from "./broker-link.js";
import { type CallTool, createCallTool, type ToolCall } from "./call-tool.js";
import type { CreateExtension } from "./extension.js";
import type { HookCall } from "./hook-call.js";
import { createHookAnswers } from "./hooks/answer-hooks.js";
import { createHookServer } from "./hooks/hook-server.js";
import { openHookSocket } from "./hooks/hook-socket.js";
import { createPermissionWatch } from "./hooks/permission-watch.js";
import { createReminder } from "./hooks/reminder.js";
import { createStatusReporter, readIdleSince } from "./hooks/status-reporter.js";
import { createLongResults, createRenderer } from "./long-results.js";
import { createAcknowledger } from "./mail/acknowledger.js";
import type { Briefs } from "./mail/briefs.js";
import { createDeliveryRecord } from "./mail/delivery-record.js";
import { createMembership } from "./membership.js";
import type { McpOptions } from "./options.js";
import { createPeerSessions, type PeerSession } from "./peer-sessions.js";
import { createPerformer } from "./perform.js";
import { createRejoin } from "./rejoin.js";
import { createSecretStore } from "./secret-store.js";
import { type ClientInfo, describeSelf } from "./self-description.js";
import { listTools } from "./tool-list.js";
import { createTurn, type ToolCaller } from "./turn.js";
import { createUnreachedStatus } from "./unreached-status.js";
import { findNudgeTime } from "./wake-rules.js";
import { createRosterView } from "./waking/roster-view.js";
import { type NudgeDelays, nudgeDelaysDefault } from "./waking/wake.js";
import { type Channel, createWakePaths, stopWhenUnheard } from "./waking/wake-paths.js";
import { createWakers } from "./waking/wakers.js";

/**
 * Performs tool calls. Keeps the connection to the broker, the peers that this server acts as, and caches.
 */
export interface ToolServer {
  readonly tools: ListedTool[];
  /** Returns the number of unread messages in each session. */
  countUnread(): { session: string; unread: number }[];
  /** Answers a tool call. Failures are returned as answers. Rejects only if the caller cancels the call. */
  readonly call: CallTool;
  /** Closes the connection. The teams stay in their sessions, and the peers stay stored. */
  close(): Promise<void>;
}

interface ToolServerOptions {
  readonly config: Config;
  readonly options: McpOptions;
  /**
   * The Claude Code session that started this server. A later server in the same session continues as the
   * same peers.
   */
  readonly claudeSessionId: string | null;
  /** Returns how the client describes itself, once the client has connected. */
  readonly getClientInfo: () => ClientInfo | undefined;
  readonly channel: Channel | null;
  /** Whether results also have `structuredContent`, for programs (MCP-17). */
  readonly isStructured: boolean;
  /** Whether the client ran hooks before it started this server. */
  readonly isRestarted: boolean;
  /**
   * Called for each hook and each tool call. Returns whether the client uses this server for the peer named
   * by `--as`.
   */
  readonly onHeard: () => boolean;
  /** Called when it turns out that the client cannot reach this server. */
  readonly onUnreached: () => void;
  /** How long messages wait for a nudge. Default: `nudgeDelaysDefault`. */
  readonly nudgeDelays?: NudgeDelays;
  /** The extensions that features add to the server. */
  readonly extensions: readonly CreateExtension[];
  readonly checkConcluded: CheckConcluded;
  readonly log: (text: string) => void;
}

/**
 * Assembles the server from the parts that reach the client, the parts that reach the broker, and the parts
 * that answer calls. The functions further down handle the events between these parts.
 */
export function openToolServer(serverOptions: ToolServerOptions): ToolServer {
  const { config, options, claudeSessionId, getClientInfo, channel, log } = serverOptions;
  const { isRestarted, onHeard, onUnreached } = serverOptions;
  const isStructured = serverOptions.isStructured && options.view === "json";
  const { home } = config;
  const env = readEnvironment().variables;
  const now = () => Date.now();
  const acpSocket = env["MERKLE_ACP_SOCKET"];
  // An unknown client is treated like Claude Code.
  const agentClient = acpSocket ? acp : (findServedClient(getClientInfo()?.name, env) ?? claude);
  let conversation = claudeSessionId ?? env["MERKLE_CONVERSATION"];
  let heardAt = 0;
  let isReturning = false;
  /**
   * Settles when the peers' current conversation has been stored. Closing the server waits for that; hooks do
   * not.
   */
  let pendingMove: Promise<void> = Promise.resolve();
  let { mcp_wait_s: waitSeconds, brief_after: unreadMax } = brokerSettingsDefault;

  // Parts that reach the client.
  const socket = openHookSocket(
    {
      answer: async (fields) => hookAnswers.answerSocket(fields),
      onTurn: (turn) => hookAnswers.noteTurn(turn),
      onPermission: (permission) => hookAnswers.notePermission(permission),
      onPluginsChange: refreshDescription,
      log,
    },
    acpSocket,
  );
  if (agentClient.hasSocketHooks) socket.listen();
  const inbox = agentClient.openInbox({
    env,
    findConversation: () => conversation,
    attached: socket.attached,
  });
  const turn = createTurn(now);
  const claudeInbox = agentClient.isDriven ? null : findInboxSocket(env);
  const readClientIdleSince = async () => (claudeInbox ? readIdleSince(claudeInbox, env) : undefined);
  const paths = stopWhenUnheard(createWakePaths({ inbox, channel, hasHooks: () => turn.hasHooks, log }), {
    // If the client runs no hooks, a model that ignores a nudge cannot be distinguished from a client that
    // does not reach this server.
    getHeardAt: () => (turn.hasHooks ? heardAt : Number.POSITIVE_INFINITY),
    readIdleSince: readClientIdleSince,
    onUnheard: markUnreachable,
  });

  // Parts that reach the broker, and the peers that this server acts as.
  const secretStore = createSecretStore();
  const link = openBrokerLink({ config, onClient: useClient, onOpen: refreshPeers, log });
  const teams = createPeerSessions({
    log,
    onNew: startPeer,
    open: openMessage,
    onConcluded: (team, message) => void compareSeal(team, message),
    onChanged: noteChange,
  });
  const roster = createRosterView({ link, onRead: () => wakers.check(), log, now });
  const wakers = createWakers({
    ...{ paths, turn, roster, isRestarted, now, readIdleSince: readClientIdleSince },
    isBusy: async () => (await inbox?.isBusy?.()) ?? false,
    delays: serverOptions.nudgeDelays ?? nudgeDelaysDefault,
    isInterruptible: options.isInterruptible,
    onRun: refreshDescription,
    onUnreached,
  });
  channel?.onChange(refreshDescription);
  const deliveryRecord = createDeliveryRecord({
    home,
    format: findRecordFormat(),
    conversation,
    env,
    client: process.ppid,
  });
  const reminder = createReminder({ link, teams, extensions: () => extensions });
  const acknowledger = createAcknowledger(link, deliveryRecord);
  const describe = () =>
    describeSelf({ client: getClientInfo(), toolsets: options.toolsets, wake: paths.available });
  const peerOptions = {
    link,
    teams,
    secretStore,
    handedOut: deliveryRecord,
    home,
    claudeSessionId,
    describe,
    log,
  };
  const unreached = createUnreachedStatus({ link, teams, turn, clientName: agentClient.name, now, log });
  const rejoin = createRejoin({ ...peerOptions, options, onDeclared: unreached.clearOutdated });
  const membership = createMembership(peerOptions);

  // Extensions that features add.
  const server = {
    link,
    teams: () => teams,
    client: agentClient,
    config,
    env,
    unreadMax: () => unreadMax,
    log,
  };
  const extensions = serverOptions.extensions.map((create) => create(server));

  // Parts that answer calls.
  const longResults = createLongResults();
  const render = createRenderer({ view: options.view, isStructured, secretStore, longResults });
  const hookAnswers = createHookAnswers({
    client: agentClient,
    isLaunched: options.as !== undefined,
    ...{ teams, turn, extensions, handedOut: deliveryRecord, secretStore, render },
    hooks: createHookServer({
      teams,
      turn,
      isForTurn: (team, message) => findNudgeTime(message, () => roster.find(team)) !== "never",
      status: createStatusReporter(link, log),
      onConversation(id) {
        reminder.startOver();
        noteConversation(id);
      },
      onProof: acknowledger.schedule,
    }),
    permissions: createPermissionWatch({
      ...{ link, teams, log },
      readState: async () => (agentClient.isDriven ? {} : readClaudeState(process.ppid, env)),
      hide: secretStore.hide,
    }),
    briefs: extensions.find(({ briefs }) => briefs)?.briefs ?? noBriefs,
    reminder,
    onHook: noteHook,
    onAnswered({ isFirst }) {
      if (isFirst) refreshDescription();
      wakers.check();
    },
  });
  const callTool = createCallTool({
    toolsets: options.toolsets,
    waitSeconds: () => waitSeconds,
    ...{ rejoin, teams, secretStore, longResults, render, noteCall, log },
    perform: createPerformer({
      ...{ link, membership, secretStore, acknowledger },
      view: options.view,
      operations: Object.assign({}, ...extensions.map(({ operations }) => operations)),
      onCall: (call) => {
        for (const { onCall } of extensions) onCall?.(call);
      },
    }),
    answerHook: hookAnswers.answerCall,
  });
  void enterQuietly();

  /** Joins the sessions in the background. If that fails, the next call returns the reason. */
  async function enterQuietly(): Promise<void> {
    try {
      const refusal = await rejoin.enter();
      if (refusal) log(refusal.message);
      // A hook can name the conversation before the peers are resumed.
      else if (claudeSessionId === null && conversation !== undefined)
        pendingMove = membership.moveTo(conversation);
    } catch (error) {
      log(describeError(error));
    }
  }

  /**
   * Returns the format of the transcripts in which the client records delivered messages. Undefined for JSON
   * results, and for a client that is only treated like Claude Code.
   */
  function findRecordFormat() {
    const isKnown = agentClient !== claude || claudeSessionId !== null;
    return options.view === "compact" && isKnown ? agentClient.transcript : undefined;
  }

  function openMessage(team: PeerSession, message: Message): Message {
    const opener = extensions.find(({ openMessage: open }) => open);
    const opened = opener?.openMessage?.(team, message) ?? toStub(message);
    reminder.note(team, opened);
    return extensions.reduce((each, { recognise }) => recognise?.(team, each) ?? each, opened);
  }

  function startPeer(team: PeerSession): () => void {
    for (const { onPeer } of extensions) onPeer?.(team);
    const stops = [wakers.add(team), team.mail.listen(() => acknowledger.schedule(team))];
    return () => {
      for (const stop of stops) stop();
    };
  }

  function markUnreachable(): void {
    onUnreached();
    unreached.declare();
    refreshDescription();
  }

  /**
   * Warns the model if the seal in a conclusion does not continue the record that this machine saw earlier
   * (CLI-73).
   */
  async function compareSeal(team: PeerSession, message: Message): Promise<void> {
    const problem = await serverOptions.checkConcluded(message, { home, broker: link });
    if (!problem) return;
    team.advance({ type: "warned", warning: problem.message });
    log(problem.message);
  }

  function noteChange(team: PeerSession, kind?: ChangedKind): void {
    if (kind === undefined || kind === "roster") roster.expire(team);
    refreshExtensions(team, kind);
  }

  function refreshExtensions(team: PeerSession, kind?: ChangedKind): void {
    for (const { refresh } of extensions) refresh?.(team, kind);
  }

  /** Refreshes the data about all peers whenever the connection opens again. */
  function refreshPeers(): void {
    for (const team of teams.readers()) {
      refreshExtensions(team);
      // Send cursors that could not be acknowledged while the connection was lost.
      acknowledger.schedule(team);
    }
    void enterQuietly();
    void readSettings();
  }

  /**
   * Reads the broker's settings. Keeps the defaults if the broker is older or shows its settings only to
   * members.
   */
  async function readSettings(): Promise<void> {
    try {
      const { settings } = await link.call("get_settings", {});
      waitSeconds = settings.mcp_wait_s ?? waitSeconds;
      unreadMax = settings.brief_after ?? unreadMax;
    } catch (error) {
      log(describeError(error));
    }
  }

  function refreshDescription(): void {
    rejoin.refreshDescription();
  }

  function useClient(next: MerkleClient): void {
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
    pendingMove = membership.moveTo(id);
    refreshDescription();
  }

  /**
   * Stores the conversation that a hook names. Claude Code already names its conversation when it starts the
   * server.
   */
  function noteHook(call: HookCall): void {
    if (claudeSessionId === null && call.agentId === "") noteConversation(call.sessionId);
  }

  /**
   * Records that the client has reached this server. Withdraws a status that says otherwise (WAKE-15), and
   * takes over the peer from a launch that stood in for this server (WAKE-19).
   */
  function noteHeard(): void {
    const { as = "" } = options;
    heardAt = now();
    if (unreached.end()) refreshDescription();
    if (!onHeard() || isReturning || teams.find(as)?.state.membership !== "replaced") return;
    isReturning = true;
    teams.resumeOthers(as);
    link.reconnectOnNextCall();
    rejoin.rejoinOnNextCall();
    void enterQuietly().finally(() => {
      isReturning = false;
    });
  }

  /**
   * Records a tool call. A call by the main agent proves that the agent has received everything offered
   * earlier.
   */
  function noteCall({ toolUseId, meta, signal }: ToolCall): ToolCaller {
    const named = agentClient.parseCaller?.(meta) ?? {};
    noteConversation(named.conversation);
    const caller: ToolCaller =
      named.subagent === undefined
        ? turn.identifyCaller(toolUseId)
        : { is: "subagent", agent: named.subagent };
    if (caller.is === "main") for (const team of teams.readers()) proveByCall(team);
    // If the client cancels a call, its user has interrupted the turn.
    if (caller.is !== "subagent") signal.addEventListener("abort", interruptTurn, { once: true });
    return caller;
  }

  function proveByCall(team: PeerSession): void {
    team.mail.prove({ by: "call" });
    acknowledger.schedule(team);
  }

  function interruptTurn(): void {
    turn.interrupt();
    wakers.check();
  }

  return {
    tools: listTools(options.toolsets, {
      structured: isStructured,
      onlyTools: options.onlyTools,
      isInSession: options.as !== undefined || options.join !== undefined,
    }),
    countUnread: () =>
      teams.readers().map(({ slug, mail }) => ({ session: slug, unread: mail.pending.length })),
    async call(call) {
      noteHeard();
      return callTool(call);
    },
    async close() {
      acknowledger.flush();
      socket.close();
      await Promise.race([pendingMove, delay(goodbyeMsMax)]);
      // Close the connection while the inboxes are still open, so that the broker learns that no server acts
      // as the peers any longer.
      await Promise.all([Promise.race([link.close(), delay(goodbyeMsMax)]), teams.close()]);
    },
  };
}

const noBriefs: Briefs = { needsTranscript: () => false, prepare: async () => null };

/** How long closing the server waits for the broker's reply. */
const goodbyeMsMax = 80;
