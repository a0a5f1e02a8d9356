import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleFiles, type ForkEvidence, formatFork, toAuditKeyId } from "@merkle/wire/record";
import { TextReader, Uint8ArrayWriter, ZipWriter } from "@zip.js/zip.js/lib/zip-core.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testAuditKey } from "../kit/audit-key.js";
import { createTestSession } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
import { brokerTransports } from "../kit/transports.js";
import { noteCrypto, noteSigners, witnessVectors } from "../kit/witness-vectors.js";
import { download } from "./bundles.js";
import { type BundleTexts, makeBundle, makeKey } from "./made-bundle.js";

const script = fileURLToPath(new URL("../../docs/verify_record.py", import.meta.url));

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "merkle-python-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs the Python verifier on a bundle and returns its output. */
async function check(texts: BundleTexts, ...args: string[]): Promise<{ code: number; said: string }> {
  const zip = new ZipWriter(new Uint8ArrayWriter());
  for (const [name, text] of texts) await zip.add(name, new TextReader(text));
  return checkFile(await zip.close(), ...args);
}

async function checkFile(bytes: Uint8Array, ...args: string[]): Promise<{ code: number; said: string }> {
  const path = join(folder, "bundle.zip");
  await writeFile(path, bytes);
  return run("python3", [script, path, ...args]);
}

describe("a verifier in another language, which shares no code", { tags: "python" }, () => {
  it("[PROOF-4] accepts a record, computes the same roots, and knows a key and its successor", async () => {
    const first = makeKey();
    const made = makeBundle({ messages: 300, keys: [first, makeKey(first)] });
    const { code, said } = await check(made.texts, first.key.public_key);
    expect(said).toContain("300 messages and 3 versions, unchanged");
    expect(said).toContain(
      `root ${made.headAt(300).root}\ndocument root ${made.headAt(300).document.root}\n`,
    );
    expect(said).toContain(`signed by ${made.key.key.public_key}`);
    expect(code).toBe(0);
    const other = await check(made.texts, makeKey().key.public_key);
    expect(other).toMatchObject({
      code: 8,
      said: expect.stringContaining("a different key from the known one"),
    });
  });

  it("[PROOF-4] accepts what a broker exports, and finds its key at the well-known address", async () => {
    const broker = await startTestBroker();
    const transport = await brokerTransports.rest(broker.url);
    const {
      sessionId: session_id,
      convener: team_id,
      post,
    } = await createTestSession(transport, "Naïve 🌲 session");
    const { cursor } = await post(team_id, "A key: 1234");
    await post(team_id, "Line\none \u0007 “quoted” \\ 🌲");
    await transport.call("set_state", {
      session_id,
      team_id,
      key: "numbers",
      value: [1e21, -0.5, 1e-7, 5e-324, 0],
    });
    await transport.call("update_session_doc", {
      session_id,
      team_id,
      expected_version: 0,
      content: "# Goals\n",
    });
    await transport.call("redact_message", { session_id, team_id, sequence: cursor });
    await transport.call("conclude_session", { session_id, team_id, summary_section: "All done." });
    const answer = await fetch(`${broker.url}/.well-known/merkle-audit-key`);
    expect(await answer.json()).toEqual({ keys: [testAuditKey] });
    const { code, said } = await checkFile(await download(broker.url, session_id), testAuditKey.public_key);
    expect(said).toContain("unchanged since they were signed");
    expect(code).toBe(0);
  });

  it("[PROOF-4] refuses what was changed, and says where", async () => {
    const made = makeBundle();
    const edits: [file: string, from: string, to: string, says: string][] = [
      [bundleFiles.feed, "Message 12:", "Message 13:", "message 12 was changed after it was recorded"],
      [
        bundleFiles.feed,
        '"redacted":true',
        '"redacted":true,"text":"x"',
        "message 5 has a text without a salt",
      ],
      [bundleFiles.feed, '{"content_hash"', '{"a":1,"content_hash"', "the line of message 1 cannot be read"],
      [bundleFiles.versions, "Draft 2", "Draft 9", "version 2 was changed after it was recorded"],
      [bundleFiles.heads, '"size":30', '"size":31', "the head over 31 messages has an invalid signature"],
      [bundleFiles.manifest, "Auth refactor", "Auth rewrite", "the manifest has an invalid signature"],
      [bundleFiles.manifest, "{", '{"size":1,', "not canonical JSON"],
      [bundleFiles.roster, "{", '{"peers":[],', "roster.json cannot be read"],
    ];
    for (const [file, from, to, says] of edits) {
      const texts = new Map(made.texts);
      texts.set(file, (texts.get(file) ?? "").replace(from, to));
      const { code, said } = await check(texts);
      expect(said).toMatch(new RegExp(says));
      expect(code).toBe(8);
    }
  });
});

