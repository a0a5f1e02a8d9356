import { findAgentMark } from "../../apps/cli/src/core/agent-shell.js";

/** What the product, Git, PostgreSQL and clients of agents read from the environment. */
const ofTheMachine =
  /^(?:MERKLE_|MCP_URL$|DATABASE_URL$|OPENAI_|AGENT_PROGRESS_|ANTHROPIC_|CLAUDE|GIT_|PG[A-Z])/;
/** What somebody tells the tests themselves. */
const ofTheTests =
  /^MERKLE_(?:TESTS|SEED|ROUNDS|FUZZ_SECONDS|RENDERINGS|IDLE_MINUTES|DELIVERY_RUNS|PEER_RUNS)$/;

/**
 * Takes out of the environment whatever leads to this machine's own broker, home, database, session, agents or repository:
 * tests pass it on to programs, or read it in their own process, and go by what they give themselves.
 */
export function forgetMachine(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) {
    if (ofTheMachine.test(name) && !ofTheTests.test(name)) delete env[name];
  }
  for (let mark = findAgentMark(env); mark !== undefined; mark = findAgentMark(env)) delete env[mark];
}
