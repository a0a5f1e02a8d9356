import { Readable } from "node:stream";
import type { OutputOf } from "@merkle/wire";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { exitCodes } from "../../core/cli-error.js";
import { findFlag, isSet } from "../../core/flags.js";
import { refuseExisting, writeWhole } from "../../core/write-whole.js";
import { getPersonActor } from "../../identity/actors.js";
import { toOneLine } from "../../text/one-line.js";
import { formatCount } from "../../text/time.js";

export const personExport: Command = {
  name: "person export",
  summary: "export everything stored about a person, in all sessions, to one JSON file",
  arguments: [
    {
      name: "[person]",
      summary: 'name or id of the person, for admins; "me" for yourself (default: yourself)',
    },
  ],
  flags: [
    { flags: "-o, --output <file>", summary: "output file (default: stdout)" },
    { flags: "--force", summary: "replace an existing file" },
  ],
  examples: ["merkle person export -o me.json", "merkle person export Ana -o ana.json"],
  async run({ args: [person], flags, config, output, signal }) {
    const path = findFlag(flags, "output");
    const replace = isSet(flags, "force");
    if (path !== undefined) refuseExisting(path, replace);
    const target = person === undefined || person === "me" ? {} : { person };
    const actor = getPersonActor({ broker: await findBroker(config, signal), config });
    const kept: Record<string, object[]> = {};
    let page: OutputOf<"export_person">;
    let after: string | undefined;
    do {
      page = await actor.call("export_person", { ...target, ...(after && { after }) });
      for (const { kind, row } of page.rows) {
        kept[kind] ??= [];
        kept[kind].push(row);
      }
      after = page.next ?? undefined;
    } while (after !== undefined);
    const { person_id, name } = page;
    const personData = { person_id, name, kept };
    if (path === undefined) {
      output.show(personData, JSON.stringify(personData, null, 2));
      return exitCodes.done;
    }
    await writeWhole(path, Readable.from([`${JSON.stringify(personData, null, 2)}\n`]), { replace, signal });
    const rows = Object.values(kept).reduce((sum, each) => sum + each.length, 0);
    output.show(
      { file: path, person_id, rows },
      `${output.mark.ok} ${formatCount(rows, "row")} of ${toOneLine(name)} in ${path}`,
    );
    return exitCodes.done;
  },
};
