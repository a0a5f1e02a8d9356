import { calledAs } from "./called-as.js";
import { counted } from "./duration.js";
import type { Output } from "./output.js";
import type { RunningBroker } from "./run-file.js";

/**
 * Says that the broker takes calls, where, and what to do now.
 *
 * @param stop - what ends it
 */
export function showStarted(started: RunningBroker, output: Output, stop: string): void {
  const { url, mcp_url: mcpUrl, loopback, migrations_run: migrationsRun } = started;
  const { mark, dim, dot } = output;
  const width = Math.max(url.length, mcpUrl.length) + 2;
  const ran = migrationsRun === 0 ? "" : `${counted(migrationsRun, "migration")} run, `;
  const reach = loopback ? "loopback only" : "open to the network: anyone who reaches it is let in";
  output.show(
    started,
    [
      `${mark.ok} database ready, ${ran}0 migrations pending`,
      `${loopback ? mark.ok : mark.warn} broker     ${url.padEnd(width)}${dim(reach)}`,
      `${mark.ok} agents use ${mcpUrl.padEnd(width)}${dim("change: merkle config set url <url>")}`,
    ].join("\n"),
  );
  const merkle = calledAs();
  const steps = [`${merkle} demo`, `${merkle} launch`, stop];
  output.note(`  next: ${steps.join(`   ${dot}   `)}`);
  output.note(`        other agents: give them ${mcpUrl.replace(/(?:\/api)?\/mcp$/, "")}/agents.md`);
}
