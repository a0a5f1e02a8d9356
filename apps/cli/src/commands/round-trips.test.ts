import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { testMerkle } from "../test-kit/merkle.js";
import { setUpSharedMerkle } from "../test-kit/shared-merkle.js";

const merkle = setUpSharedMerkle();

beforeAll(async () => {
  await merkle.run(["new", "Far away"]);
});

const frequentCommands: [name: string, args: readonly string[]][] = [
  ["post", ["post", "far-away", "hi"]],
  ["inbox", ["inbox"]],
  ["ls", ["ls"]],
  ["brief", ["brief", "far-away"]],
  ["status", ["status"]],
  ["tasks", ["tasks", "far-away"]],
];

it.each(frequentCommands)(
  "[CLI-163] merkle %s waits at most twice for its broker, and asks nothing twice",
  async (_name, args) => {
    const broker = await slowBroker();
    const elsewhere = await testMerkle();
    const run = (words: readonly string[]) =>
      elsewhere.run(words, { env: { MERKLE_URL: broker.url, MERKLE_NAME: "Ana" } });
    // The first write from a home also creates its person.
    expect(await run(["post", "far-away", "hello"])).toMatchObject({ code: 0 });
    broker.forget();
    expect(await run(args)).toMatchObject({ code: 0 });
    expect(broker.requests.length).toBeGreaterThan(0);
    expect(new Set(broker.requests).size).toBe(broker.requests.length);
    expect(broker.waits()).toBeLessThanOrEqual(2);
  },
);

it.each(frequentCommands)(
  "[CLI-177] merkle %s loads its code from at most eight files",
  async (_name, args) => {
    const folder = await mkdtemp(join(tmpdir(), "merkle-loaded-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    // Node lists every file that a process has loaded in its coverage.
    const ended = merkle.start(args, { env: { NODE_V8_COVERAGE: folder, MERKLE_NAME: "Ana" } }).ended;
    expect(await ended).toMatchObject({ code: 0 });
    const [report = ""] = await readdir(folder);
    const { result } = JSON.parse(await readFile(join(folder, report), "utf8"));
    const loaded = result
      .map(({ url }: { url: string }) => url)
      .filter((url: string) => url.startsWith("file:"));
    expect(loaded.length).toBeGreaterThan(1);
    expect(loaded.length, loaded.join("\n")).toBeLessThanOrEqual(8);
  },
);

it("[CLI-178] merkle doctor asks its broker for nothing twice", async () => {
  const broker = await slowBroker();
  const elsewhere = await testMerkle();
  const env = { MERKLE_URL: broker.url };
  // The first command from a home also asks for proof of the broker's key.
  await elsewhere.run(["ls"], { env });
  broker.forget();
  const { stdout } = await elsewhere.run(["doctor"], { env });
  expect(stdout).toContain("clock     agrees with the broker's");
  expect(new Set(broker.requests).size, broker.requests.join("\n")).toBe(broker.requests.length);
});

/** Longer than a command needs between two requests that do not depend on each other. */
const answerAfterMs = 300;

/** Starts a server that forwards requests to the broker and sends each reply later, as a distant broker would. */
async function slowBroker() {
  const { url } = await merkle.readRunFile();
  const requests: string[] = [];
  let pending = 0;
  let waits = 0;
  const server = createServer((incoming, reply) => {
    requests.push(`${incoming.method} ${incoming.url}`);
    if (pending === 0) waits += 1;
    pending += 1;
    const { method = "GET", headers } = incoming;
    const forwarded = request(new URL(incoming.url ?? "/", url), { method, headers }, async (answer) => {
      await delay(answerAfterMs);
      pending -= 1;
      reply.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(reply);
    });
    incoming.pipe(forwarded);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    waits: () => waits,
    forget() {
      requests.length = 0;
      waits = 0;
    },
  };
}
