import { canAsk } from "../ask.js";
import { type BrokerClient, findBroker } from "../broker-client.js";
import type { CommandContext } from "../command.js";
import type { Wanted } from "../commands/launch.js";
import { counted } from "../duration.js";
import { oneLine } from "../one-line.js";
import { askOnTerminal } from "./ask-whether-meant.js";
import { chooseSession } from "./choose-session.js";
import { toClaudeCall, writeMcpConfig } from "./claude-call.js";
import { toClaudeEnvironment } from "./claude-environment.js";
import { type EnteredSession, enterSession } from "./enter-session.js";
import { type Claude, findClaude } from "./find-claude.js";
import { runProgram } from "./run-program.js";
import { toShellLine } from "./shell-quote.js";
import { showDryRun } from "./show-dry-run.js";

/** Joins the session as the team, runs Claude Code as its agent, and resolves with the code that it ends with. */
export async function launchAgent(context: CommandContext, wanted: Wanted): Promise<number> {
  const { config, flags, signal } = context;
  // First what costs nothing: nobody joins for a program that is not there.
  const claude = await findClaude({ named: wanted.claudeBin });
  const broker = await findBroker(config, signal);
  const { mesh_id: meshId } = await broker.call("get_app_info", {});
  const ask = wanted.mayAsk && canAsk(flags) ? askOnTerminal(signal) : null;
  const chosen = await chooseSession(broker, wanted.session, ask);
  const place = { home: config.home, meshId, teamName: wanted.team };
  if (wanted.dryRun) return showDryRun({ context, wanted, claude, broker, chosen, place });

  const entered = await enterSession(chosen, { broker, ...place });
  try {
    await tellJoined(context, wanted, broker, entered);
    return await runClaude(context, wanted, { claude, broker, entered });
  } finally {
    await entered.hold.release();
  }
}

async function tellJoined(
  { output }: CommandContext,
  { claudeArgs }: Wanted,
  broker: BrokerClient,
  { created, held, joined, resumed }: EnteredSession,
): Promise<void> {
  const { last_sequence } = await broker.call("get_session", { session_id: held.session_id });
  const again = ["merkle", "launch", "--session", held.slug, "--team", held.team_name];
  const passed = claudeArgs.length > 0 ? ["--", ...claudeArgs] : [];
  if (created) output.note(`${output.mark.ok} Made session ${held.slug}; there was none of that name`);
  output.note(
    `${output.mark.ok} ${resumed && !created ? "Back" : "Joined"} as ${oneLine(held.team_name)}, ` +
      `${counted(last_sequence, "message")} so far, document v${joined.document_version}`,
  );
  output.note(
    "  Teams here can read what this peer posts. merkle adds no permission flags; pass yours after --",
  );
  output.note(`  Same again:  ${oneLine(toShellLine([...again, ...passed]))}`);
}

interface Run {
  readonly claude: Claude;
  readonly broker: BrokerClient;
  readonly entered: EnteredSession;
}

async function runClaude(
  { config: { home }, signal }: CommandContext,
  { claudeArgs }: Wanted,
  { claude, broker, entered: { held, hold } }: Run,
): Promise<number> {
  const call = toClaudeCall({ home, url: broker.base, team: held }, claudeArgs);
  const removeConfig = await writeMcpConfig(home, call);
  try {
    signal.throwIfAborted();
    return await runProgram({
      path: claude.path,
      args: call.args,
      env: toClaudeEnvironment(process.env, call.env),
      // It acts as the team even when this process is killed and it is not.
      onStart: (pid) => hold.include(pid),
    });
  } finally {
    await removeConfig();
  }
}
