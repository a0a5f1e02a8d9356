import type { ExtendedServer, ServerExtension } from "../../mcp/extension.js";
import { findPullRequest, isOfRepository } from "./find-pull-request.js";
import { readCheckout } from "./read-checkout.js";

/** Reports where the agent works at the end of each turn, if the person allows it (CHECKOUT-3). */
export function extendServer({ link, teams, config, log }: ExtendedServer): ServerExtension {
  if (!config.reportCheckout) return {};
  /** The last pull request that the agent named in a call, such as a message or a task's result. */
  let named: string | null = null;
  /** Settles when the last report is done. Reports run one at a time, so that the newest is stored last. */
  let reporting: Promise<void> = Promise.resolve();

  async function report(): Promise<void> {
    const team = teams().findLast();
    if (team?.state.membership !== "member") return;
    const checkout = await readCheckout(process.cwd());
    if (checkout === null) return;
    const pull_request = named !== null && isOfRepository(named, checkout.repository) ? named : null;
    const as = { session_id: team.sessionId, team_id: team.credential };
    await link.call("report_checkout", { ...as, checkout: { ...checkout, pull_request } });
  }

  return {
    onCall({ input }) {
      named = findPullRequest(input) ?? named;
    },
    onHook({ event, agentId }) {
      if (event !== "Stop" || agentId !== "") return;
      // The next turn's end reports again.
      reporting = reporting
        .then(report)
        .catch((error: unknown) => log(`could not report the checkout: ${String(error)}`));
    },
  };
}
