import { brokerSettingsDefault } from "@merkle/wire";
import { renderAgentsPage } from "./agents-page.js";
import { fillGeneratedTables } from "./generated-tables.js";

const defaultBaseUrl = "http://localhost:7423";

/**
 * A document of the repository as the catalogue now makes it (CAT-3): `AGENTS.md` is the page that a broker with default
 * settings serves; of any other document only the generated tables change.
 */
export function generateDocument(name: string, current: string): string {
  if (name !== "AGENTS.md") return fillGeneratedTables(current);
  return renderAgentsPage({
    auth: "open",
    baseUrl: defaultBaseUrl,
    mcpUrl: `${defaultBaseUrl}/api/mcp`,
    idlePolls: brokerSettingsDefault.idle_polls,
  });
}
