import type { OutputOf } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import type { ReachableAddress } from "../../broker/reach.js";
import { requireKnown } from "../../broker/trust.js";
import type { Command } from "../../command/command.js";
import { refuseAgentShell } from "../../core/agent-shell.js";
import { exitCodes } from "../../core/cli-error.js";
import { chooseMember, listMembers, saveMember } from "../../home/members.js";
import { getPersonActor } from "../../identity/actors.js";
import type { Config } from "../../settings/config.js";

export const meshCreate: Command = {
  name: "mesh create",
  summary: "create a mesh: a separate workspace on this broker",
  arguments: [{ name: "<name>", summary: "letters, digits, . _ and -" }],
  examples: ["merkle mesh create billing"],
  async run({ args: [name = ""], config, output, signal }) {
    refuseAgentShell(config);
    const broker = await findBroker(config, signal);
    const made = await getPersonActor({ broker, config }).call("create_mesh", { name });
    await keepMesh(made, { address: broker.address, config });
    output.show(made, `${output.mark.ok} created mesh ${made.name}`);
    output.note(`  use it, or set it in MERKLE_MESH or .merkle.json: merkle ls --mesh ${made.name}`);
    return exitCodes.done;
  },
};

/**
 * Stores the membership in a new mesh. The creator is an admin of that mesh, with the same key as in the
 * current mesh.
 */
async function keepMesh(
  { mesh_id, name, member_id }: OutputOf<"create_mesh">,
  { address, config }: { readonly address: ReachableAddress; readonly config: Pick<Config, "home" | "mesh"> },
): Promise<void> {
  if (member_id === null) return;
  const members = await listMembers(config.home);
  const maker = chooseMember(members, { broker: { url: address.base }, mesh: config.mesh });
  if (!maker) return;
  await requireKnown({ mesh_id, broker_id: maker.broker_id }, { ...address, home: config.home });
  await saveMember(config.home, {
    ...maker,
    mesh_id,
    mesh: name,
    member_id,
    role: "admin",
    joined_at: new Date().toISOString(),
    token: null,
  });
}
