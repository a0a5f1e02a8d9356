import { neutralise } from "@merkle/wire/text";
import type { Command } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";
import { findFlag } from "../core/flags.js";
import { getSystemUserName } from "../core/system-user.js";
import {
  findInvitingBroker,
  isJoined,
  joinMesh,
  readInvite,
  refuseEndedInvite,
  saveAddress,
} from "../identity/join-mesh.js";
import { readLastAnswers, saveLastAnswers } from "../launch/last-answers.js";
import { toShellWord } from "../text/shell.js";
import { formatCount, toMoment } from "../text/time.js";

export const join: Command = {
  name: "join",
  summary: "join a mesh with an invite link or a spoken code",
  arguments: [
    { name: "[invite]", summary: "invite link or code; - reads it from stdin (default: hidden prompt)" },
  ],
  flags: [
    {
      flags: "--name <name>",
      summary: "your name there (default: your system user name)",
    },
    { flags: "--team <name>", summary: "team that merkle launch suggests first" },
  ],
  examples: [
    "merkle join -",
    "merkle join 31-7KQ2-M4XD --url https://mesh.example.com",
    "merkle join - < invite.txt",
  ],
  async run(context) {
    const { flags, config, output } = context;

    const invite = await readInvite(context);
    const broker = await findInvitingBroker(invite, context);
    const preview = await broker.call("preview_invite", { invite: invite.words });
    if (!(await isJoined(config, preview.mesh_id))) refuseEndedInvite(preview);
    const to = neutralise(preview.title === null ? `the mesh ${preview.mesh}` : `"${preview.title}"`);
    const left = `${formatCount(preview.uses_left, "use")} left, until ${toMoment(preview.expires_at)}`;
    output.note(
      `  ${neutralise(preview.inviter)} invites you to ${to} at ${broker.base}, as ${preview.role} (${left})`,
    );

    const name = findFlag(flags, "name") ?? config.personName ?? getSystemUserName();
    const { joined } = await joinMesh(broker, { words: invite.words, preview, name }, config.home);
    const isSaved = await saveAddress(broker, context);
    const team = findFlag(flags, "team");
    const { broker_id: _broker, ...membership } = joined;
    if (team !== undefined) {
      const answers = await readLastAnswers(config.home);
      const session = joined.session?.slug ?? answers.session;
      await saveLastAnswers(config.home, { ...answers, ...(session !== undefined && { session }), team });
    }
    const asTeam = team === undefined ? "" : ` --team ${toShellWord(team)}`;
    output.show(
      { broker: broker.base, ...membership },
      `${output.mark.ok} joined ${to} as ${neutralise(joined.name)}`,
    );
    if (isSaved)
      output.note(`  commands now use ${broker.base}; to change it: merkle config set url <url> --local`);
    const inSession = joined.session ? ` --session ${joined.session.slug}` : "";
    output.note(`  next: merkle launch${inSession}${asTeam}, in your project's folder`);
    return exitCodes.done;
  },
};
