import { findAgentMark } from "../../apps/cli/src/core/agent-shell.js";

/** Environment variables that the product, Git, PostgreSQL and agents' clients read. */
const ofTheMachine =
  /^(?:MERKLE_|MCP_URL$|DATABASE_URL$|OPENAI_|AGENT_PROGRESS_|ANTHROPIC_|CLAUDE|GIT_|PG[A-Z])/;
/** Variables that configure the tests themselves. */
const ofTheTests =
  /^MERKLE_(?:TESTS|SEED|ROUNDS|FUZZ_SECONDS|RENDERINGS|IDLE_MINUTES|DELIVERY_RUNS|PEER_RUNS)$/;

/**
 * Removes every variable that refers to this machine's broker, home, database, session, agents or repository. Tests
 * pass the environment to programs or read it themselves, and must see only variables that they have set.
 */
export function forgetMachine(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) {
    if (ofTheMachine.test(name) && !ofTheTests.test(name)) delete env[name];
  }
  for (let mark = findAgentMark(env); mark !== undefined; mark = findAgentMark(env)) delete env[mark];
}
