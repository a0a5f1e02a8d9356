import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { describeMachine } from "../report.js";
import { measureArchive } from "./archive.js";
import { measureExportAndVerify } from "./export-and-verify.js";
import type { Figure } from "./figures.js";
import { type LongSession, openLongSession } from "./long-session.js";
import { measureSealAndProof } from "./seal-and-proof.js";

const { values: flags } = parseArgs({
  options: { messages: { type: "string", default: "1000000" } },
});

/** The order matters, because each part uses the data that the previous part left. */
const parts: readonly ((long: LongSession) => Promise<Figure[]>)[] = [
  measureSealAndProof,
  measureArchive,
  measureExportAndVerify,
];

const long = await openLongSession(Number(flags.messages));
try {
  const { cpu, cores, node, postgres } = describeMachine(long.stage.postgresVersion);
  const [load = 0] = loadavg();
  console.log(
    `${long.messages.toLocaleString("en")} messages; ${cpu}, ${cores} cores, Node ${node}, PostgreSQL ${postgres}; load ${load.toFixed(1)}\n`,
  );
  for (const part of parts) {
    for (const { name, value } of await part(long)) console.log(`| ${name} | ${value} |`);
  }
} finally {
  await long.stop();
}
