import type { InputOf } from "@merkle/wire";
import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { toSeconds } from "../command/flag-values.js";
import { type Flags, isSet, textOf } from "../command/flags.js";
import { refuseAgentShell } from "../command/refuse-agent-shell.js";
import { exitCodes, usageError } from "../core/cli-error.js";
import { getSession } from "../sessions/find-session.js";
import { counted, toMoment } from "../text/time.js";

export const invite: Command = {
  name: "invite",
  summary: "make an invite for somebody else: to a session, or to the mesh alone",
  arguments: [{ name: "[session]", summary: "slug, id or exact title; the mesh alone unless told" }],
  flags: [
    { flags: "--uses <number>", summary: "how many it lets in; 1 unless told" },
    { flags: "--expires <time>", summary: "how long it is good for: 30m, 24h, 7d; 24h unless told" },
    { flags: "--admin", summary: "who comes by it is an admin, who can also revoke you" },
    { flags: "--code", summary: "also make a code that can be spoken, good for ten minutes" },
  ],
  examples: [
    "merkle invite split-auth",
    "merkle invite split-auth --uses 5 --expires 7d",
    "merkle invite --code",
    "merkle invite list",
    "merkle invite revoke 31",
  ],
  async run({ args: [name], flags, config, output, signal }) {
    refuseAgentShell(config);
    const wanted = await readWanted(flags);
    const broker = await findBroker(config, signal);
    const session = name === undefined ? undefined : await getSession(broker, name, config);
    const made = await broker.call("create_invite", {
      ...wanted,
      ...(session && { session_id: session.session_id }),
    });
    output.show(made, made.code === null ? made.link : `${made.link}\n${made.code}`);
    const uses = `${counted(made.uses_left, "use")}, until ${toMoment(made.expires_at)}`;
    output.note(
      `  ${uses}; whoever has it comes in: hand it over in private. revoke: merkle invite revoke ${made.invite_id}`,
    );
    if (made.code !== null)
      output.note(`  the code is good for ten minutes: merkle join ${made.code} --url ${broker.base}`);
    return exitCodes.done;
  },
};

async function readWanted(flags: Flags): Promise<InputOf<"create_invite">> {
  const [uses, expires] = [textOf(flags, "uses"), textOf(flags, "expires")];
  if (uses !== undefined && !/^[1-9]\d{0,3}$/.test(uses)) {
    throw usageError(`--uses must be a whole number from 1 to 1000, got ${JSON.stringify(uses)}.`);
  }
  return {
    ...(uses !== undefined && { uses: Number(uses) }),
    ...(expires !== undefined && { expires_in_s: toSeconds(expires, "--expires") }),
    ...(isSet(flags, "admin") && { role: "admin" as const }),
    ...(isSet(flags, "code") && { code: true }),
  };
}
