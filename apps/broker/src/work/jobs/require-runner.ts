import { MerkleError } from "@merkle/wire";
import type { Context } from "../../sessions/context.js";
import type { JobServices } from "./services.js";

/** The machine of somebody who may run jobs here. */
export interface RemoteRunner {
  /** The same for all machines of one member, and for none of anybody else's; no broker's own runner is called so. */
  readonly key: string;
  /** What people call a machine of theirs. */
  nameOf(machine: string): string;
}

/**
 * Who asks, as one whose machines run jobs (RUNNER-20).
 *
 * @throws forbidden unless the broker lets them
 */
export function requireRunner({
  services,
  principal,
}: Pick<Context<JobServices>, "services" | "principal">): RemoteRunner {
  if (principal?.kind === "member" && services.jobs.terms.remoteRunners) {
    const { memberId, name } = principal;
    return { key: `member ${memberId}`, nameOf: (machine) => `${machine} of ${name}` };
  }
  if (principal?.kind === "anyone" && services.jobs.terms.remoteRunners) {
    return { key: "anyone", nameOf: (machine) => machine };
  }
  throw new MerkleError(
    "forbidden",
    principal?.kind === "member"
      ? "This broker has jobs done on its own machine alone. Its admin allows others with agent.remote_runners in its config.json."
      : "Jobs run on machines of members, and this broker lets in whoever reaches it. Start it with --auth invite, or on loopback alone.",
  );
}
