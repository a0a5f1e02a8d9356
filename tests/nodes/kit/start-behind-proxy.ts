import { readFile } from "node:fs/promises";
import type { BrokerOptions } from "@merkle/broker";
import { inject } from "vitest";
import { startNatsServer } from "../../kit/nats-server.js";
import { findNginx, nginxMissing, reservePort, startNginx } from "../../kit/nginx.js";
import { noteHome } from "../../kit/persons.js";
import { type StartTestBroker, startOneBroker, type TestBroker } from "../../kit/test-broker.js";
import { type Cleanup, createTestDatabase } from "../../kit/test-database.js";

const nodeCount = 3;

/** Behind a proxy, only the proxy's headers identify the client. */
export const behindProxy = { insecureOpen: true, trustedProxies: ["127.0.0.1"] };

/** Starts the bus that this test run uses, and returns its address. */
export async function startTestBus(cleanup: Cleanup): Promise<string> {
  const bus = inject("bus") ?? "postgres";
  return bus === "nats" ? (await startNatsServer({}, cleanup)).url : bus;
}

/** Replaces the single test broker in `npm run test:nodes`: three nodes on one database behind a round-robin nginx. */
export const startBehindProxy: StartTestBroker = async (options, cleanup) => {
  const databaseUrl = options.databaseUrl ?? (await createTestDatabase(cleanup));
  const bus = await startTestBus(cleanup);
  const port = await reservePort();
  const url = `http://localhost:${port}`;
  const shared: Partial<BrokerOptions> = {
    ...{ ...behindProxy, auth: "open", publicUrl: url },
    ...{ ...options, databaseUrl, bus },
  };
  const nodes: TestBroker[] = [];
  const logged: string[] = [];
  for (let number = 0; number < nodeCount; number += 1)
    nodes.push(await startOneBroker(shared, cleanup, logged));
  const [first] = nodes;
  if (!first) throw new TypeError("There are nodes.");
  await startProxy(
    nodes.map((node) => node.port),
    cleanup,
    port,
  );
  noteHome(port, first.home, first.url);

  async function forEach(work: (node: TestBroker) => Promise<void>): Promise<void> {
    for (const node of nodes) await work(node);
  }

  return {
    ...{ url, port, databaseUrl, home: first.home, logged },
    get broker() {
      return first.broker;
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
    },
    restart: () => forEach((node) => node.restart()),
    async restartAfter(work) {
      await forEach((node) => node.stop());
      await work();
      await forEach((node) => node.restart());
      await untilAllNodesServe(url);
    },
  };
};

/** Resolves when the proxy uses all nodes again. The proxy skips a failed node for several seconds. */
export async function untilAllNodesServe(url: string): Promise<void> {
  for (let inTurn = 0; inTurn < 2 * nodeCount; ) {
    const response = await fetch(`${url}/health`);
    await response.text();
    inTurn = response.ok ? inTurn + 1 : 0;
  }
}

/**
 * Starts nginx with the configuration from docs/scale.md and docs/reverse-proxy.md. Omits rate limits and TLS, which
 * have their own tests.
 *
 * @param at - port to listen on (default: any free port)
 */
export async function startProxy(
  ports: readonly number[],
  cleanup: Parameters<StartTestBroker>[1],
  at?: number,
): Promise<readonly number[]> {
  const program = findNginx();
  if (program === undefined) throw new Error(nginxMissing);
  const configuration = await readNodesConfiguration();
  return startNginx(
    program,
    ([port]) =>
      ports
        .reduce(
          (text, node, index) => text.replace(`10.0.0.1${index + 1}:7423`, `127.0.0.1:${node}`),
          configuration,
        )
        .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
        .replaceAll(/^.*(?:ssl_|limit_|server_name).*\n/gm, "")
        // The URL contains the test's port, so the Host header must contain the port too.
        .replaceAll("$host;", "$http_host;"),
    at === undefined ? 1 : [at],
    cleanup,
  );
}

/** Returns the complete nginx configuration from docs/scale.md and docs/reverse-proxy.md. */
export async function readNodesConfiguration(): Promise<string> {
  const [upstream, whole] = await Promise.all(
    ["scale", "reverse-proxy"].map(async (name) => {
      const document = await readFile(new URL(`../../../docs/${name}.md`, import.meta.url), "utf8");
      const text = /```nginx\n([\s\S]*?)```/.exec(document)?.[1];
      if (text === undefined) throw new Error(`docs/${name}.md has no nginx configuration.`);
      return text;
    }),
  );
  return (whole ?? "")
    .replace(/upstream merkle \{[^}]*\}/, upstream ?? "")
    .replace(/server \{\n {2}listen 80;[^}]*\}/, "");
}
