import type { TestProject } from "vitest/node";
import { installClients } from "../../clients/kit/install-clients.js";

/** Installs Codex, which works beside Claude Code in the tests of teams. */
export default function setup(project: TestProject): Promise<void> {
  return installClients(project, ["codex"]);
}
