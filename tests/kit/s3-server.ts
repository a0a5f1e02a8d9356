import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { BrokerOptions } from "@merkle/broker";
import { onTestFinished } from "vitest";
import type { Cleanup } from "./test-database.js";

type ArchiveOptions = NonNullable<BrokerOptions["archive"]>;

/** What the proxy between broker and storage does with a request: forward it, or change the response. */
export type ResponseChange = "pass" | "alter" | "truncate";

/** An S3-compatible object store for one test. */
export interface S3Server {
  /** The value of a broker's `archive` option. */
  readonly archive: ArchiveOptions;
  /** Returns the keys of all stored objects, sorted. */
  keys(): Promise<string[]>;
  /** Returns the file that contains an object. */
  fileOf(key: string): string;
  /** Decides how to handle each request. The request waits for the decision. By default, every request is forwarded. */
  meddle: (method: string | undefined, key: string) => ResponseChange | Promise<ResponseChange>;
  kill(): Promise<void>;
  /** Starts the storage again on the same port. */
  start(): Promise<void>;
}

const child = fileURLToPath(new URL("s3-server-child.mjs", import.meta.url));
const ending = "._S3rver_object";

/**
 * Starts an object store that checks signatures (its only account is S3RVER), behind a proxy that tests can control.
 */
export async function startS3Server(cleanup: Cleanup = onTestFinished): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-s3-"));
  let port = 0;
  let kill = async () => {};

  async function start(): Promise<void> {
    const server = spawn(process.execPath, [child, folder, String(port)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(server, "exit");
    kill = async () => {
      server.kill("SIGKILL");
      await exited;
    };
    for await (const line of createInterface({ input: server.stdout })) {
      port = Number(line);
      break;
    }
    server.stdout.resume();
  }

  const s3: Pick<S3Server, "meddle"> = { meddle: () => "pass" };
  const proxy = createServer((incoming, outgoing) => {
    void forward(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method, url: path = "", headers } = incoming;
    const meddling = await s3.meddle(method, decodeURIComponent(path.replace("/merkle/archive/", "")));
    const asked = request({ host: "127.0.0.1", port, method, path, headers });
    asked.on("error", () => outgoing.destroy());
    incoming.pipe(asked);
    const [answer] = (await once(asked, "response")) as [IncomingMessage];
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    if (meddling === "pass") return void answer.pipe(outgoing);
    const body = Buffer.concat(await answer.toArray());
    if (meddling === "truncate")
      return void outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
    const middle = Math.floor(body.length / 2);
    body[middle] = (body[middle] ?? 0) ^ 1;
    outgoing.end(body);
  }

  await start();
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  cleanup(async () => {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
    await kill();
    await rm(folder, { recursive: true, force: true });
  });
  const { port: proxyPort } = proxy.address() as AddressInfo;
  const endpoint = encodeURIComponent(`http://127.0.0.1:${proxyPort}`);
  const place = join(folder, "merkle", "archive");
  return Object.assign(s3, {
    archive: {
      url: `s3://merkle/archive?region=eu-central-1&endpoint=${endpoint}`,
      accessKeyId: "S3RVER",
      secretAccessKey: "S3RVER",
      sessionToken: undefined,
    },
    async keys() {
      const files = await readdir(place, { recursive: true }).catch(() => [] as string[]);
      return files.flatMap((file) => (file.endsWith(ending) ? [file.slice(0, -ending.length)] : [])).sort();
    },
    fileOf: (key: string) => join(place, `${key}${ending}`),
    kill: () => kill(),
    start,
  });
}
