import { basename } from "node:path";
import { isUuid, type Session } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { createSlug } from "@merkle/wire/slug";
import { neutralise } from "@merkle/wire/text";
import type { BrokerClient } from "../broker/broker-client.js";
import type { Prompter } from "../command/ask.js";
import { CliError, exitCodes, usageError } from "../core/cli-error.js";
import { sha256 } from "../core/sha256.js";
import { listStoredPeers, type StoredPeer } from "../home/stored-peers.js";
import { findProject } from "../sessions/find-project.js";
import { findNearSession, findSession } from "../sessions/find-session.js";
import type { Config } from "../settings/config.js";
import { cutToWidth } from "../text/display-width.js";
import { toOneLine } from "../text/one-line.js";
import { formatCount } from "../text/time.js";
import type { LaunchBroker } from "./choose-broker.js";
import { findTitleProblem, type NamedSession } from "./launch-options.js";

/**
 * The session for a launch: an existing session, or one to create. For a new session without a slug, the
 * broker chooses one.
 */
export type ChosenSession =
  | { readonly kind: "there"; readonly session: Session }
  | { readonly kind: "new"; readonly slug: string | undefined; readonly title: string };

/** The context in which a launch chooses its session: broker, home and folder. */
export interface LaunchScene extends LaunchBroker {
  readonly config: Pick<Config, "home" | "personName">;
  /** The worktree in which the agent works or, outside a repository, the agent's folder. */
  readonly folder: string;
}

/** Asks at the terminal whether the user meant an existing session with a similar name. */
type ConfirmSimilarSession = (name: string, near: Session) => Promise<boolean>;

/**
 * Returns the session with this slug, id or exact title, or else a new session of that name. If an open
 * session has a similar name, asks the user which is meant (LAUNCH-2). `--new` always creates a session.
 *
 * @param ask - null if no one can be asked
 * @throws CliError `not_found` that names the similar session; `session_closed`; `conflict` if several
 * sessions have this title
 */
export async function chooseSession(
  broker: Pick<BrokerClient, "call">,
  named: NamedSession,
  ask: ConfirmSimilarSession | null,
): Promise<ChosenSession> {
  if (named.kind === "new") return { kind: "new", slug: undefined, title: named.title };
  const { name } = named;
  const session = await findSession(broker, name);
  if (session) return requireJoinable(session);
  if (isUuid(name)) throw notFound(name, undefined);
  const slug = toSlug(name);
  // Best match: the session whose slug would be derived from the same name.
  const slugOwner = slug === name ? null : await findSession(broker, slug);
  // The name comes from the folder and was not typed, so a similar name is not a typing mistake.
  if (named.from === "folder")
    return slugOwner ? requireJoinable(slugOwner) : { kind: "new", slug, title: name };
  const near = slugOwner ?? (await findSimilar(broker, name));
  if (!near) return { kind: "new", slug, title: name };
  // Another machine has created a session with exactly this name since the first lookup.
  if (near.title === name || near.slug === name) return requireJoinable(near);
  if (!ask) throw notFound(name, near);
  if (await ask(name, near)) return requireJoinable(near);
  return { kind: "new", slug, title: name };
}

function requireJoinable(session: Session): ChosenSession {
  if (session.status === "active") return { kind: "there", session };
  throw new CliError(
    "session_closed",
    `${JSON.stringify(neutralise(session.title))} is concluded: you can read it, but not join it.`,
    { exitCode: exitCodes.session_closed, next: [`merkle doc show ${session.slug}`, "merkle ls"] },
  );
}

/**
 * Returns an open session with a similar name, or null. Ignores concluded sessions, because a name similar to
 * theirs is probably meant for a successor.
 */
async function findSimilar(broker: Pick<BrokerClient, "call">, name: string): Promise<Session | null> {
  const near = await findNearSession(broker, name);
  if (near?.status !== "active") return null;
  return differOnlyInNumber(name, near.slug) || differOnlyInNumber(name, near.title) ? null : near;
}

/**
 * Returns whether two names differ only in a number, in which case neither is a typing mistake: `sprint-13`
 * is not a mistyped `sprint-12`.
 */
function differOnlyInNumber(a: string, b: string): boolean {
  const toLetters = (text: string) => text.toLowerCase().replace(/[^\p{L}]/gu, "");
  const toDigits = (text: string) => text.replace(/\D/g, "");
  return toLetters(a) === toLetters(b) && toDigits(a) !== toDigits(b);
}

/**
 * Derives a new session's slug from its name only, so that two machines that launch at the same time request
 * the same slug. For a name without usable letters, the slug is derived from the name's hash.
 */
function toSlug(name: string): string {
  return createSlug(name) || `session-${sha256(name).slice(0, 8)}`;
}

function notFound(name: string, near: Session | undefined): CliError {
  const problem = `There is no session ${JSON.stringify(neutralise(name))}.`;
  if (!near)
    return new CliError("not_found", problem, { exitCode: exitCodes.not_found, next: ["merkle ls"] });
  return new CliError(
    "not_found",
    `${problem} Did you mean ${near.slug}, ${JSON.stringify(neutralise(near.title))}?`,
    {
      exitCode: exitCodes.not_found,
      next: [`merkle launch --session ${near.slug}`, `or create a new session first: merkle new <title>`],
      details: { near: near.slug },
    },
  );
}

