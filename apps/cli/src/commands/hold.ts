import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";
import { findFlag } from "../core/flags.js";
import { getSessionActor } from "../identity/actors.js";
import { getSession } from "../sessions/find-session.js";
import { toOneLine } from "../text/one-line.js";
import { formatCount } from "../text/time.js";

export const hold: Command = {
  name: "hold",
  summary: "pause agents: they can read but not post until a human resumes",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: [{ flags: "--reason <text>", summary: "reason, shown to agents" }],
  examples: ["merkle hold split-auth", 'merkle hold split-auth --reason "the key leaked, wait for me"'],
  async run({ args: [name], flags, config, output, signal }) {
    const reason = findFlag(flags, "reason");
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, name, config);
    const actor = await getSessionActor(session, { broker, config });
    const answer = await actor.call("hold_session", {
      session_id: session.session_id,
      ...(reason === undefined ? {} : { reason }),
    });
    const { held, teams } = answer;
    const why = held.reason === null ? "" : `: ${toOneLine(held.reason)}`;
    output.show(
      answer,
      `${output.mark.ok} held by ${toOneLine(held.by)} for ${formatCount(teams, "team")}${why}; work already running on their machines continues`,
    );
    output.note(`  resume it: merkle resume ${session.slug}`);
    return exitCodes.done;
  },
};
