import type { LaunchFile } from "../clients/client.js";
import { exitCodes } from "../core/cli-error.js";
import { toShellLine } from "../text/shell.js";
import { findExpectedPeer, unknownPeerId } from "./choose-peer.js";
import type { ChosenSession } from "./choose-session.js";
import type { PreparedLaunch } from "./prepared-launch.js";
import { describePeer } from "./print-launch.js";
import { toLaunchCall } from "./to-launch-call.js";

/**
 * Shows what a launch would run, as a shell command and files, without changing anything (LAUNCH-8). Shows
 * only Merkle's own settings, because the user's settings may contain a secret.
 */
export async function showDryRun(launch: PreparedLaunch, chosen: ChosenSession): Promise<number> {
  const { context, program } = launch;
  const { output } = context;
  const { expected, origin } = await findExpectedPeer({ ...launch, config: context.config }, chosen);
  const call = await toLaunchCall(launch, expected);
  const assignments = Object.entries(call.env).map(([name, value]) => `${name}=${toShellLine([value])}`);
  const line = [...assignments, toShellLine([program.path, ...program.args, ...call.args])].join(" ");
  const companion = call.companion && toShellLine([program.path, ...program.args, ...call.companion.args]);
  const who = describePeer(expected);
  output.note(`${describeEntry(chosen)} as ${who}, ${origin}, and run:`);
  if (call.files.some(({ content, shown = content }) => shown !== content))
    output.note("(your --settings override the settings below)");
  // Do not wrap the command and the files, so that they can be copied.
  const shown = [
    line,
    ...(companion === undefined ? [] : [`beside it: ${companion}`]),
    ...(call.acp ? [`its MCP server:\n${JSON.stringify(call.acp.server, null, 2)}`] : []),
    ...call.files.map(formatFile),
  ];
  output.print(
    {
      session: expected.slug,
      creates_session: chosen.kind === "new",
      team: expected.team_name,
      peer: expected.peer_name,
      resumes: expected.peer_id !== unknownPeerId,
      command: [program.path, ...program.args, ...call.args],
      env: call.env,
      beside: call.companion ? [program.path, ...program.args, ...call.companion.args] : null,
      mcp_server: call.acp?.server ?? null,
      files: call.files.map(({ path, content, shown = content }) => ({ path, content: shown })),
    },
    `${shown.join("\n\n")}\n`,
  );
  return exitCodes.done;
}

function describeEntry(chosen: ChosenSession): string {
  if (chosen.kind === "there") return `would join ${chosen.session.slug}`;
  return `would create session ${chosen.slug ?? JSON.stringify(chosen.title)} and join it`;
}

function formatFile({ path, content, shown = content }: LaunchFile): string {
  return `${path}:\n${shown.trimEnd()}`;
}