describe("checkpoints and forks, read by a verifier in another language", { tags: "python" }, () => {
  const write = async (name: string, text: string) => {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  };

  it("[WITNESS-22] accepts what the vectors' witnesses cosigned, and says when they are too few", async () => {
    const policy = await write("policy.txt", witnessVectors.policy);
    const cosigned = await write("cosigned.txt", witnessVectors.checkpoint_5_cosigned);
    const { code, said } = await run("python3", [script, cosigned, policy]);
    expect(said).toContain(`size 5, root ${witnessVectors.root_5}, signed by the log\n`);
    expect(said).toContain(
      "cosigned by ada at 2026-11-29T14:03:00Z\ncosigned by ben at 2026-11-29T14:03:02Z\n",
    );
    expect(code).toBe(0);
    const unwitnessed = await write("unwitnessed.txt", witnessVectors.checkpoint_3);
    const alone = await run("python3", [script, unwitnessed, policy]);
    expect(alone).toMatchObject({ code: 10, said: expect.stringContaining("NOT WITNESSED") });
  });

  it("[WITNESS-22] refuses other forms, changed signatures, and a key that a policy lists twice", async () => {
    const policy = await write("policy.txt", witnessVectors.policy);
    const note = witnessVectors.checkpoint_5_cosigned;
    const changed = [
      note.replace("\n5\n", "\n05\n"),
      note.replace("\n5\n", "\n6\n"),
      note.replaceAll("\n", "\r\n"),
      note.replace("\n5\n", "\n5\n\n"),
      note.replace("AAAAAGsMMJ", "AAAAAGsMMK"),
      note.replace("AAAAABrDDCU", "AAAAABrDDCV"),
      note.replace("=\n\n", "\n\n"),
    ].filter((each) => each !== note);
    expect(changed.length).toBeGreaterThan(4);
    for (const each of changed) {
      const file = await write("changed.txt", each);
      expect(await run("python3", [script, file, policy])).toMatchObject({ code: 8 });
    }
    const [, key = ""] = /^witness ada (\S+)$/m.exec(witnessVectors.policy) ?? [];
    const twice = witnessVectors.policy.replace(/^witness ben .*$/m, `witness ben ${key}`);
    const file = await write("cosigned.txt", note);
    expect(await run("python3", [script, file, await write("twice.txt", twice)])).toMatchObject({
      code: 8,
      said: expect.stringContaining("one key twice"),
    });
  });

  it("[WITNESS-22] accepts the evidence of a fork, and refuses one of a log that only grew", async () => {
    const [lines = "", later = ""] = witnessVectors.fork.request.split(/\n\n(.*)/s);
    const { publicKey } = noteSigners.log.key;
    const key = {
      key_id: toAuditKeyId(publicKey, noteCrypto.sha256),
      public_key: Buffer.from(publicKey).toString("base64url"),
      since: "2026-05-02T14:05:00.000Z",
      previous: null,
      succession: null,
    };
    const evidence: ForkEvidence = {
      format: "merkle-fork",
      version: 1,
      of: "checkpoints",
      keys: [key],
      earlier: witnessVectors.checkpoint_5_cosigned,
      later,
      from_root: Buffer.from(witnessVectors.fork.root_5_that_the_proof_has, "hex").toString("base64"),
      path: lines.split("\n").slice(1),
    };
    const fork = await write("fork.json", formatFork(evidence));
    expect(await run("python3", [script, fork, key.public_key])).toMatchObject({
      code: 0,
      said: expect.stringMatching(/^FORK: two histories of merkle\/[\s\S]*which is the known key/),
    });
    expect(await run("python3", [script, fork, makeKey().key.public_key])).toMatchObject({ code: 8 });

    const [proof = "", grown = ""] = witnessVectors.add_checkpoint_request.split(/\n\n(.*)/s);
    const honest: ForkEvidence = {
      ...evidence,
      earlier: witnessVectors.checkpoint_3,
      later: grown,
      from_root: Buffer.from(witnessVectors.root_3, "hex").toString("base64"),
      path: proof.split("\n").slice(1),
    };
    const file = await write("honest.json", formatFork(honest));
    expect(await run("python3", [script, file])).toMatchObject({
      code: 8,
      said: expect.stringContaining("does not show"),
    });
  });
});

function run(command: string, args: readonly string[]): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    execFile(command, args, { encoding: "utf8" }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, said: stdout + stderr });
    });
  });
}
