import type { ExtendedServer, ServerExtension } from "../../mcp/extension.js";
import { createUsageReporter } from "./usage-reporter.js";

/**
 * Reports the tokens that the client's models used, if the client records them and the person allows it
 * (USAGE-2).
 */
export function extendServer({ link, teams, client, config, env, log }: ExtendedServer): ServerExtension {
  if (!client.usage || !config.reportUsage) return {};
  const findTeam = () => teams().findLast();
  const { handleHook } = createUsageReporter({
    link,
    findTeam,
    record: client.usage,
    home: config.home,
    env,
    log,
  });
  return { onHook: handleHook };
}
