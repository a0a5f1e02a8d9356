import { findInboxSocketOf, toClientInbox } from "../clients/claude-inbox.js";
import type { Client } from "../clients/client.js";
import { describeServerEnded, readLastHookTime } from "../clients/serving.js";
import { toStub } from "../feed/private-stub.js";
import { type Config, readEnvironment } from "../settings/config.js";
import { openBrokerLink } from "./broker-link.js";
import { readIdleSince } from "./hooks/status-reporter.js";
import { createDeliveryRecord } from "./mail/delivery-record.js";
import { createPeerSessions, type PeerSession } from "./peer-sessions.js";
import { createRejoin } from "./rejoin.js";
import { createSecretStore } from "./secret-store.js";
import { describeSelf } from "./self-description.js";
import { createTurn } from "./turn.js";
import { createRosterView } from "./waking/roster-view.js";
import { nudgeDelaysDefault } from "./waking/wake.js";
import { createWakePaths, stopWhenUnheard } from "./waking/wake-paths.js";
import { createWakers } from "./waking/wakers.js";

export interface EndedServer {
  readonly config: Config;
  readonly storedPeerId: string;
  /** The client whose MCP server has ended. */
  readonly client: Client;
  readonly pid: number;
}

export interface StandIn {
  /** Updates the cursors, because hooks may have delivered messages since the last check. */
  refreshCursors(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Takes the place of an MCP server that ended while its client still runs. Reports the ended server to people
 * and wakes Claude Code, whose hooks then deliver the messages. Delivers no messages itself.
 */
export async function openStandIn({ config, storedPeerId, client: own, pid }: EndedServer): Promise<StandIn> {
  const { home } = config;
  const log = () => undefined;
  const env = readEnvironment().variables;
  const inbox = own.name === "claude" ? await findInboxSocketOf(pid, env) : undefined;
  const readClientIdleSince = async () => inbox && readIdleSince(inbox, env);
  const paths = stopWhenUnheard(
    createWakePaths({
      inbox: inbox ? toClientInbox(inbox) : null,
      ...{ channel: null, hasHooks: () => inbox !== undefined, log },
    }),
    {
      getHeardAt: () => readLastHookTime(home, storedPeerId),
      readIdleSince: readClientIdleSince,
      onUnheard: () => rejoin.refreshDescription(),
    },
  );
  const link = openBrokerLink({
    config,
    onClient(client) {
      teams.subscribe(client);
      client.onPush(async (push) => {
        if (push.type !== "nudge") return;
        const team = teams.findLast(push.session_id);
        client.answerNudge(push.id, team ? await wakers.nudge(team) : []);
      });
    },
    onOpen: log,
    log,
  });
  const roster = createRosterView({ link, onRead: () => wakers.check(), log, now: () => Date.now() });
  const wakers = createWakers({
    paths: {
      available: paths.available,
      // While the client is working, its hooks deliver messages. If the hooks miss a message, the client is
      // nudged again later.
      run: async (wake) => ((await readClientIdleSince()) === undefined ? [] : paths.run(wake)),
    },
    turn: createTurn(() => Date.now()),
    isRestarted: false,
    readIdleSince: readClientIdleSince,
    isBusy: async () => false,
    roster,
    delays: nudgeDelaysDefault,
    isInterruptible: false,
    onRun: log,
    onUnreached: log,
    now: () => Date.now(),
  });
  const teams = createPeerSessions({
    log,
    onNew: wakers.add,
    open: (_, message) => toStub(message),
    onChanged: (team) => roster.expire(team),
  });
  const rejoin = createRejoin({
    link,
    teams,
    home,
    log,
    secretStore: createSecretStore(),
    handedOut: createDeliveryRecord({ home, format: undefined, env, client: pid }),
    options: { as: storedPeerId, join: undefined },
    claudeSessionId: null,
    onDeclared: log,
    describe: () => describeSelf({ client: undefined, toolsets: new Set(), wake: paths.available }),
  });
  await rejoin.enter().catch(log);
  const [team] = teams.readers();
  if (team) await reportServerEnded(team);

  /**
   * Reports that the peer's server has ended, both in the roster and among the items that need a person's
   * attention.
   */
  async function reportServerEnded({
    sessionId: session_id,
    credential: team_id,
  }: PeerSession): Promise<void> {
    const reason = describeServerEnded(own.name);
    const input = { session_id, team_id, status: "blocked", reason, automatic: true } as const;
    await link.call("set_status", input).catch(log);
  }

  return {
    async refreshCursors() {
      for (const { mail, sessionId: session_id, credential: team_id } of teams.readers()) {
        if (mail.pending.length === 0) continue;
        await link
          .call("ack", { session_id, team_id, cursor: 0 })
          .then(({ cursor }) => mail.passUpTo(cursor), log);
      }
    },
    async stop() {
      await teams.close();
      await link.close();
    },
  };
}
