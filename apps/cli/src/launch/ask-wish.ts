import type { Session } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { BrokerClient } from "../broker/broker-client.js";
import type { Prompter } from "../command/ask.js";
import type { StoredPeer } from "../home/stored-peers.js";
import { findSession } from "../sessions/find-session.js";
import { findFreeStoredPeer } from "../sessions/wanted-peer.js";
import { oneLine } from "../text/one-line.js";
import { cutToWidth } from "../text/table.js";
import { counted } from "../text/time.js";
import { type LastAnswers, readLastAnswers } from "./last-answers.js";
import {
  groupsProblem,
  nameProblem,
  roleProblem,
  teamProblem,
  titleProblem,
  toGroups,
  type Wanted,
  type Wish,
} from "./launch-options.js";
import {
  findLastTeam,
  findOwnTeam,
  findUsualSession,
  type LaunchScene,
  type NamedSession,
} from "./usual-launch.js";

interface AskWish extends LaunchScene {
  readonly wanted: Wanted;
  readonly prompter: Prompter;
}

/**
 * Asks for what the call does not say, and for nothing else. What is offered is what `-y` would take, or else what was
 * answered the last time (LAUNCH-10).
 */
export async function askWish({ wanted, prompter, ...scene }: AskWish): Promise<Wish> {
  const last = await readLastAnswers(scene.config.home);
  const session = wanted.session ?? (await askSession(prompter, scene));
  const team = wanted.team ?? (await askTeam(prompter, scene, { session, last }));
  const { name: defaultName } = wanted.client;
  const free = await findOffered(scene, { session, team, defaultName: last.name ?? defaultName });
  const offered = free?.peer_name ?? last.name ?? defaultName;
  const name = wanted.name ?? (await askName(prompter, offered));
  // A stored peer offers its own role and groups to be edited; a new one those of the last launch.
  const role = wanted.role ?? (await askRole(prompter, free ? free.role : last.role));
  const groups = wanted.groups ?? (await askGroups(prompter, free ? free.groups.join(", ") : last.groups));
  // Accepting the offered name does not insist on it.
  const isOffered = wanted.name === undefined && name === offered;
  return { session, team, name: isOffered ? undefined : name, defaultName: offered, role, groups };
}

const newSession = "+";
const usualSession = "=";

/** Offers first the session that `-y` would take, then a new one, which a long list must not push out of sight. */
async function askSession(prompter: Prompter, scene: LaunchScene): Promise<NamedSession> {
  const { broker } = scene;
  const first = await listOpen(broker, "");
  const usual = await findUsualSession(scene);
  const open = usual && (await findSession(broker, usual.name));
  const usualChoice = usual && (open ? toChoice(open) : { name: `+ ${oneLine(usual.name)}`, beside: "new" });
  let typed = "";
  const choices = async (text: string) => {
    typed = text.trim();
    // Only where there are more than fit into a page, the broker has to look.
    const found = first.isAll
      ? first.sessions.filter(isLike(typed))
      : (await listOpen(broker, typed)).sessions;
    const others = found.filter(({ session_id }) => typed !== "" || session_id !== open?.session_id);
    return [
      ...(usualChoice && typed === "" ? [{ ...usualChoice, value: usualSession }] : []),
      ...(typed === "" ? [newChoice] : []),
      ...others.map(toChoice),
      ...(typed === "" ? [] : [newChoice]),
    ];
  };
  // There is nothing to choose from where nothing is open.
  const isAny = first.sessions.length > 0;
  const chosen = isAny ? await prompter.oneOf({ message: "Session", choices }) : newSession;
  if (chosen === usualSession && usual) return usual;
  if (chosen !== newSession) return { kind: "named", name: chosen };
  const title = await prompter.text({
    message: "Title of the new session",
    default: typed || (isAny ? undefined : usual?.name),
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

const newChoice = { value: newSession, name: "+ New session…" };

const onlineNamesMax = 3;

function toChoice({ slug, title, teams, present }: Session) {
  const online = present.filter(({ status }) => status !== "disconnected");
  const names = online
    .slice(0, onlineNamesMax)
    .map(({ team_name }) => cutToWidth(oneLine(team_name), 16, "…"));
  const rest = online.length > onlineNamesMax ? [`${online.length - onlineNamesMax} more`] : [];
  const who = online.length === 0 ? "no one online" : `online: ${[...names, ...rest].join(", ")}`;
  return { value: slug, name: oneLine(title), beside: `${counted(teams, "team")}, ${who}` };
}

async function askTeam(
  prompter: Prompter,
  scene: LaunchScene,
  { session, last }: { readonly session: NamedSession; readonly last: LastAnswers },
): Promise<string> {
  return prompter.text({
    message: "Team",
    default: (await findLastTeam(scene, session)) ?? last.team ?? (await findOwnTeam(scene)),
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
  { broker, config: { home }, meshId, folder }: LaunchScene,
  { session, team, defaultName }: { session: NamedSession; team: string; defaultName: string },
): Promise<StoredPeer | undefined> {
  const found = session.kind === "named" ? await findSession(broker, session.name) : null;
  if (!found) return undefined;
  const wanted = { home, meshId, sessionId: found.session_id, teamName: team, folder };
  return findFreeStoredPeer({ ...wanted, defaultPeerName: defaultName });
}
