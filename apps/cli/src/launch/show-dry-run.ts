import { toReach } from "../broker/reach.js";
import { exitCodes } from "../core/cli-error.js";
import { toShellLine } from "../text/shell.js";
import type { ChosenSession } from "./choose-session.js";
import { toClaudeCall } from "./claude-call.js";
import { expectedPeer, unknownPlaceId } from "./expected-peer.js";
import type { Launching } from "./launching.js";
import { whoIn } from "./tell-launch.js";

/**
 * Shows what a launch would run, in words for a shell and in its configuration, and changes nothing (LAUNCH-8). Of the
 * settings our own are shown: the user's may hold a secret.
 */
export async function showDryRun(launching: Launching, chosen: ChosenSession): Promise<number> {
  const { context, wanted, claude, broker, hooks } = launching;
  const { output, config } = context;
  const { place, taken } = await expectedPeer(launching, chosen);
  const call = toClaudeCall(
    { ...toReach(config), url: broker.base, team: place },
    { ...wanted.agent, userArgs: wanted.claude.others },
  );
  const assignments = Object.entries(call.env).map(([name, value]) => `${name}=${toShellLine([value])}`);
  const line = [...assignments, toShellLine([claude.path, ...call.args])].join(" ");
  const who = whoIn(place);
  output.note(`${whatWouldHappen(chosen)} as ${who}, ${taken}, and run:`);
  if (wanted.claude.settings !== undefined)
    output.note("(your --settings come on top of the settings below)");
  output.show(
    {
      session: place.slug,
      creates_session: chosen.kind === "new",
      team: place.team_name,
      peer: place.peer_name,
      resumes: place.peer_id !== unknownPlaceId,
      command: [claude.path, ...call.args],
      env: call.env,
      config_file: call.configFile,
      config: call.config,
      settings_file: call.settingsFile,
      settings: hooks,
    },
    [line, fileText(call.configFile, call.config), fileText(call.settingsFile, hooks)].join("\n\n"),
  );
  return exitCodes.done;
}

function whatWouldHappen(chosen: ChosenSession): string {
  if (chosen.kind === "there") return `would join ${chosen.session.slug}`;
  return `would make session ${chosen.slug ?? JSON.stringify(chosen.title)} and join it`;
}

function fileText(path: string, content: unknown): string {
  return `${path}:\n${JSON.stringify(content, null, 2)}`;
}
