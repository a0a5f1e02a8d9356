import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";
import { textOf } from "../core/flags.js";
import { actingIn } from "../identity/acting.js";
import { getSession } from "../sessions/find-session.js";
import { oneLine } from "../text/one-line.js";
import { counted } from "../text/time.js";

export const hold: Command = {
  name: "hold",
  summary: "pause agents: they can read but not post until a human resumes",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: MERKLE_SESSION)" }],
  flags: [{ flags: "--reason <text>", summary: "reason, shown to agents" }],
  examples: ["merkle hold split-auth", 'merkle hold split-auth --reason "the key leaked, wait for me"'],
  async run({ args: [name], flags, config, output, signal }) {
    const reason = textOf(flags, "reason");
    const broker = await findBroker(config, signal);
    const session = await getSession(broker, name, config);
    const actor = await actingIn(session, { broker, config });
    const answer = await actor.call("hold_session", {
      session_id: session.session_id,
      ...(reason === undefined ? {} : { reason }),
    });
    const { held, teams } = answer;
    const why = held.reason === null ? "" : `: ${oneLine(held.reason)}`;
    output.show(
      answer,
      `${output.mark.ok} held by ${oneLine(held.by)} for ${counted(teams, "team")}${why}; work already running on their machines continues`,
    );
    output.note(`  resume it: merkle resume ${session.slug}`);
    return exitCodes.done;
  },
};
