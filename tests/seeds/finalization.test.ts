import { createHash, randomUUID } from "node:crypto";
import { MerkleTree } from "merkletreejs";
import { beforeAll, describe, expect, it } from "vitest";
import { getSharedBroker } from "../kit/test-broker.js";
import { callTool } from "../mcp/rpc.js";

/**
 * Runs the examples from the description of finalization (docs/deviations.md): three MCP tools, called without a
 * credential.
 */

let call: (tool: string, args: object) => Promise<Record<string, unknown>>;
beforeAll(async () => {
  const { url } = await getSharedBroker();
  call = (tool, args) => callTool(`${url}/mcp`, tool, args);
});

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** Creates an audit session with these records. Returns the session's id and the hashes of the records. */
async function record(contents: readonly string[]) {
  const task_id = `task ${randomUUID()}`;
  const { session_id } = await call("audit_session_start", { intent: "write back", task_id });
  const hashes: string[] = [];
  for (const content of contents) {
    const { hash } = await call("thought_record", { type: "plan", task_id, content, session_id });
    hashes.push(String(hash));
  }
  return { session_id, hashes };
}

describe("audit_session_start", () => {
  it("[AUDIT-1] gives an id, the intent, the task and the time; an id can be given, once", async () => {
    const intent = "Finalize the task";
    const started = await call("audit_session_start", { intent });
    const uuid = expect.stringMatching(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(started).toEqual({ session_id: uuid, intent, task_id: null, started_at: timestamp });
    const given = { intent, task_id: "P0.8.3", session_id: `audit ${randomUUID()}` };
    expect(await call("audit_session_start", given)).toEqual({ ...given, started_at: timestamp });
    await expect(call("audit_session_start", given)).rejects.toMatchObject({ code: "ERR_SESSION_EXISTS" });
    await expect(call("audit_session_start", { intent: "" })).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("intent must not be empty"),
    });
  });
});

describe("merkle_finalize and merkle_root", () => {
  it("[AUDIT-7] [AUDIT-8] five records have the root that a Merkle tree of sorted leaves and pairs has by hand", async () => {
    const { session_id, hashes } = await record(["one", "two", "three", "four", "five"]);
    const sha256 = (data: Buffer) => createHash("sha256").update(data).digest();
    const leaves = hashes.map((hash) => Buffer.from(hash, "hex"));
    const tree = new MerkleTree(leaves, sha256, { sortLeaves: true, sortPairs: true });
    const finalized = await call("merkle_finalize", { session_id });
    expect(finalized).toEqual({
      session_id,
      root: tree.getRoot().toString("hex"),
      record_count: 5,
      finalized_at: timestamp,
    });
    expect(await call("merkle_root", { session_id })).toEqual(finalized);
  });

  it("[AUDIT-10] each refusal has its code: no session, no records, finalized before, not finalized yet", async () => {
    const { session_id } = await record([]);
    const refusal = (tool: string, args: object = { session_id }) => expect(call(tool, args)).rejects;
    await refusal("merkle_finalize", { session_id: randomUUID() }).toMatchObject({
      code: "ERR_SESSION_NOT_FOUND",
    });
    await refusal("merkle_finalize").toMatchObject({ code: "ERR_NO_RECORDS" });
    await refusal("merkle_root").toMatchObject({ code: "ERR_NOT_FINALIZED" });
    await call("thought_record", { type: "reflection", content: "the summary", session_id });
    await call("merkle_finalize", { session_id });
    await refusal("merkle_finalize").toMatchObject({ code: "ERR_ALREADY_FINALIZED" });
    await refusal("merkle_finalize", { session_id: "" }).toMatchObject({ code: "bad_request" });
  });
});
