import { beforeAll } from "vitest";
import { createTestDatabase } from "../../../../tests/kit/test-database.js";
import { type Ending, type RunOptions, type TestMerkle, testMerkle } from "./merkle.js";

/**
 * Creates a Merkle home with a running broker, shared by all tests in a file or group. Call outside tests.
 * The broker uses a database on the shared test server, because starting a separate PostgreSQL would take
 * most of the time.
 *
 * @param before - called with the home before the broker starts
 * @param after - called with the output of `up` after the broker has started
 */
export function sharedMerkle(
  before: (home: string) => Promise<void> = async () => undefined,
  after: (merkle: TestMerkle, printed: string) => Promise<void> = async () => undefined,
): TestMerkle {
  const endings: Ending[] = [];
  let merkle: TestMerkle | undefined;
  let databaseUrl = "";
  const started = (): TestMerkle => {
    if (!merkle) throw new Error("The broker of this file is started before its tests.");
    return merkle;
  };
  // A broker that a test restarts must use the same database.
  const withDatabase = ({ env, ...options }: RunOptions = {}): RunOptions => ({
    ...options,
    env: { DATABASE_URL: databaseUrl, ...env },
  });
  beforeAll(async () => {
    const atEnd = (ending: Ending) => endings.push(ending);
    databaseUrl = await createTestDatabase(atEnd);
    merkle = await testMerkle(atEnd);
    await before(merkle.home);
    const { code, stdout, stderr } = await merkle.run(["up", ...anyPort], withDatabase());
    if (code !== 0) throw new Error(stderr);
    await after(merkle, stdout);
    return async () => {
      for (const end of endings.reverse()) await end();
    };
  });
  return {
    get home() {
      return started().home;
    },
    run: (args, options) => started().run(args, withDatabase(options)),
    start: (args, options) => started().start(args, withDatabase(options)),
    running: () => started().running(),
  };
}

const anyPort = ["--port", "0", "--detach"];
