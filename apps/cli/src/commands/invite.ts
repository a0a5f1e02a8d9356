import type { InputOf } from "@merkle/wire";
import { isLoopbackAddress } from "@merkle/wire/text";
import { findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import { refuseAgentShell } from "../core/agent-shell.js";
import { exitCodes, usageError } from "../core/cli-error.js";
import { toSeconds } from "../core/flag-values.js";
import { type Flags, findFlag, isSet } from "../core/flags.js";
import { getSession } from "../sessions/find-session.js";
import { formatCount, toMoment } from "../text/time.js";

export const invite: Command = {
  name: "invite",
  summary: "create an invite to a session, or only to the mesh",
  arguments: [{ name: "[session]", summary: "session slug, id or exact title (default: only the mesh)" }],
  flags: [
    { flags: "--uses <number>", summary: "number of people who can join with it (default: 1)" },
    { flags: "--expires <time>", summary: "lifetime: 30m, 24h, 7d (default: 24h)" },
    { flags: "--admin", summary: "invite as admin (admins can revoke you)" },
    { flags: "--code", summary: "also create a short code to read out, valid for ten minutes" },
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
    const input = await readInviteInput(flags);
    const broker = await findBroker(config, signal);
    const [session, { base_url }] = await Promise.all([
      name === undefined ? undefined : getSession(broker, name, config),
      broker.call("get_app_info", {}),
    ]);
    if (isLoopbackAddress(base_url)) {
      output.note(
        "  The link works only on the broker's machine. For others, start the broker with an address that they can reach:",
      );
      output.note("    merkle up --public-url https://mesh.example.com");
    }
    const made = await broker.call("create_invite", {
      ...input,
      ...(session && { session_id: session.session_id }),
    });
    output.show(made, made.code === null ? made.link : `${made.link}\n${made.code}`);
    const uses = `${formatCount(made.uses_left, "use")}, until ${toMoment(made.expires_at)}`;
    output.note(
      `  ${uses}. Anyone who has it can join, in a browser or by merkle join -. Share it privately.`,
    );
    output.note(`  revoke: merkle invite revoke ${made.invite_id}`);
    if (made.code !== null)
      output.note(`  the code is valid for ten minutes: merkle join ${made.code} --url ${broker.base}`);
    return exitCodes.done;
  },
};

async function readInviteInput(flags: Flags): Promise<InputOf<"create_invite">> {
  const [uses, expires] = [findFlag(flags, "uses"), findFlag(flags, "expires")];
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
