import type { Command } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";

export const show: Command = {
  name: "show",
  summary: "show a session: its purpose, its state, who is there",
  arguments: [{ name: "[session]", summary: "slug, id or exact title; MERKLE_SESSION unless told" }],
  examples: [
    "merkle show split-auth",
    'merkle show "Split the auth service"',
    "merkle show split-auth --json",
  ],
  async run({ args: [name], config, output, signal }) {
    const { findBroker } = await import("../broker/broker-client.js");
    const { getSession } = await import("../sessions/find-session.js");
    const { readingFrom } = await import("../identity/acting.js");
    const broker = await findBroker(config, signal);
    const found = await getSession(broker, name, config);
    const reader = await readingFrom({ broker, config });
    const session = await reader.call("get_session", { session_id: found.session_id });
    if (output.json) {
      output.show(session, "");
      return exitCodes.done;
    }
    const { formatSession } = await import("../show/session-page.js");
    output.show(session, await formatSession(session, { broker, output }));
    return exitCodes.done;
  },
};
