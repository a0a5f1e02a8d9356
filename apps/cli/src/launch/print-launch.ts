import { clients } from "../clients/clients.js";
import { textOf } from "../core/flags.js";
import { findStoredPeer, storedPeerId } from "../home/stored-peers.js";
import { oneLine } from "../text/one-line.js";
import { toShellLine } from "../text/shell.js";
import { counted } from "../text/time.js";
import { findExpectedPeer } from "./as-whom.js";
import type { EnteredSession } from "./enter-session.js";
import type { Launching } from "./launching.js";
import type { ChosenSession } from "./which-session.js";

/** Prints the default session or team that the launch uses, unless the user named them. */
export function printDefaults({ context: { output }, session, peer: { team } }: Launching): void {
  if (session.kind === "new" || session.from === undefined) return;
  output.note(
    `  Session ${oneLine(session.name)} (${reasons[session.from]}), team ${oneLine(team)}; choose others with --session and --team`,
  );
}

const reasons = {
  repository: "this repository's name",
  "last launch": "from the last launch in this folder",
  folder: "this folder's name",
} as const;

/** Prints who can read the peer's messages, and which program will run. Called before anything is changed. */
export async function printNotice(launching: Launching, chosen: ChosenSession): Promise<void> {
  const { context, wanted, program } = launching;
  const { output } = context;
  const { expected } = await findExpectedPeer({ ...launching, config: context.config }, chosen);
  const title = chosen.kind === "there" ? chosen.session.title : chosen.title;
  const runs = toShellLine([wanted.client.program, ...wanted.userArgs]);
  const { advice } = wanted.client.wakePathsOf(program.version);
  output.note(
    "  Teams here can read what this peer posts. merkle adds no permission flags; pass yours after --",
  );
  output.note(
    `  Runs   ${oneLine(runs)}   as ${oneLine(expected.peer_name ?? expected.team_name)} in "${oneLine(title)}"`,
  );
  for (const each of [advice, wanted.client.hint]) {
    if (each !== undefined) output.note(`${output.mark.warn} ${each}`);
  }
}

/** Prints which session the agent has joined, and the command that repeats this launch. */
export async function printEntered(
  launching: Launching,
  { created, held, joined, resumed }: EnteredSession,
): Promise<void> {
  const { broker, session, wanted, context } = launching;
  const { output } = context;
  const { last_sequence } = await broker.call("get_session", { session_id: held.session_id });
  const why = session.kind === "new" ? "" : "; no session had that name";
  if (created) output.note(`${output.mark.ok} Created session ${held.slug}${why}`);
  else if (wanted.concludeBy)
    output.note(`${output.mark.warn} Session ${held.slug} exists: --conclude-by applies to new ones only`);
  output.note(
    `${output.mark.ok} ${resumed ? "Back" : "Joined"} as ${describePeer(held)}, ` +
      `${counted(last_sequence, "message")} so far, ${joined.document_version === 0 ? "no document yet" : `document v${joined.document_version}`}`,
  );
  output.note(`  Same again:  ${oneLine(toShellLine(toRepeatCommand(launching, held)))}`);
}

/**
 * Prints the command that resumes the client's conversation as this peer. Prints nothing for Claude Code,
 * which shows such a command itself.
 */
export async function printResumeCommand(
  { wanted: { client }, context }: Launching,
  held: EnteredSession["held"],
): Promise<void> {
  const { home } = context.config;
  const conversation = (await findStoredPeer(home, storedPeerId(held)))?.claude_session_id;
  if (!conversation || client === clients[0]) return;
  const mesh = findImplicitMesh(context);
  const line = [
    ...["merkle", "launch", ...(mesh === undefined ? [] : ["--mesh", mesh]), "--client", client.name, "-y"],
    ...["--", ...client.resume(conversation)],
  ];
  context.output.note(`  Continue:  ${oneLine(toShellLine(line))}`);
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
  return peer === null ? oneLine(team) : `${oneLine(peer)} (${oneLine(team)})`;
}

/**
 * Returns the mesh to name in printed commands, if it comes from a prompt or the configuration. A mesh from a
 * flag is added to all suggested commands anyway (CLI-140).
 */
function findImplicitMesh({ flags, config }: Launching["context"]): string | undefined {
  return textOf(flags, "mesh") === undefined ? config.mesh : undefined;
}

function toRepeatCommand({ context, wanted, peer }: Launching, held: EnteredSession["held"]): string[] {
  const { agent, client, userArgs } = wanted;
  const flag = (name: string, value: string | null | undefined) => (value ? [name, value] : []);
  return [
    ...["merkle", "launch", "--session", held.slug, "--team", held.team_name],
    ...(client.name === clients[0]?.name ? [] : ["--client", client.name]),
    ...flag("--mesh", findImplicitMesh(context)),
    ...flag("--name", held.peer_name),
    ...flag("--role", peer.role),
    ...flag("--groups", peer.groups?.join(",")),
    ...flag("--model", agent.model),
    ...flag("--tools", agent.tools),
    ...(agent.channel ? ["--channel"] : []),
    ...(agent.interruptible ? ["--interruptible"] : []),
    "-y",
    ...(userArgs.length > 0 ? ["--", ...userArgs] : []),
  ];
}
