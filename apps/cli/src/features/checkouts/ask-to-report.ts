import type { Prompter } from "../../command/ask.js";
import { homeFiles } from "../../core/merkle-home.js";
import { findProject } from "../../sessions/find-project.js";
import type { Config } from "../../settings/config.js";
import { writeConfigValue } from "../../settings/config-file.js";

/**
 * Asks the person once whether agents may report where they work (CHECKOUT-3), at the first launch in a repository.
 */
export async function askToReport(
  prompter: Pick<Prompter, "confirm">,
  { config: { home, reportCheckout }, folder }: { readonly config: Config; readonly folder: string },
): Promise<void> {
  if (reportCheckout !== undefined || (await findProject(folder)) === null) return;
  const answer = await prompter.confirm({
    message:
      "Show others in your sessions which repository and branch your agents work in, and how many lines changed?",
    default: false,
  });
  await writeConfigValue(homeFiles.config(home), "report_checkout", answer);
}
