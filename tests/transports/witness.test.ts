import { createHash, randomBytes } from "node:crypto";
import type { OutputOf } from "@merkle/wire";
import { deriveSigningKey } from "@merkle/wire/keys";
import {
  checkCosigned,
  findSigner,
  formatLogEntry,
  formatPolicy,
  formatVerifierKey,
  isInLog,
  type NoteKey,
  noteKeyTypes,
  parseCheckpoint,
  parseLogEntry,
  parseLogProof,
  toLogKey,
  verifyConsistency,
} from "@merkle/wire/record";
import type postgres from "postgres";
import { beforeAll, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { cosignLine, noteCrypto } from "../kit/witness-vectors.js";

const { sha256 } = noteCrypto;
const cleanup = createCleanup();
let broker: TestBroker;
let transport: TransportClient;
let owner: string;
let sql: postgres.Sql;
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  transport = await brokerTransports.rest(broker.url);
  cleanup(transport.close);
  sql = connectTestDatabase(broker.databaseUrl, cleanup);
  owner = (await makePerson(transport, "Owner")).person_id;
});

async function expectRefusal(call: Promise<unknown>, code: string, words = ""): Promise<void> {
  expect(await expectFailure(call)).toMatchObject({ code, message: expect.stringContaining(words) });
}

const readCheckpoint = () => transport.call("get_checkpoint", {});
const now = () => Math.floor(Date.now() / 1_000);

interface TestWitness {
  readonly key: NoteKey;
  readonly vkey: string;
  /** @param as - the key that the cosignature claims (default: the witness's own) */
  cosign(note: string, at?: number, as?: NoteKey): string;
}

function createWitness(name: string): TestWitness {
  const signing = deriveSigningKey(randomBytes(32));
  const publicKey = Buffer.from(signing.publicKey, "base64url");
  const key: NoteKey = { name, type: noteKeyTypes.witness, publicKey };
  const sign = (bytes: Uint8Array) => Buffer.from(signing.sign(bytes), "base64url");
  return {
    key,
    vkey: formatVerifierKey(key, sha256),
    cosign: (note, at = now(), as = key) =>
      note + cosignLine({ key: as, sign }, parseCheckpoint(note, sha256).note.text, at),
  };
}

/** Creates a session with a message, and signs its head. */
async function signSession() {
  const session = await createTestSession(transport);
  await session.post(session.convener, "a message");
  const { head } = await transport.call("session_seal", { session_id: session.sessionId });
  return { ...session, head };
}

const setPolicy = (policy: OutputOf<"set_witness_policy">["policy"]) =>
  transport.call("set_witness_policy", { policy, team_id: owner });

it("[WITNESS-7] [WITNESS-8] the log has every signed head once, grows consistently, and shows one signed checkpoint for a size", async () => {
  const first = await signSession();
  const earlier = await readCheckpoint();
  const second = await signSession();
  const later = await readCheckpoint();
  const [before, after] = [earlier, later].map(({ note }) => parseCheckpoint(note, sha256));
  if (!before || !after) throw new Error("Two checkpoints were read.");
  expect(after.size).toBeGreaterThan(before.size);
  expect(await findSigner(after, later.keys, noteCrypto)).toEqual(later.keys.at(-1));
  expect(await (await fetch(`${broker.url}/log/checkpoint`)).text()).toBe(later.note);
  expect((await readCheckpoint()).note).toBe(later.note);

  const { consistency } = await transport.call("get_log_proof", { from_size: before.size, size: after.size });
  const path = consistency.path.map((each) => Buffer.from(each, "hex"));
  const claim = { from: before.size, fromRoot: before.root, size: after.size, root: after.root, path };
  expect(verifyConsistency(claim, sha256)).toBe(true);
  await expectRefusal(transport.call("get_log_proof", { from_size: 0, size: after.size + 1 }), "conflict");

  const { entries, size } = await transport.call("get_log_entries", { from: 0 });
  expect(entries).toHaveLength(size);
  const heads = entries.map(parseLogEntry).flatMap((entry) => ("head" in entry ? [entry.head] : []));
  for (const { head } of [first, second])
    expect(heads.filter((each) => each.signature === head.signature)).toEqual([head]);
  // Hashing the entries again gives the signed root.
  const leaves = entries.map((text) => createHash("sha256").update(`\0${text}`).digest());
  expect(Buffer.from(hashTree(leaves))).toEqual(Buffer.from(after.root));
});

/** The root over leaves, by the definition of RFC 9162. */
function hashTree(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (leaves.length === 1 && only) return only;
  const half = 2 ** Math.floor(Math.log2(leaves.length - 1));
  return createHash("sha256")
    .update(Buffer.concat([Buffer.from([1]), hashTree(leaves.slice(0, half)), hashTree(leaves.slice(half))]))
    .digest();
}

