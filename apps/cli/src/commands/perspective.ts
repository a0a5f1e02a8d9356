import type { Command } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";

export const perspective: Command = {
  name: "perspective",
  summary: "print what a persona's reading of a session's document came to, or list the readings there are",
  arguments: [
    { name: "<session>", summary: "slug, id or exact title" },
    { name: "[persona]", summary: "as whom it was read; without it the readings are listed" },
  ],
  examples: [
    "merkle perspective split-auth",
    "merkle perspective split-auth Sceptic",
    "merkle jobs run split-auth perspective --persona Sceptic",
  ],
  async run({ args: [name, persona_name], config, output, signal }) {
    const { neutralise } = await import("@merkle/wire/plain");
    const { findBroker } = await import("../broker/broker-client.js");
    const { getSession } = await import("../sessions/find-session.js");
    const { formatPerspectives, perspectiveText } = await import("../perspectives/format-perspectives.js");
    const broker = await findBroker(config, signal);
    const { session_id, slug } = await getSession(broker, name, config);
    if (persona_name === undefined) {
      const listed = await broker.call("list_perspectives", { session_id });
      output.show(listed, formatPerspectives(listed.perspectives, output));
      if (listed.perspectives.length === 0)
        output.note(`nothing read yet; next: merkle jobs run ${slug} perspective --persona Sceptic`);
      return exitCodes.done;
    }
    const read = await broker.call("get_perspective", { session_id, persona_name });
    output.print(read, `${output.terminal ? neutralise(read.content) : read.content}\n`);
    output.note(`  ${perspectiveText(read, output)}`);
    if (read.stale)
      output.note(`  next: merkle jobs run ${slug} perspective --persona ${quoteName(read.persona_name)}`);
    return exitCodes.done;
  },
};

function quoteName(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `"${name}"`;
}
