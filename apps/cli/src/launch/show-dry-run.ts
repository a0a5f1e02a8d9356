import type { LaunchFile } from "../clients/client.js";
import { exitCodes } from "../core/cli-error.js";
import { toShellLine } from "../text/shell.js";
import { findExpectedPeer, unknownPeerId } from "./as-whom.js";
import type { Launching } from "./launching.js";
import { describePeer } from "./print-launch.js";
import { toLaunchCall } from "./to-launch-call.js";
import type { ChosenSession } from "./which-session.js";

/**
 * Shows what a launch would run, as a shell command and files, without changing anything (LAUNCH-8). Shows
 * only Merkle's own settings, because the user's settings may contain a secret.
 */
export async function showDryRun(launching: Launching, chosen: ChosenSession): Promise<number> {
  const { context, program } = launching;
  const { output } = context;
  const { expected, origin } = await findExpectedPeer({ ...launching, config: context.config }, chosen);
  const call = await toLaunchCall(launching, expected);
  const assignments = Object.entries(call.env).map(([name, value]) => `${name}=${toShellLine([value])}`);
  const line = [...assignments, toShellLine([program.path, ...program.args, ...call.args])].join(" ");
  const beside = call.beside && toShellLine([program.path, ...program.args, ...call.beside.args]);
  const who = describePeer(expected);
  output.note(`${whatWouldHappen(chosen)} as ${who}, ${origin}, and run:`);
  if (call.files.some(({ content, shown = content }) => shown !== content))
    output.note("(your --settings override the settings below)");
  // Do not wrap the command and the files, so that they can be copied.
  const shown = [
    line,
    ...(beside === undefined ? [] : [`beside it: ${beside}`]),
    ...call.files.map(fileText),
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
      beside: call.beside ? [program.path, ...program.args, ...call.beside.args] : null,
      files: call.files.map(({ path, content, shown = content }) => ({ path, content: shown })),
    },
    `${shown.join("\n\n")}\n`,
  );
  return exitCodes.done;
}

function whatWouldHappen(chosen: ChosenSession): string {
  if (chosen.kind === "there") return `would join ${chosen.session.slug}`;
  return `would create session ${chosen.slug ?? JSON.stringify(chosen.title)} and join it`;
}

function fileText({ path, content, shown = content }: LaunchFile): string {
  return `${path}:\n${shown.trimEnd()}`;
}
