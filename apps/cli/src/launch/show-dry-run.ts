import type { BrokerClient } from "../broker-client.js";
import { exitCodes } from "../cli-error.js";
import type { CommandContext } from "../command.js";
import type { Wanted } from "../commands/launch.js";
import { oneLine } from "../one-line.js";
import { findFreeTeam } from "../teams/join-team.js";
import type { ChosenSession } from "./choose-session.js";
import { toClaudeCall } from "./claude-call.js";
import type { Claude } from "./find-claude.js";
import { toShellLine } from "./shell-quote.js";

interface DryRun {
  readonly context: CommandContext;
  readonly wanted: Wanted;
  readonly claude: Claude;
  readonly broker: BrokerClient;
  readonly chosen: ChosenSession;
  readonly place: { readonly home: string; readonly meshId: string; readonly teamName: string };
}

/** Stands for the id of a team that has not joined yet. */
const unknownTeamId = "TEAM_ID";

/** Shows what a launch would run, in words for a shell and in its configuration, and changes nothing (LAUNCH-8). */
export async function showDryRun({
  context,
  wanted,
  claude,
  broker,
  chosen,
  place,
}: DryRun): Promise<number> {
  const { output } = context;
  const slug = chosen.kind === "there" ? chosen.session.slug : chosen.slug;
  const held =
    chosen.kind === "there"
      ? await findFreeTeam({ ...place, sessionId: chosen.session.session_id })
      : undefined;
  const team = held ?? { slug, team_id: unknownTeamId, team_name: place.teamName };
  const { args, env, configFile, config } = toClaudeCall(
    { home: place.home, url: broker.base, team },
    wanted.claudeArgs,
  );
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${toShellLine([value])}`);
  const line = [...assignments, toShellLine([claude.path, ...args])].join(" ");
  output.note(whatWouldHappen(chosen, oneLine(team.team_name), held !== undefined));
  output.show(
    {
      session: slug,
      creates_session: chosen.kind === "new",
      team: team.team_name,
      resumes_team: held !== undefined,
      command: [claude.path, ...args],
      env,
      config_file: configFile,
      config,
    },
    `${line}\n\n${configFile}:\n${JSON.stringify(config, null, 2)}`,
  );
  return exitCodes.done;
}

function whatWouldHappen(chosen: ChosenSession, team: string, resumes: boolean): string {
  const session = chosen.kind === "there" ? chosen.session.slug : chosen.slug;
  const first =
    chosen.kind === "there" ? `would join ${session}` : `would make session ${session} and join it`;
  return `${first} as ${team}${resumes ? ", a team that this machine holds" : ", a new team"}, and run:`;
}
