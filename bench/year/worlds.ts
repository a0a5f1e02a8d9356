import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { getOperationRoute, type OutputOf } from "@merkle/wire";
import { connect, type MerkleClient } from "@merkle/wire/client";
import { answerHello, drawSeed } from "@merkle/wire/identity";
import { deriveSigningKey, proveJoin, type SigningKey } from "@merkle/wire/keys";
import { WebSocket } from "ws";
import { openCaller } from "../caller.js";
import type { BenchBroker } from "../stage.js";
import type { Call } from "./case.js";
import type { World } from "./cases.js";

/** Connects to a broker that is open to everyone. */
export async function enterOpenly({
  url,
  socketUrl,
  homeKey,
}: BenchBroker): Promise<Omit<World, "year" | "source_path"> & { close(): void }> {
  const caller = await openCaller(socketUrl);
  return {
    // This type is correct because the broker validates the input, and replies with the operation's output.
    call: caller.call as Call,
    homeKey,
    async putPerspective(credential, input) {
      const response = await fetch(`${url}/api/perspectives`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${credential}` },
        body: JSON.stringify(input),
      });
      const answer: unknown = await response.json();
      if (!response.ok) throw new Error(`put_perspective: ${JSON.stringify(answer)}`);
    },
    close: caller.close,
  };
}

/**
 * Connects twice: as the first member, using the invite that the broker created when it started, and as an
 * unauthenticated client.
 */
export async function enterAsAdmin({ url, firstInvite }: BenchBroker) {
  const invite = firstInvite ?? "";
  const unauthenticated = connectUnauthenticated(url);
  const memberKey = deriveSigningKey(drawSeed());
  const { broker_id: brokerId } = await unauthenticated("preview_invite", { invite });
  const membership = await unauthenticated(
    "redeem_invite",
    proveJoin({ invite, name: "Admin", memberKey, brokerId }),
  );
  const client = connectAs(url, membership, memberKey);
  const admin: Call = (name, input) => client.call(name, input);
  return { admin, stranger: unauthenticated, url, close: () => client.close() };
}

function connectAs(
  url: string,
  { broker_id: brokerId, mesh_id: meshId }: OutputOf<"redeem_invite">,
  memberKey: SigningKey,
): MerkleClient {
  const sessionKey = deriveSigningKey(drawSeed());
  const proof = { brokerId, meshId, memberKey, sessionKey, label: "bench", session: null, url };
  return connect({ url, WebSocket, answerHello: (hello) => answerHello(hello, proof) });
}

/** Calls operations over HTTP without authentication. */
function connectUnauthenticated(url: string): Call {
  return async (name, input) => {
    const response = await fetch(`${url}${getOperationRoute(name).path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(input),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${name}: ${JSON.stringify(answer)}`);
    return answer as never;
  };
}

const filesCount = 500;

/** Creates a repository with files that agents may work on. Returns its roots and the path of one file. */
export async function makeFiles(
  folder: string,
): Promise<{ readonly roots: Readonly<Record<string, string>>; readonly path: string }> {
  const docs = join(folder, "docs");
  await mkdir(docs);
  for (let file = 1; file <= filesCount; file += 1)
    await writeFile(join(docs, `page-${file}.md`), `# Page ${file}\n\n${"What we know.\n".repeat(40)}`);
  const git = (...args: string[]) =>
    promisify(execFile)("git", ["-c", "user.name=bench", "-c", "user.email=bench@example.com", ...args], {
      cwd: docs,
    });
  await git("init", "--quiet");
  await git("add", ".");
  await git("commit", "--quiet", "--message", "Begin");
  return { roots: { docs }, path: "docs/page-1.md" };
}
