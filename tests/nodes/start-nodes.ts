import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrokerOptions } from "@merkle/broker";
import { connect, type MerkleClient } from "@merkle/wire/client";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { type BrokerProcess, startBrokerProcess } from "../faults/broker-process.js";
import { putAuditKey } from "../kit/audit-key.js";
import { noteHome } from "../kit/persons.js";
import { type Cleanup, createTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

/** A broker in its own process that shares a database with other nodes. */
export interface TestNode extends BrokerProcess {
  readonly home: string;
  /** A REST client for this node. */
  readonly client: TransportClient;
}

interface NodesOptions {
  readonly bus?: string;
  readonly databaseUrl?: string;
  readonly options?: Partial<BrokerOptions>;
  readonly script?: () => string;
  /** Called if a node exits unexpectedly. */
  readonly onDeath?: (how: string) => void;
}

/** Starts nodes on one database. They are stopped at the end of the test. */
export async function startNodes(
  count: number,
  { bus = "postgres", databaseUrl, options, script, onDeath }: NodesOptions = {},
  cleanup: Cleanup = onTestFinished,
): Promise<{ readonly nodes: TestNode[]; readonly databaseUrl: string }> {
  const url = databaseUrl ?? (await createTestDatabase(cleanup));
  const nodes: TestNode[] = [];
  for (let number = 0; number < count; number += 1) {
    nodes.push(
      await startTestNode(
        {
          databaseUrl: url,
          options: { ...options, bus },
          ...(script && { script }),
          ...(onDeath && { onDeath }),
        },
        cleanup,
      ),
    );
  }
  return { nodes, databaseUrl: url };
}

/** Starts one more node in a new home with the audit key that all tests share. */
export async function startTestNode(
  {
    onDeath = () => undefined,
    ...place
  }: Pick<NodesOptions, "script" | "onDeath"> & {
    readonly databaseUrl: string;
    readonly options: Partial<BrokerOptions>;
  },
  cleanup: Cleanup,
): Promise<TestNode> {
  const home = await mkdtemp(join(tmpdir(), "merkle-node-"));
  await putAuditKey(home);
  const process = await startBrokerProcess({ ...place, home }, onDeath);
  noteHome(Number(new URL(process.url).port), home);
  cleanup(async () => {
    await process.kill();
    await rm(home, { recursive: true, force: true });
  });
  // With a prototype instead of a copy, the getters stay live. Their values change when the process restarts.
  return Object.assign(Object.create(process) as BrokerProcess, {
    home,
    client: await brokerTransports.rest(process.url),
  });
}

/** Opens a peer's inbox at a node. Returns the client and the message texts received so far. */
export async function holdInbox(
  node: Pick<TestNode, "url">,
  sessionId: string,
  teamId: string,
): Promise<{ readonly client: MerkleClient; readonly texts: unknown[] }> {
  const client = connect({ url: node.url, WebSocket, retry: { baseMs: 10, capMs: 50 } });
  onTestFinished(() => client.close());
  const texts: unknown[] = [];
  const onMessage = (message: { readonly content: Readonly<Record<string, unknown>> }) => {
    if (message.content["text"] !== undefined) texts.push(message.content["text"]);
  };
  await client.inbox({ session: sessionId, teamId, onMessage }).ready;
  return { client, texts };
}
