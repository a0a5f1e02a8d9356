import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startOneBroker } from "../../../../tests/kit/test-broker.js";
import { createTestDatabase } from "../../../../tests/kit/test-database.js";
import type { DoctorFinding } from "../start/doctor/check.js";
import { installTestClaude } from "../test-kit/claude.js";
import { type RunOptions, type TestMerkle, testMerkle } from "../test-kit/merkle.js";

async function diagnose(merkle: TestMerkle, options: RunOptions & { args?: readonly string[] } = {}) {
  const { args = [], env } = options;
  const { code, stdout } = await merkle.run(["doctor", "--json", ...args], { env: { ...env, PATH: path } });
  const findings: DoctorFinding[] = JSON.parse(stdout);
  return { code, of: (id: string) => findings.find((each) => each.id === id) };
}

/** A PATH that contains a fake Claude Code. */
let path = "";
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "doctor-"));
  path = `${await installTestClaude(folder)}${delimiter}${process.env["PATH"]}`;
  return () => rm(folder, { recursive: true });
});

/** Returns a port that no server uses. The default port 7423 may be in use by this machine's broker. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await once(server.close(), "close");
  return port;
}

describe("merkle doctor", () => {
  it("[CLI-1] finds a new machine well, skips what it cannot look at, and with --strict minds the missing broker", {
    tags: "long",
  }, async () => {
    const merkle = await testMerkle();
    const env = { MERKLE_PORT: String(await findFreePort()) };
    const { code, of } = await diagnose(merkle, { env });
    expect(code).toBe(0);
    expect(of("node")).toMatchObject({ status: "ok", fix: null });
    expect(of("database")).toMatchObject({ status: "ok", message: expect.stringContaining("fsync on") });
    expect(of("url")).toMatchObject({ status: "skipped" });
    expect((await diagnose(merkle, { env, args: ["--strict"] })).code).toBe(
      of("broker")?.status === "warn" || of("claude")?.status === "warn" ? 1 : 0,
    );
  });

  it("[CLI-1] checks the broker that runs, and whether agents reach it by the address they are given", {
    tags: "long",
  }, async () => {
    const merkle = await testMerkle();
    await merkle.run(["up", "--port", "0", "--detach"]);
    const well = await diagnose(merkle);
    expect(well.code).toBe(0);
    for (const id of ["home", "disk", "database", "broker", "url", "port"]) {
      expect(well.of(id), id).toMatchObject({ status: "ok" });
    }
    // A machine with no client installed passes the check. A client named by `--client` must be installed.
    const bare = await merkle.run(["doctor"], { env: { PATH: "" } });
    expect(bare).toMatchObject({ code: 0, stdout: expect.stringMatching(/^skipped claude .*npm install/m) });
    const { code, of } = await diagnose(merkle, { args: ["--client", "gemini"] });
    expect({ code, claude: of("claude")?.status, gemini: of("gemini")?.status }).toEqual({
      code: 1,
      claude: "ok",
      gemini: "fail",
    });
    await merkle.run(["config", "set", "url", "http://localhost:1"]);
    const ill = await diagnose(merkle);
    expect(ill.code).toBe(1);
    expect(ill.of("url")).toMatchObject({ status: "fail", fix: "merkle config set url <url>" });
  });

  it("[OPS-2] says what a broker that runs does without, as does status", { tags: "long" }, async () => {
    const { url } = await startOneBroker(
      { databaseUrl: await createTestDatabase(), databaseReadUrl: "postgres://reader@127.0.0.1:1/x" },
      onTestFinished,
    );
    const merkle = await testMerkle();
    const problem = "its read replica does not answer: all reads go to the primary";
    const { of } = await diagnose(merkle, { env: { MERKLE_URL: url } });
    expect(of("broker")).toMatchObject({
      status: "warn",
      message: `the broker at ${url} runs, but ${problem}`,
    });
    const status = await merkle.run(["status", "--url", url]);
    expect(status).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`\\n. ${problem}\n$`)),
    });
  });

  it("[CLI-1] names a fix for each fault, exit 1", async () => {
    const merkle = await testMerkle();
    await chmod(merkle.home, 0o755);
    const env = { DATABASE_URL: "postgres://me:hush@127.0.0.1:1/x", MERKLE_URL: "http://localhost:1" };
    const { code, stdout } = await merkle.run(["doctor"], { env });
    expect(code).toBe(1);
    expect(stdout).toContain(`! home      others can list ${merkle.home}\n    fix: chmod 700 ${merkle.home}`);
    expect(stdout).toMatch(/✗ database .*\n {4}fix: .*DATABASE_URL/);
    expect(stdout).toMatch(/✗ broker .*\n {4}fix: .*MERKLE_URL/);
    expect(stdout).toMatch(/^skipped url/m);
    expect(stdout).not.toContain("hush");
    await chmod(merkle.home, 0o711);
  });
});
