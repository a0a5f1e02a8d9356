import type { Session } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { BrokerClient } from "../broker/broker-client.js";
import type { Prompter } from "../command/ask.js";
import type { Config } from "../config.js";
import { findSession } from "../sessions/find-session.js";
import type { StoredPeer } from "../sessions/stored-peers.js";
import { findFreeStoredPeer } from "../sessions/wanted-peer.js";
import { oneLine } from "../text/one-line.js";
import { counted } from "../text/time.js";
import { type LastAnswers, readLastAnswers } from "./last-answers.js";
import {
  groupsProblem,
  type NamedSession,
  nameProblem,
  roleProblem,
  teamProblem,
  titleProblem,
  toGroups,
  usersTeam,
  type Wanted,
  type Wish,
} from "./launch-options.js";

interface AskWish {
  readonly wanted: Wanted;
  readonly prompter: Prompter;
  readonly broker: BrokerClient;
  readonly config: Pick<Config, "home" | "personName">;
  readonly meshId: string;
}

/**
 * Asks for what the call does not say, and for nothing else. What is offered is the free place that this machine has in
 * that team, or else what was answered the last time (LAUNCH-10).
 */
export async function askWish({ wanted, prompter, broker, config, meshId }: AskWish): Promise<Wish> {
  const last = await readLastAnswers(config.home);
  const session = wanted.session ?? (await askSession(prompter, broker, last));
  const team = wanted.team ?? (await askTeam(prompter, config, last));
  const { name: defaultName } = wanted.client;
  const free = await findOffered({ broker, home: config.home, meshId, defaultName }, session, team, last);
  const offered = free?.peer_name ?? last.name ?? defaultName;
  const name = wanted.name ?? (await askName(prompter, offered));
  // A stored peer offers its own role and groups to be edited; a new one those of the last launch.
  const role = wanted.role ?? (await askRole(prompter, free ? free.role : last.role));
  const groups = wanted.groups ?? (await askGroups(prompter, free ? free.groups.join(", ") : last.groups));
  // Whoever takes what is offered has not asked for just this name.
  const isOffered = wanted.name === undefined && name === offered;
  return { session, team, name: isOffered ? undefined : name, defaultName: offered, role, groups };
}

const newSession = "+";

async function askSession(
  prompter: Prompter,
  broker: BrokerClient,
  last: LastAnswers,
): Promise<NamedSession> {
  const first = await listOpen(broker, "");
  let typed = "";
  const choices = async (text: string) => {
    typed = text.trim();
    // Only where there are more than fit into a page, the broker has to look.
    const found = first.isAll
      ? first.sessions.filter(isLike(typed))
      : (await listOpen(broker, typed)).sessions;
    return [...found.map(toChoice), { value: newSession, name: "+ New session…" }];
  };
  // There is nothing to choose from where nothing is open.
  const isAny = first.sessions.length > 0;
  const chosen = isAny
    ? await prompter.oneOf({ message: "Session", choices, default: last.session })
    : newSession;
  if (chosen !== newSession) return { kind: "named", name: chosen };
  const title = await prompter.text({
    message: "Title of the new session",
    default: typed || undefined,
    problemOf: titleProblem,
  });
  return { kind: "new", title };
}

async function listOpen(
  broker: BrokerClient,
  query: string,
): Promise<{ sessions: readonly Session[]; isAll: boolean }> {
  const { sessions, next_cursor: next } = await broker.call("list_sessions", {
    status: "active",
    query: query.slice(0, limits.titleCharsMax),
    limit: limits.sessionsPageMax,
  });
  return { sessions, isAll: next === null };
}

function isLike(text: string): (session: Session) => boolean {
  const wanted = text.toLowerCase();
  return ({ slug, title }) => slug.includes(wanted) || title.toLowerCase().includes(wanted);
}

function toChoice({ slug, title, teams }: Session) {
  return { value: slug, name: oneLine(title), beside: counted(teams, "team") };
}

function askTeam(prompter: Prompter, config: Pick<Config, "personName">, last: LastAnswers): Promise<string> {
  return prompter.text({
    message: "Team",
    default: last.team ?? usersTeam(config),
    problemOf: teamProblem,
  });
}

function askName(prompter: Prompter, offered: string): Promise<string> {
  return prompter.text({ message: "Peer name", default: offered, problemOf: nameProblem });
}

async function askRole(prompter: Prompter, offered: string | null | undefined): Promise<string | undefined> {
  const role = await askOptional(prompter, "Role     ", offered, roleProblem);
  return role || undefined;
}

async function askGroups(
  prompter: Prompter,
  offered: string | undefined,
): Promise<readonly string[] | undefined> {
  const groups = await askOptional(prompter, "Groups   ", offered, groupsProblem);
  return groups === "" ? undefined : toGroups(groups);
}

/** The answer for none: Enter takes what is offered, so that nothing needs a sign of its own. */
const none = "-";

async function askOptional(
  prompter: Prompter,
  question: string,
  offered: string | null | undefined,
  problemOf: (text: string) => string | undefined,
): Promise<string> {
  const answer = await prompter.text({
    message: `${question} (optional${offered ? `, ${none} for none` : ""})`,
    default: offered || undefined,
    problemOf: (text) => (text === "" || text === none ? undefined : problemOf(text)),
  });
  return answer === none ? "" : answer;
}

/** The place that a launch would take again, were no other name asked for. */
async function findOffered(
  {
    broker,
    home,
    meshId,
    defaultName,
  }: { broker: BrokerClient; home: string; meshId: string; defaultName: string },
  session: NamedSession,
  teamName: string,
  last: LastAnswers,
): Promise<StoredPeer | undefined> {
  const found = session.kind === "named" ? await findSession(broker, session.name) : null;
  if (!found) return undefined;
  const wanted = { home, meshId, sessionId: found.session_id, teamName };
  return findFreeStoredPeer({ ...wanted, defaultPeerName: last.name ?? defaultName });
}
