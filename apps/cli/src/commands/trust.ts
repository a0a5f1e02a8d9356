import type { Command } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";
import { requirePerson } from "../trust/require-person.js";
import { trustHere } from "../trust/trust-here.js";

export const trust: Command = {
  name: "trust",
  summary: "say that this project's settings, or a broker that has moved, are to be trusted",
  examples: ["merkle trust", "merkle trust --url https://mesh.example.com"],
  offline: true,
  async run(context) {
    const { flags, output } = context;
    requirePerson(flags, { what: "merkle trust", run: `cd ${process.cwd()} && merkle trust` });
    const trusted = await trustHere(context);
    const lines = trusted.map(
      (each) => `${output.mark.ok} trusted: ${"file" in each ? each.file : each.broker}`,
    );
    output.show({ trusted }, lines.join("\n") || "Nothing here asks to be trusted.");
    return exitCodes.done;
  },
};
