import { findInboxSocketOf, toClientInbox } from "../clients/claude-inbox.js";
import { serverEnded } from "../clients/serving.js";
import { type Config, readEnvironment } from "../config.js";
import { asStub } from "../private-messages/open-message.js";
import { openBrokerLink } from "./broker-link.js";
import { idleSince } from "./hooks/status-reporter.js";
import { createHandedOut } from "./mail/handed-out.js";
import { createPeerSessions, type PeerSession } from "./peer-sessions.js";
import { createRejoin } from "./rejoin.js";
import { createSecretStore } from "./secret-store.js";
import { describeSelf } from "./self-description.js";
import { createTurn } from "./turn.js";
import { createWakePaths } from "./waking/wake-paths.js";
import { createWakers } from "./waking/wakers.js";

export interface Watched {
  readonly config: Config;
  readonly placeId: string;
  /** The client whose server is gone. */
  readonly pid: number;
}

export interface StandIn {
  /** Learns what hooks have brought meanwhile. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Takes the place of a server that has ended while its client goes on: it wakes the client, whose hooks then bring the mail,
 * and tells people what is the matter. It hands out nothing itself. Undefined where the client cannot be woken.
 */
export async function openStandIn({ config, placeId, pid }: Watched): Promise<StandIn | undefined> {
  const { home } = config;
  const log = () => undefined;
  const env = readEnvironment().variables;
  const inbox = await findInboxSocketOf(pid, env);
  if (!inbox) return undefined;
  const paths = createWakePaths({ inbox: toClientInbox(inbox), channel: null, hasHooks: () => true, log });
  const wakers = createWakers({
    paths: {
      available: paths.available,
      // While it works its hooks bring the mail; what they miss is nudged for again.
      run: async (wake) => ((await idleSince(inbox, env)) === undefined ? [] : paths.run(wake)),
    },
    turn: createTurn(() => Date.now()),
    idleSince: () => idleSince(inbox, env),
    mayInterrupt: false,
    onRun: log,
    now: () => Date.now(),
  });
  const teams = createPeerSessions({ log, onNew: wakers.add, open: (_, message) => asStub(message) });
  const link = openBrokerLink({
    config,
    onClient(client) {
      teams.subscribe(client);
      client.onPush(async (push) => {
        if (push.type !== "nudge") return;
        const team = teams.findLast(push.session_id);
        client.answerNudge(push.id, team ? await wakers.nudge(team, push.by.name) : []);
      });
    },
    onUp: log,
    log,
  });
  const rejoin = createRejoin({
    link,
    teams,
    home,
    log,
    secretStore: createSecretStore(),
    handedOut: createHandedOut({ home, sessionId: null, env, client: pid }),
    options: { as: placeId, join: undefined },
    claudeSessionId: null,
    onDeclared: log,
    describe: () => describeSelf({ client: undefined, toolsets: new Set(), wake: paths.available }),
  });
  await rejoin.enter().catch(log);
  const [team] = teams.readers();
  if (team) await tellUser(team);

  /** In the roster, and among what waits for a person's attention. */
  async function tellUser({ sessionId: session_id, credential: team_id }: PeerSession): Promise<void> {
    const input = { session_id, team_id, status: "blocked", reason: serverEnded, automatic: true } as const;
    await link.call("set_status", input).catch(log);
  }

  return {
    async look() {
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
