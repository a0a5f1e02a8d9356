import { clients } from "../clients/clients.js";
import { findFlag } from "../core/flags.js";
import { findStoredPeer, toStoredPeerId } from "../home/stored-peers.js";
import { toOneLine } from "../text/one-line.js";
import { toShellLine } from "../text/shell.js";
import { formatCount } from "../text/time.js";
import { findExpectedPeer } from "./choose-peer.js";
import type { ChosenSession } from "./choose-session.js";
import type { EnteredSession } from "./enter-session.js";
import type { PreparedLaunch } from "./prepared-launch.js";

/** Prints the default session or team that the launch uses, unless the user named them. */
export function printDefaults({ context: { output }, session, peer: { team } }: PreparedLaunch): void {
  if (session.kind === "new" || session.from === undefined) return;
  output.note(
    `  Session ${toOneLine(session.name)} (${reasons[session.from]}), team ${toOneLine(team)}; choose others with --session and --team`,
  );
}

const reasons = {
  repository: "this repository's name",
  "last launch": "from the last launch in this folder",
  folder: "this folder's name",
} as const;

/** Prints who can read the peer's messages, and which program will run. Called before anything is changed. */
export async function printNotice(launch: PreparedLaunch, chosen: ChosenSession): Promise<void> {
  const { context, options, program } = launch;
  const { output } = context;
  const { expected } = await findExpectedPeer({ ...launch, config: context.config }, chosen);
  const title = chosen.kind === "there" ? chosen.session.title : chosen.title;
  const { client, userArgs } = options;
  const runs = toShellLine([...(client.isDriven ? [] : [client.program]), ...userArgs]);
  const { advice } = options.client.getWakeAbility(program.version);
  output.note(
    "  Teams here can read what this peer posts. merkle adds no permission flags; pass yours after --",
  );
  output.note(
    `  Runs   ${toOneLine(runs)}   as ${toOneLine(expected.peer_name ?? expected.team_name)} in "${toOneLine(title)}"`,
  );
  for (const each of [advice, options.client.hint]) {
    if (each !== undefined) output.note(`${output.mark.warn} ${each}`);
  }
}

/** Prints which session the agent has joined, and the command that repeats this launch. */
export async function printEntered(
  launch: PreparedLaunch,
  { isNewSession, storedPeer, joined, isResumed }: EnteredSession,
): Promise<void> {
  const { broker, session, options, context } = launch;
  const { output } = context;
  const { last_sequence } = await broker.call("get_session", { session_id: storedPeer.session_id });
  const why = session.kind === "new" ? "" : "; no session had that name";
  if (isNewSession) output.note(`${output.mark.ok} Created session ${storedPeer.slug}${why}`);
  else if (options.concludeBy)
    output.note(
      `${output.mark.warn} Session ${storedPeer.slug} exists: --conclude-by applies to new ones only`,
    );
  output.note(
    `${output.mark.ok} ${isResumed ? "Back" : "Joined"} as ${describePeer(storedPeer)}, ` +
      `${formatCount(last_sequence, "message")} so far, ${joined.document_version === 0 ? "no document yet" : `document v${joined.document_version}`}`,
  );
  output.note(`  Same again:  ${toOneLine(toShellLine(toRepeatCommand(launch, storedPeer)))}`);
}

/**
 * Prints the command that resumes the client's conversation as this peer. Prints nothing for Claude Code,
 * which shows such a command itself.
 */
export async function printResumeCommand(
  { options: { client }, context }: PreparedLaunch,
  storedPeer: EnteredSession["storedPeer"],
): Promise<void> {
  const { home } = context.config;
  const conversation = (await findStoredPeer(home, toStoredPeerId(storedPeer)))?.claude_session_id;
  if (!conversation || client === clients[0] || client.isDriven) return;
  const mesh = findImplicitMesh(context);
  const line = [
    ...["merkle", "launch", ...(mesh === undefined ? [] : ["--mesh", mesh]), "--client", client.name, "-y"],
    ...["--", ...client.resume(conversation)],
  ];
  context.output.note(`  Continue:  ${toOneLine(toShellLine(line))}`);
}

/**
 * Formats a peer with its team, such as `atlas (Alex's Team)`. Returns only the team's name if the peer has
 * no name.
 */
export function describePeer({
  peer_name: peer,
  team_name: team,
}: {
  peer_name: string | null;
  team_name: string;
}): string {
  return peer === null ? toOneLine(team) : `${toOneLine(peer)} (${toOneLine(team)})`;
}

/**
 * Returns the mesh to name in printed commands, if it comes from a prompt or the configuration. A mesh from a
 * flag is added to all suggested commands anyway (CLI-140).
 */
function findImplicitMesh({ flags, config }: PreparedLaunch["context"]): string | undefined {
  return findFlag(flags, "mesh") === undefined ? config.mesh : undefined;
}

function toRepeatCommand(
  { context, options, peer }: PreparedLaunch,
  storedPeer: EnteredSession["storedPeer"],
): string[] {
  const { agent, client, userArgs } = options;
  const flag = (name: string, value: string | null | undefined) => (value ? [name, value] : []);
  return [
    ...["merkle", "launch", "--session", storedPeer.slug, "--team", storedPeer.team_name],
    ...(client.name === clients[0]?.name ? [] : ["--client", client.name]),
    ...flag("--mesh", findImplicitMesh(context)),
    ...flag("--name", storedPeer.peer_name),
    ...flag("--role", peer.role),
    ...flag("--groups", peer.groups?.join(",")),
    ...flag("--wake", options.wake),
    ...flag("--model", agent.model),
    ...flag("--tools", agent.tools),
    ...(agent.hasChannel ? ["--channel"] : []),
    ...(agent.isInterruptible ? ["--interruptible"] : []),
    ...(agent.approvers.length > 0 ? ["--approvals"] : []),
    ...(agent.hasOwnWords ? ["--own-words"] : []),
    "-y",
    ...(userArgs.length > 0 ? ["--", ...userArgs] : []),
  ];
}
