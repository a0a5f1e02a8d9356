import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brokerSettingsDefault, operations, toTool } from "@merkle/wire/schemas";
import { renderAgentsPage } from "../../apps/broker/src/transports/reference/agents-page.js";
import { buildFile, renderBuildFile } from "./build-number.js";
import { cliPackageFile, renderCliPackage } from "./cli-package.js";
import { renderClientTable } from "./client-table.js";
import { renderCommandsPage, renderEnvironmentPage } from "./command-pages.js";
import { renderConfigTables } from "./config-tables.js";
import { drawArchitecture } from "./draw-architecture.js";
import { renderEventTable } from "./event-table.js";
import { limitTable } from "./limit-table.js";
import { renderMetricTable } from "./metric-table.js";
import { renderSettingTables } from "./setting-tables.js";
import {
  renderCloseCodeTable,
  renderErrorTable,
  renderOperationTable,
  renderRateTable,
  renderShareTable,
} from "./wire-tables.js";

/** Returns every committed page and file that is generated from the code, by its path (CAT-3). */
export async function renderGeneratedPages(): Promise<Readonly<Record<string, string>>> {
  const build = fileURLToPath(new URL(`../../${buildFile}`, import.meta.url));
  return {
    [buildFile]: renderBuildFile(readFileSync(build, "utf8")),
    [cliPackageFile]: renderCliPackage(),
    "docs/architecture.svg": drawArchitecture(),
    "AGENTS.md": renderAgentsPage({
      auth: "open",
      baseUrl: defaultBaseUrl,
      mcpUrl: `${defaultBaseUrl}/api/mcp`,
      idlePolls: brokerSettingsDefault.idle_polls,
    }),
    ...reference(
      "operations",
      "Operations",
      `${operationsIntro}\n\n${describeToolList()}`,
      renderOperationTable(),
    ),
    ...reference(
      "limits",
      "Limits",
      "Names as in `get_app_info`. A value at its limit is accepted.",
      limitTable(),
    ),
    ...reference(
      "rates",
      "Rates",
      ratesIntro,
      `${renderRateTable()}\n\n${sharesIntro}\n\n${renderShareTable()}`,
    ),
    ...reference(
      "errors",
      "Errors",
      "The `code` of a failure, its HTTP status and its meaning.",
      renderErrorTable(),
    ),
    ...reference(
      "close-codes",
      "Close codes",
      "The codes with which the broker ends a WebSocket connection (WS-5).",
      renderCloseCodeTable(),
    ),
    ...reference("clients", "Clients", clientsIntro, renderClientTable()),
    ...reference("events", "Events", eventsIntro, renderEventTable()),
    ...reference("settings", "Settings", settingsIntro, renderSettingTables()),
    ...reference("config", "config.json", configIntro, await renderConfigTables()),
    ...reference("metrics", "Metrics", metricsIntro, await renderMetricTable()),
    ...reference("commands", "Commands", commandsIntro, renderCommandsPage()),
    ...reference(
      "environment",
      "Environment variables",
      "A flag takes precedence (CLI-5).",
      renderEnvironmentPage(),
    ),
  };
}

const clientsIntro =
  "What `merkle launch` and `merkle install` can do in each client (CLI-183). Cursor needs an account: its row was tried with a stand-in that follows Cursor's documentation, not with Cursor itself. Other MCP clients read with `check_messages` or `wait_for_messages`; nothing wakes their agents.";

const defaultBaseUrl = "http://localhost:7423";

/** Describes the size of the tool list in an agent's context. `?tools=` reduces it. */
function describeToolList(): string {
  const listed = operations.filter(({ toolset, unlisted }) => toolset !== "admin" && unlisted !== true);
  const bytesOf = (some: typeof listed) => {
    const tools = some.map((operation) => toTool(operation, "listed"));
    return Buffer.byteLength(JSON.stringify({ tools })).toLocaleString("en");
  };
  const core = listed.filter(({ toolset }) => toolset === "core");
  return `MCP over HTTP lists ${listed.length} tools in ${bytesOf(listed)} bytes; with \`?tools=core\` ${core.length} in ${bytesOf(core)}.`;
}

const operationsIntro = `The route and access of each operation. A dash under "after closing": the operation is not about a session (SES-11).

| Column | Meaning |
|---|---|
| humans | what only humans can do (PERSON-11) |
| listed | whether it appears in tool lists (MCP-10) |
| jobs | kinds of jobs whose agents can call it (JOB-12) |
| rate | the rate limit that applies to it (GUARD-4) |
| after closing | whether it works in a concluded session |`;

const ratesIntro = `These rates apply if other machines can reach the broker (GUARD-4). \`rate_limits\` of config.json changes them (GUARD-6).`;

const sharesIntro = `How many long or open calls run at the same time, on each broker (GUARD-24). Every member, observer link and job has its own share; in open mode also every team, person and
address without a credential.`;

const eventsIntro = `The system messages of a feed. Each also has \`event\` and \`at\`.`;

const settingsIntro = `Read by \`get_settings\` and changed by \`update_settings\`, or \`merkle config\` (SET).`;

const configIntro = `A JSON object in the Merkle home (default: \`~/.merkle/config.json\`). A key marked *both* can also be in the \`.merkle.json\` of a project, which applies once a person
trusts it (CLI-82). Flags and the [environment](environment.md) come first, then the project's file, then this file (CLI-5). Paths are relative to the file's folder. A bad value ends the
command with an error that names it; unknown keys are ignored and kept.`;

const metricsIntro = `\`/metrics\` returns these in Prometheus's text format (OPS-3).`;

const commandsIntro = `The list of \`merkle help --all\`. What the commands guarantee is in [cli.md](../cli.md).`;

/** Returns a page of `docs/reference`. */
function reference(name: string, title: string, intro: string, body: string): Record<string, string> {
  const text = `<!-- Written by \`npm run docs\` from the code. -->\n\n# ${title}\n\n${intro}\n\n${body}\n`;
  return { [`docs/reference/${name}.md`]: text };
}