it("[WITNESS-9] [WITNESS-10] a seal is not yet witnessed, is once enough witnesses have cosigned, and is proved with their cosignatures", async () => {
  const [ada, ben, eve] = ["ada", "ben", "eve"].map(createWitness) as [TestWitness, TestWitness, TestWitness];
  const { lies_withstood } = await setPolicy({ least: 2, witnesses: [ada.vkey, ben.vkey] });
  expect(lies_withstood).toBe(1);
  const { sessionId, convener } = await signSession();
  const proveSeal = () => transport.call("get_head_proof", { session_id: sessionId, sealed: true });
  await expectRefusal(proveSeal(), "conflict");
  await transport.call("conclude_session", {
    session_id: sessionId,
    team_id: convener,
    summary_section: "Done.",
  });
  expect(await proveSeal()).toMatchObject({ witnessed: false });

  const { note } = await readCheckpoint();
  const add = (cosigned: string) => transport.call("add_cosignature", { note: cosigned });
  await expectRefusal(add(note), "forbidden");
  await expectRefusal(add(eve.cosign(note)), "forbidden");
  await expectRefusal(add(ada.cosign(note, now() + 600)), "bad_request", "future");
  await expectRefusal(add(ben.cosign(note, now(), ada.key)), "bad_request", "invalid");
  expect(await add(ada.cosign(note))).toMatchObject({ cosigned_by: ["ada"], witnessed: false });
  expect(await proveSeal()).toMatchObject({ witnessed: false });
  expect(await add(ben.cosign(note))).toMatchObject({ cosigned_by: ["ada", "ben"], witnessed: true });

  const { head, proof, witnessed } = await proveSeal();
  expect(witnessed).toBe(true);
  const parsed = parseLogProof(proof, sha256);
  expect(isInLog(formatLogEntry({ head }), parsed, sha256)).toBe(true);
  const { keys } = await readCheckpoint();
  const log = keys.map((key) => toLogKey(key, parsed.checkpoint.origin)).at(-1);
  if (!log) throw new Error("The log has a key.");
  const policy = {
    logs: [log],
    witnesses: new Map([ada, ben].map(({ key }) => [key.name, key])),
    groups: new Map([["both", { least: 2, members: ["ada", "ben"] }]]),
    quorum: "both",
  };
  expect(formatPolicy({ log, witnesses: [ada.key, ben.key], least: 2 }, sha256)).toContain("quorum");
  expect(await checkCosigned(parsed.checkpoint, policy, { now: now(), ...noteCrypto })).toMatchObject({
    isEnough: true,
  });

  // A witness that goes back in time on a larger log sees why it is refused.
  await signSession();
  const larger = await readCheckpoint();
  expect(larger.witnessed).toContain("— ben ");
  await expectRefusal(add(ada.cosign(larger.note, now() - 600)), "bad_request", "older");
  await setPolicy(null);
});

it("[WITNESS-10] a checkpoint that this log never published gets no cosignature, even if it is signed", async () => {
  const ada = createWitness("ada");
  await setPolicy({ least: 1, witnesses: [ada.vkey] });
  await signSession();
  const { note } = await readCheckpoint();
  const other = note.replace(
    /^(.*\n)(\d+)\n/,
    (_, origin: string, size: string) => `${origin}${Number(size) + 1}\n`,
  );
  await expectRefusal(transport.call("add_cosignature", { note: ada.cosign(other) }), "conflict");
  await setPolicy(null);
  await expectRefusal(transport.call("add_cosignature", { note: ada.cosign(note) }), "forbidden");
});

it("[WITNESS-11] a policy is refused with a key under two names, the broker's own key, or more than all; only an admin sets it", async () => {
  const ada = createWitness("ada");
  const alias = { ...ada.key, name: "ben" };
  const { keys } = await readCheckpoint();
  const own = toLogKey({ public_key: keys.at(-1)?.public_key ?? "" }, "broker");
  if (!own) throw new Error("The broker has a key.");
  const asWitness = formatVerifierKey({ ...own, type: noteKeyTypes.witness }, sha256);
  const refused = [
    { least: 1, witnesses: [ada.vkey, formatVerifierKey(alias, sha256)] },
    { least: 1, witnesses: [asWitness] },
    { least: 2, witnesses: [ada.vkey] },
    { least: 1, witnesses: ["ada"] },
  ];
  for (const policy of refused) await expectRefusal(setPolicy(policy), "bad_request");
  const { convener } = await createTestSession(transport);
  await expectRefusal(transport.call("set_witness_policy", { policy: null, team_id: convener }), "forbidden");
  expect((await readCheckpoint()).policy).toBeNull();
});

it("[WITNESS-7] a post writes nothing to the log", async () => {
  const { sessionId, convener, post } = await signSession();
  await readCheckpoint();
  const count = async () => Number((await sql`SELECT count(*) FROM log_entries`)[0]?.["count"]);
  const before = await count();
  for (let index = 0; index < 20; index += 1) await post(convener, `message ${index}`);
  await transport.call("get_history", { session_id: sessionId, team_id: convener });
  expect(await count()).toBe(before);
});