export function createSimilarSessionPrompt(prompter: Prompter): ConfirmSimilarSession {
  return (name, near) => {
    const [wanted, slug, title] = [name, near.slug, near.title].map((each) => neutralise(each));
    return prompter.confirm({
      message: `There is no session "${wanted}". Join ${slug}, "${title}", instead of creating a new session?`,
      default: true,
    });
  };
}

type DefaultSession = Extract<NamedSession, { kind: "named" }>;

/**
 * Returns the default session for a folder. In a repository, this is the session named after the repository,
 * so every clone and worktree uses the same session. Elsewhere it is the open session last launched from this
 * folder, or else one named after the folder. Undefined if the folder has no name.
 */
async function findDefaultSession(scene: LaunchScene): Promise<DefaultSession | undefined> {
  const { broker, folder } = scene;
  const project = await findProject(folder);
  if (project !== null) return { kind: "named", name: project, from: "repository" };
  const ids = new Set((await listPeersOfFolder(scene)).map((each) => each.session_id));
  for (const id of ids) {
    const session = await findSession(broker, id);
    if (session?.status === "active") return { kind: "named", name: session.slug, from: "last launch" };
  }
  const name = basename(folder).slice(0, limits.titleCharsMax).trim();
  return name === "" ? undefined : { kind: "named", name, from: "folder" };
}

/** Returns the default session for a folder. @throws CliError `usage` if the folder has no name */
export async function getDefaultSession(scene: LaunchScene): Promise<NamedSession> {
  const session = await findDefaultSession(scene);
  if (session) return session;
  throw usageError("merkle launch needs --session <slug, id or title> in this folder.", "merkle ls");
}

export function toNamedSession({ session_id: name }: Pick<StoredPeer, "session_id">): NamedSession {
  return { kind: "named", name };
}

/** Returns the stored peers that last ran in this folder, the most recent first. */
export async function listPeersOfFolder({ config, meshId, folder }: LaunchScene): Promise<StoredPeer[]> {
  return (await listStoredPeers(config.home, meshId)).filter((each) => each.folder === folder);
}

const newSessionValue = "+";
const defaultSessionValue = "=";

/**
 * Asks the user for the session. Lists the default session first and a new session second, so that a long
 * list does not hide them.
 */
export async function askSession(prompter: Prompter, scene: LaunchScene): Promise<NamedSession> {
  const { broker } = scene;
  const firstPage = await listOpen(broker, "");
  const defaultSession = await findDefaultSession(scene);
  const existing = defaultSession && (await findSession(broker, defaultSession.name));
  const defaultChoice =
    defaultSession &&
    (existing ? toChoice(existing) : { name: `+ ${toOneLine(defaultSession.name)}`, beside: "new" });
  let typed = "";
  const choices = async (text: string) => {
    typed = text.trim();
    // If all sessions fit on one page, they are filtered here. Otherwise the broker searches.
    const matches = firstPage.isAll
      ? firstPage.sessions.filter(createMatcher(typed))
      : (await listOpen(broker, typed)).sessions;
    const others = matches.filter(({ session_id }) => typed !== "" || session_id !== existing?.session_id);
    return [
      ...(defaultChoice && typed === "" ? [{ ...defaultChoice, value: defaultSessionValue }] : []),
      ...(typed === "" ? [newChoice] : []),
      ...others.map(toChoice),
      ...(typed === "" ? [] : [newChoice]),
    ];
  };
  // If there are no open sessions, skip the list and ask for a title.
  const hasOpenSessions = firstPage.sessions.length > 0;
  const chosen = hasOpenSessions
    ? await prompter.choose({ message: "Session", listChoices: choices })
    : newSessionValue;
  if (chosen === defaultSessionValue && defaultSession) return defaultSession;
  if (chosen !== newSessionValue) return { kind: "named", name: chosen };
  const title = await prompter.askText({
    message: "Title of the new session",
    default: typed || (hasOpenSessions ? undefined : defaultSession?.name),
    findProblem: findTitleProblem,
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

function createMatcher(text: string): (session: Session) => boolean {
  const query = text.toLowerCase();
  return ({ slug, title }) => slug.includes(query) || title.toLowerCase().includes(query);
}

const newChoice = { value: newSessionValue, name: "+ New session…" };

const onlineNamesMax = 3;

function toChoice({ slug, title, teams, present }: Session) {
  const online = present.filter(({ status }) => status !== "disconnected");
  const names = online
    .slice(0, onlineNamesMax)
    .map(({ team_name }) => cutToWidth(toOneLine(team_name), 16, "…"));
  const rest = online.length > onlineNamesMax ? [`${online.length - onlineNamesMax} more`] : [];
  const who = online.length === 0 ? "no one online" : `online: ${[...names, ...rest].join(", ")}`;
  return { value: slug, name: toOneLine(title), beside: `${formatCount(teams, "team")}, ${who}` };
}
