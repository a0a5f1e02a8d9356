import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brokerSettingsDefault } from "@merkle/wire/schemas";
import { renderAgentsPage } from "../../apps/broker/src/transports/reference/agents-page.js";
import { buildFile, renderBuildFile } from "./build-number.js";
import { commandsPage, environmentPage } from "./command-pages.js";
import { configTables } from "./config-tables.js";
import { eventTable } from "./event-table.js";
import { limitTable } from "./limit-table.js";
import { metricTable } from "./metric-table.js";
import { settingTables } from "./setting-tables.js";
import { closeCodeTable, errorTable, operationTable, rateTable, shareTable } from "./wire-tables.js";

/** Every committed page and file that is made from the code, by its path (CAT-3). */
export async function generatedPages(): Promise<Readonly<Record<string, string>>> {
  const build = fileURLToPath(new URL(`../../${buildFile}`, import.meta.url));
  return {
    [buildFile]: renderBuildFile(readFileSync(build, "utf8")),
    "AGENTS.md": renderAgentsPage({
      auth: "open",
      baseUrl: defaultBaseUrl,
      mcpUrl: `${defaultBaseUrl}/api/mcp`,
      idlePolls: brokerSettingsDefault.idle_polls,
    }),
    ...reference("operations", "Operations", operationsIntro, operationTable()),
    ...reference(
      "limits",
      "Limits",
      "By their name in `get_app_info`; a value at its limit is accepted.",
      limitTable(),
    ),
    ...reference("rates", "Rates", ratesIntro, `${rateTable()}\n\n${sharesIntro}\n\n${shareTable()}`),
    ...reference(
      "errors",
      "Errors",
      "The `code` of a failure, its HTTP status, and what it means.",
      errorTable(),
    ),
    ...reference(
      "close-codes",
      "Close codes",
      "How the broker ends a WebSocket connection (WS-5).",
      closeCodeTable(),
    ),
    ...reference("events", "Events", eventsIntro, eventTable()),
    ...reference("settings", "Settings", settingsIntro, settingTables()),
    ...reference("config", "config.json", configIntro, configTables()),
    ...reference("metrics", "Metrics", metricsIntro, await metricTable()),
    ...reference("commands", "Commands", commandsIntro, commandsPage()),
    ...reference(
      "environment",
      "Environment variables",
      "A flag comes before them (CLI-5).",
      environmentPage(),
    ),
  };
}

const defaultBaseUrl = "http://localhost:7423";

const operationsIntro = `Route and access of each; *humans* says what of it is for them (PERSON-11), *listed* whether lists of tools have it (MCP-10), *jobs* of which kinds of
job the agent may call it (JOB-12), *rate* its rate class (GUARD-4), *after closing* whether a concluded session takes it (SES-11; – where it addresses none).`;

const ratesIntro = `Where others than this machine can reach the broker (GUARD-4): how much at once, and how much a second from then on. \`rate_limits\` of config.json changes them
(GUARD-6).`;

const sharesIntro = `The places for what takes long or stays open, at any broker (GUARD-24). Each member, observer link and job has its own; in open mode each team, person and, without a
credential, address.`;

const eventsIntro = `The system messages of a feed. Beside the fields named here each has \`event\` and \`at\`.`;

const settingsIntro = `Read by \`get_settings\` and changed by \`update_settings\`, or \`merkle config\` (SET).`;

const configIntro = `A JSON object in the Merkle home, \`~/.merkle/config.json\` unless MERKLE_HOME says otherwise. A key marked *both* can also be in the \`.merkle.json\` of a
project, which is used once a person trusts it (CLI-82). A flag and the [environment](environment.md) come first, then the project's file, then this one (CLI-5). Paths begin at the
file's folder. A bad value ends the command with a sentence that names it; keys of others are left alone.`;

const metricsIntro = `\`/metrics\` gives these in Prometheus's text format (OPS-3).`;

const commandsIntro = `As \`merkle help --all\` has them. What they promise is in [cli.md](../cli.md).`;

/** A page of `docs/reference`. */
function reference(name: string, title: string, intro: string, body: string): Record<string, string> {
  const text = `<!-- Written by \`npm run docs\` from the code. -->\n\n# ${title}\n\n${intro}\n\n${body}\n`;
  return { [`docs/reference/${name}.md`]: text };
}
