import type { LaunchFile } from "../clients/client.js";
import { exitCodes } from "../core/cli-error.js";
import { toShellLine } from "../text/shell.js";
import type { ChosenSession } from "./choose-session.js";
import { expectedPeer, unknownPlaceId } from "./expected-peer.js";
import type { Launching } from "./launching.js";
import { whoIn } from "./tell-launch.js";
import { toLaunchCall } from "./to-launch-call.js";

/**
 * Shows what a launch would run, in words for a shell and in its configuration, and changes nothing (LAUNCH-8). Of the
 * settings our own are shown: the user's may hold a secret.
 */
export async function showDryRun(launching: Launching, chosen: ChosenSession): Promise<number> {
  const { context, program } = launching;
  const { output } = context;
  const { place, taken } = await expectedPeer(launching, chosen);
  const call = await toLaunchCall(launching, place);
  const assignments = Object.entries(call.env).map(([name, value]) => `${name}=${toShellLine([value])}`);
  const line = [...assignments, toShellLine([program.path, ...program.args, ...call.args])].join(" ");
  const beside = call.beside && toShellLine([program.path, ...program.args, ...call.beside.args]);
  const who = whoIn(place);
  output.note(`${whatWouldHappen(chosen)} as ${who}, ${taken}, and run:`);
  if (call.files.some(({ content, shown = content }) => shown !== content))
    output.note("(your --settings override the settings below)");
  // It is a line for a shell, and files: what is copied has no breaks of ours.
  const shown = [
    line,
    ...(beside === undefined ? [] : [`beside it: ${beside}`]),
    ...call.files.map(fileText),
  ];
  output.print(
    {
      session: place.slug,
      creates_session: chosen.kind === "new",
      team: place.team_name,
      peer: place.peer_name,
      resumes: place.peer_id !== unknownPlaceId,
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
