import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";

export const meshCreate: Command = {
  name: "mesh create",
  summary: "make a mesh: a workspace of its own on this broker, apart from the others",
  arguments: [{ name: "<name>", summary: "letters, digits, . _ and -" }],
  examples: ["merkle mesh create billing"],
  async run({ args: [name = ""], config, output, signal }) {
    const { findBroker } = await import("../../broker/broker-client.js");
    const { keepMesh } = await import("../../member/keep-mesh.js");
    const broker = await findBroker(config, signal);
    const made = await broker.call("create_mesh", { name });
    await keepMesh(made, { address: broker.address, config });
    output.show(made, `${output.mark.ok} mesh ${made.name} is there`);
    output.note(`  use it: merkle ls --mesh ${made.name}   or MERKLE_MESH, or "mesh" in .merkle.json`);
    return exitCodes.done;
  },
};
