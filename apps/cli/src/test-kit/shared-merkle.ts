import { beforeAll } from "vitest";
import { createTestDatabase } from "../../../../tests/kit/test-database.js";
import { type CleanupTask, type RunOptions, type TestMerkle, testMerkle } from "./merkle.js";

/**
 * Creates a Merkle home with a running broker, shared by all tests in a file or group. Call outside tests.
 * The broker uses a database on the shared test server, because starting a separate PostgreSQL would take
 * most of the time.
 *
 * @param before - called with the home before the broker starts
 * @param after - called with the output of `up` after the broker has started
 */
export function setUpSharedMerkle(
  before: (home: string) => Promise<void> = async () => undefined,
  after: (merkle: TestMerkle, printed: string) => Promise<void> = async () => undefined,
): TestMerkle {
  const cleanups: CleanupTask[] = [];
  let merkle: TestMerkle | undefined;
  let databaseUrl = "";
  const getStarted = (): TestMerkle => {
    if (!merkle) throw new Error("The broker of this file is started before its tests.");
    return merkle;
  };
  // A broker that a test restarts must use the same database.
  const withDatabase = ({ env, ...options }: RunOptions = {}): RunOptions => ({
    ...options,
    env: { DATABASE_URL: databaseUrl, ...env },
  });
  beforeAll(async () => {
    const onEnd = (cleanup: CleanupTask) => cleanups.push(cleanup);
    databaseUrl = await createTestDatabase(onEnd);
    merkle = await testMerkle(onEnd);
    await before(merkle.home);
    const { code, stdout, stderr } = await merkle.run(["up", ...anyPort], withDatabase());
    if (code !== 0) throw new Error(stderr);
    await after(merkle, stdout);
    return async () => {
      for (const end of cleanups.reverse()) await end();
    };
  });
  return {
    get home() {
      return getStarted().home;
    },
    run: (args, options) => getStarted().run(args, withDatabase(options)),
    start: (args, options) => getStarted().start(args, withDatabase(options)),
    readRunFile: () => getStarted().readRunFile(),
  };
}

const anyPort = ["--port", "0", "--detach"];
