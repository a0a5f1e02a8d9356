import { expect, it } from "vitest";
import { forgetMachine } from "./forget-machine.js";

it("tests see nothing of this machine's own broker, home, database, session and agents", () => {
  const kept = { PATH: "/bin", HOME: "/root", LANG: "C.UTF-8", FAULTS_SEED: "7", MERKLE_TESTS: "all" };
  const env: NodeJS.ProcessEnv = {
    ...kept,
    ...{ MERKLE_HOME: "/somebody/.merkle", MERKLE_URL: "http://localhost:7423", MERKLE_PORT: "7423" },
    ...{
      MERKLE_SESSION: "auth",
      MERKLE_TEAM: "Atlas",
      MERKLE_TOKEN: "mkt_",
      MCP_URL: "http://localhost:1/mcp",
    },
    ...{ DATABASE_URL: "postgres://localhost/own", PGHOST: "localhost", GIT_DIR: "/repository/.git" },
    ...{ OPENAI_API_KEY: "sk-own", CLAUDECODE: "1", CLAUDE_CONFIG_DIR: "/somebody/.claude", GEMINI_CLI: "1" },
  };
  forgetMachine(env);
  expect(env).toEqual(kept);

  // This process's environment must already be clean, regardless of the environment in which the suite was started.
  const own = { ...process.env };
  forgetMachine(own);
  expect(own).toEqual({ ...process.env });
});
