import { createHash, createPublicKey, verify } from "node:crypto";
import {
  bundleFileNames,
  bundleFiles,
  type FeedLine,
  growTree,
  type RecordReport,
  toHex,
  toRedactedContent,
  type VerifyOptions,
  type VerifySignature,
  verifyBundle,
  writeJsonLine,
} from "@merkle/wire/record";
import { describe, expect, it } from "vitest";
import { type MadeBundle, makeBundle, makeKey, sha256, signManifest, toBundleSource } from "./made-bundle.js";

const verifySignature: VerifySignature = (publicKey, bytes, signature) => {
  const x = Buffer.from(publicKey).toString("base64url");
  return verify(
    null,
    bytes,
    createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" }),
    signature,
  );
};

function check(made: MadeBundle, options: Partial<VerifyOptions> = {}): Promise<RecordReport> {
  const own = { sha256, createSha256: () => createHash("sha256"), verifySignature };
  return verifyBundle(toBundleSource(made.texts), { ...own, ...options });
}

function change(made: MadeBundle, file: string, edit: (lines: string[]) => string[]): MadeBundle {
  const lines = (made.texts.get(file) ?? "").split("\n").slice(0, -1);
  made.texts.set(
    file,
    edit(lines)
      .map((line) => `${line}\n`)
      .join(""),
  );
  return made;
}

const editLine = (made: MadeBundle, number: number, edit: (line: FeedLine) => FeedLine) =>
  change(made, bundleFiles.feed, (lines) =>
    lines.map((line, index) => (index === number - 1 ? writeJsonLine(edit(JSON.parse(line))).trim() : line)),
  );

const withText = (line: FeedLine): FeedLine => ({
  ...line,
  message: { ...line.message, content: { ...line.message.content, text: "Something else" } },
});

describe("a record that nobody changed", () => {
  it("[VERIFY-1] is found whole, counted, and with the roots that its head signed", async () => {
    const made = makeBundle();
    const seen: number[] = [];
    const report = await check(made, { onRow: ({ number }) => seen.push(number) });
    expect(report.findings).toEqual([]);
    expect(report).toMatchObject({
      ok: true,
      size: 40,
      document_version: 3,
      root: made.headAt(40).root,
      document_root: made.headAt(40).document.root,
      matched: 40,
      redacted: 1,
      private: 1,
      signed_by: { key_id: made.key.key.key_id, trust: "first seen" },
    });
    expect(seen).toHaveLength(43);
  });

  it("[VERIFY-1] is found whole when it is empty, and at every size", async () => {
    for (const messages of [31, 32, 33, 64, 65]) {
      expect((await check(makeBundle({ messages }))).findings).toEqual([]);
    }
  });

  it("[VERIFY-6] shows a message to be under a root that was noted elsewhere", async () => {
    const made = makeBundle();
    const root = made.headAt(12).root;
    expect(await check(made, { trusted: { root }, message: 12 })).toMatchObject({
      ok: true,
      noted: { root, size: 12 },
    });
    expect((await check(made, { trusted: { root }, message: 13 })).findings).toMatchObject([
      { code: "noted", message: expect.stringContaining("do not include message 13") },
    ]);
    expect((await check(made, { trusted: { root: "0".repeat(64) } })).findings).toMatchObject([
      { code: "noted" },
    ]);
    expect((await check(made, { message: 41 })).findings).toMatchObject([{ code: "noted" }]);
  });
});

describe("a changed line", () => {
  it("[VERIFY-2] is named alone when its hash was left, and so are two", async () => {
    const made = editLine(editLine(makeBundle(), 12, withText), 20, (line) => ({
      ...line,
      message: { ...line.message, to: ["@frontend"] },
    }));
    const report = await check(made);
    expect(report.findings.filter(({ file }) => file === bundleFiles.feed)).toMatchObject([
      { code: "content", sequence: 12, line: 12, message: expect.stringContaining("The text of message 12") },
      { code: "content", sequence: 20, message: expect.stringContaining("its other fields") },
      { code: "file" },
    ]);
    expect(report).toMatchObject({ ok: false, matched: 38 });
  });

  it("[VERIFY-2] is found by the root beside it when its hash was made anew, and of two lines when the root was too", async () => {
    const original = makeBundle();
    const forge = (made: MadeBundle, number: number, withRoot: boolean) =>
      editLine(made, number, (line) => {
        const tree = growTree(sha256);
        for (const each of made.lines.slice(0, number - 1)) tree.push(Buffer.from(each.hash, "hex"));
        tree.push(sha256(Buffer.from("another leaf")));
        const hash = toHex(sha256(Buffer.from("another leaf")));
        return { ...line, hash, ...(withRoot ? { root: toHex(tree.root()) } : {}) };
      });
    const copy = () => ({ ...original, texts: new Map(original.texts) });
    expect((await check(forge(copy(), 9, false))).findings[0]).toMatchObject({
      sequence: 9,
      code: "content",
    });
    expect((await check(forge(copy(), 9, true))).findings[0]).toMatchObject({ sequence: 9, code: "content" });
    const rooted = editLine(copy(), 9, (line) => ({ ...line, root: "0".repeat(64) }));
    const [first] = (await check(rooted)).findings;
    expect(first).toMatchObject({ code: "root", sequence: 9, line: 9 });
    expect(first).not.toHaveProperty("from_sequence");
  });

  it("[VERIFY-3] is named when it is missing, doubled, moved, or cut off", async () => {
    const original = makeBundle();
    const edited = async (edit: (lines: string[]) => string[]) =>
      (await check(change({ ...original, texts: new Map(original.texts) }, bundleFiles.feed, edit)))
        .findings[0];
    expect(await edited((lines) => lines.toSpliced(9, 1))).toMatchObject({
      code: "sequence",
      sequence: 10,
      message: expect.stringContaining("Message 10 is missing"),
    });
    expect(await edited((lines) => lines.toSpliced(9, 0, lines[8] ?? ""))).toMatchObject({
      code: "sequence",
      sequence: 9,
    });
    expect(await edited((lines) => lines.toSpliced(9, 2, lines[10] ?? "", lines[9] ?? ""))).toMatchObject({
      code: "sequence",
      sequence: 10,
    });
    expect(await edited((lines) => lines.slice(0, 35))).toMatchObject({ code: "sequence", sequence: 36 });
  });

  it("[VERIFY-4] cannot be read when it is not canonical, or says what no hash vouches for", async () => {
    const original = makeBundle();
    const edited = async (edit: (line: string) => string) =>
      (
        await check(
          change({ ...original, texts: new Map(original.texts) }, bundleFiles.feed, (lines) =>
            lines.with(7, edit(lines[7] ?? "")),
          ),
        )
      ).findings[0];
    const wrong = { code: "form", sequence: 8, line: 8 };
    expect(await edited((line) => line.replace("{", "{ "))).toMatchObject(wrong);
    expect(
      await edited((line) => line.replace('"message":{', '"message":{"note":"trust me",')),
    ).toMatchObject(wrong);
    expect(await edited((line) => line.replace('"content":{', '"content":{"text":"twice",'))).toMatchObject(
      wrong,
    );
    expect(await edited((line) => line.slice(0, 50))).toMatchObject(wrong);
    expect(
      await edited((line) => line.replace('"content":', `"content":${'{"a":'.repeat(20_000)}`)),
    ).toMatchObject(wrong);
    const hidden = (
      await check(
        editLine({ ...original, texts: new Map(original.texts) }, 5, (line) => ({
          ...line,
          message: { ...line.message, content: { redacted: true, text: "what it never said" } },
        })),
      )
    ).findings[0];
    expect(hidden).toMatchObject({ code: "content", sequence: 5 });
  });
});

describe("a forged whole", () => {
  it("[VERIFY-5] is refuted by an older head, which says from where on", async () => {
    const [genuine, forged] = [makeBundle(), makeBundle()];
    const heads = [genuine.headAt(20)].map((head) => ({ ...head, session_id: forged.recordId }));
    const report = await check(forged, { trusted: { heads } });
    expect(report.findings).toMatchObject([
      { code: "head", sequence: 20, from_sequence: 1 },
      { code: "head", document_version: 3 },
    ]);
  });

  it("[VERIFY-5] is refuted by a key that is known, unless that one vouches for the new key", async () => {
    const [first, stranger] = [makeKey(), makeKey()];
    const second = makeKey(first);
    const trusted = { keys: [first.key] };
    expect(await check(makeBundle({ keys: [first] }), { trusted })).toMatchObject({
      ok: true,
      signed_by: { trust: "known" },
    });
    expect(await check(makeBundle({ keys: [first, second] }), { trusted })).toMatchObject({
      ok: true,
      signed_by: { trust: "succeeds a known one" },
    });
    expect(await check(makeBundle({ keys: [first, stranger] }), { trusted })).toMatchObject({
      ok: false,
      signed_by: { trust: "other than the known one" },
      findings: [{ code: "key" }],
    });
    const impostor = {
      ...second,
      key: { ...second.key, succession: stranger.key.succession, previous: null },
    };
    expect((await check(makeBundle({ keys: [first, impostor] }), { trusted })).ok).toBe(false);
  });

  it("[VERIFY-5] is refuted when it ends before a head that was seen earlier, and not when it is older than that head", async () => {
    const made = makeBundle();
    const seen = made.headAt(40);
    const longer = { ...seen, size: 50, at: "2026-05-02T11:59:00.000Z" };
    expect((await check(made, { trusted: { heads: [longer] } })).findings).toMatchObject([
      {
        code: "sequence",
        sequence: 41,
        message: expect.stringContaining("Messages 41 to 50 are missing at the end"),
      },
    ]);
    const later = { ...longer, at: "2026-05-02T12:00:01.000Z" };
    expect((await check(made, { trusted: { heads: [later] } })).ok).toBe(true);
  });

  it("[VERIFY-5] is found out by a changed signature, head, key, manifest, or file", async () => {
    const original = makeBundle();
    const edited = async (file: string, from: string | RegExp, to: string) => {
      const texts = new Map(original.texts);
      const text = texts.get(file) ?? "";
      texts.set(file, text.replace(from, to));
      expect(texts.get(file)).not.toBe(text);
      return (await check({ ...original, texts })).findings.map(({ code, file }) => `${code} ${file}`);
    };
    expect(await edited(bundleFiles.heads, '"size":30', '"size":29')).toContain("signature heads.ndjson");
    expect(await edited(bundleFiles.keys, /("key_id":"f*)[0-9a-e]/, "$1f")).toContain("key keys.json");
    expect(await edited(bundleFiles.manifest, "Auth refactor", "Auth rewrite")).toEqual([
      "head manifest.json",
      "signature manifest.json",
    ]);
    // Both the manifest and the head contain the roster's hash.
    expect(await edited(bundleFiles.roster, "[]", '["Eve"]')).toEqual([
      "file roster.json",
      "file roster.json",
    ]);
    expect(await edited(bundleFiles.roster, "{", '{"peers":[],')).toContain("form roster.json");
    expect(await edited(bundleFiles.state, "{", '{"key":"deploy",')).toContain("form state.ndjson");
    expect(await edited(bundleFiles.keys, "{", '{"since":"2020-01-01T00:00:00.000Z",')).toContain(
      "form keys.json",
    );
    expect(await edited(bundleFiles.manifest, "{", '{"size":1,')).toContain("form manifest.json");
    expect(await edited(bundleFiles.document, "Draft", "Graft")).toEqual([
      "file document.md",
      "file document.md",
    ]);
    expect(await edited(bundleFiles.versions, "Draft 2", "Draft 9")).toContain("content document.ndjson");
    const texts = new Map(original.texts).set("extra.txt", "hello");
    texts.delete(bundleFiles.state);
    expect((await check({ ...original, texts })).findings).toMatchObject([
      { code: "file", file: "state.ndjson", message: expect.stringContaining("missing") },
      { code: "file", file: "extra.txt" },
    ]);
  });

  it("[VERIFY-5] is found out by a conclusion whose head is over less than came before it", async () => {
    expect((await check(makeBundle({ sealedSize: 29 }))).findings).toMatchObject([
      {
        code: "head",
        sequence: 31,
        message: expect.stringContaining("29 messages, but 30 came before it"),
      },
    ]);
  });

  it("[VERIFY-7] whatever the bytes are, the answer is a report", async () => {
    const bytes = Buffer.from([0xff, 0x0a, 0xfe]);
    const names = Object.values(bundleFiles);
    const own = { sha256, createSha256: () => createHash("sha256"), verifySignature };
    const garbage = await verifyBundle(toBundleSource(new Map(names.map((name) => [name, bytes]))), own);
    expect(garbage).toMatchObject({ ok: false, session: null, head: null, size: 0 });
    const nothing = await verifyBundle(toBundleSource(new Map()), own);
    expect(nothing.findings).toHaveLength(bundleFileNames(2).length);
    const broken = {
      names: [...names],
      open: () => failing(),
    };
    const { findings } = await verifyBundle(broken, own);
    expect(findings).toContainEqual(
      expect.objectContaining({ code: "file", message: expect.stringContaining("The archive is damaged") }),
    );
  });
});

async function* failing(): AsyncGenerator<Uint8Array> {
  yield Buffer.from("{}\n");
  throw new Error("The archive is damaged");
}

describe("words that nobody signed whose word counts", () => {
  it("[VERIFY-11] are refused in format 2, whatever key of the list signed them, and are shown nowhere", async () => {
    const made = makeBundle();
    const stranger = makeKey();
    const { head, session } = JSON.parse(made.texts.get(bundleFiles.manifest) ?? "");
    made.texts.set(bundleFiles.keys, writeJsonLine([made.key.key, stranger.key]));
    signManifest(made.texts, { session, head, key: stranger });
    const report = await check(made, { trusted: { keys: [made.key.key] } });
    expect(report).toMatchObject({
      ok: false,
      session: null,
      exported_at: null,
      findings: [{ code: "key", file: "manifest.json", message: expect.stringContaining("does not vouch") }],
    });
    const forged = makeBundle({ keys: [stranger] });
    const text = forged.texts.get(bundleFiles.manifest) ?? "";
    const otherRoot = text.replace(/"root":"(.)/, (_, digit) => `"root":"${digit === "0" ? "1" : "0"}`);
    forged.texts.set(bundleFiles.manifest, otherRoot);
    expect(await check(forged, { trusted: { keys: [stranger.key] } })).toMatchObject({
      ok: false,
      signed_by: null,
      head: null,
    });
  });

  it("[VERIFY-11] a key that the head's vouches for signs the manifest, and nobody else's later key does", async () => {
    const first = makeKey();
    const second = makeKey(first);
    const signed = await check(makeBundle({ keys: [first, second], signer: first }));
    expect(signed).toMatchObject({ ok: true, session: { title: "Auth refactor" }, unproven: [] });
    const other = await check(makeBundle({ keys: [first, makeKey()], signer: first }));
    expect(other).toMatchObject({ ok: false, findings: [{ code: "key", file: "manifest.json" }] });
  });

  it("[VERIFY-12] a record of format 1 is read, and what it does not prove is said", async () => {
    expect(await check(makeBundle({ format: 1 }))).toMatchObject({
      ok: true,
      format: 1,
      session: { title: "Auth refactor" },
      unproven: [expect.stringContaining("no head covers the title")],
    });
    const copied = makeBundle({ format: 1 });
    const stranger = makeKey();
    const { head, session } = JSON.parse(copied.texts.get(bundleFiles.manifest) ?? "");
    copied.texts.set(bundleFiles.keys, writeJsonLine([copied.key.key, stranger.key]));
    signManifest(copied.texts, {
      session: { ...session, title: "What never was" },
      head,
      key: stranger,
      version: 1,
    });
    const report = await check(copied);
    expect(report).toMatchObject({
      ok: true,
      session: null,
      exported_at: null,
      unproven: [expect.stringContaining("no trusted key")],
    });
    expect(JSON.stringify(report)).not.toContain("What never was");
    // The export time cannot be trusted, so it does not excuse missing messages.
    const later = { ...copied.headAt(40), size: 50, at: "2026-06-01T00:00:00.000Z" };
    expect(await check(copied, { trusted: { heads: [later] } })).toMatchObject({ ok: false });
  });

  it("[VERIFY-13] a version without its text needs a message that removed it, and the newest never is without", async () => {
    const blank = (number: number) =>
      change(makeBundle(), bundleFiles.versions, (lines) =>
        lines.map((line, index) =>
          index === number - 1
            ? writeJsonLine({ ...JSON.parse(line), content: null, salt: null }).trim()
            : line,
        ),
      );
    const found = async (number: number) =>
      (await check(blank(number))).findings.filter(({ file }) => file === bundleFiles.versions);
    expect(await found(1)).toEqual([]);
    expect(await found(2)).toMatchObject([{ code: "content", document_version: 2 }, { code: "file" }]);
    expect(await found(3)).toMatchObject([
      { document_version: 3 },
      { document_version: 3, message: expect.stringContaining("is the newest") },
      { code: "file" },
    ]);
  });

  it("[VERIFY-13] a message without its text needs a message that removed just that one", async () => {
    const made = editLine(makeBundle(), 3, ({ message, ...line }) => ({
      ...line,
      salt: null,
      message: { ...message, content: toRedactedContent(message) },
    }));
    expect((await check(made)).findings.filter(({ code }) => code === "content")).toMatchObject([
      { sequence: 3, message: expect.stringContaining("no later message records its removal") },
    ]);
  });

  it("[VERIFY-14] an older export says that this machine has seen more", async () => {
    const made = makeBundle();
    const later = { ...made.headAt(40), size: 50, at: "2026-06-01T00:00:00.000Z" };
    expect(await check(made, { trusted: { heads: [later] } })).toMatchObject({
      ok: true,
      seen_later: { size: 50 },
    });
    expect(await check(made, { trusted: { heads: [made.headAt(40)] } })).toMatchObject({
      ok: true,
      seen_later: null,
    });
  });
});

describe("a long record", () => {
  it("[VERIFY-7] of lines that say nothing is given up after the hundredth", async () => {
    const made = makeBundle();
    let read = 0;
    const source = toBundleSource(made.texts);
    const own = { sha256, createSha256: () => createHash("sha256"), verifySignature };
    async function* newlines() {
      for (; read < 1000; read++) yield Buffer.alloc(64 * 1024, 10);
    }
    const open = (name: string) => (name === bundleFiles.feed ? newlines() : source.open(name));
    const report = await verifyBundle({ ...source, open }, own);
    expect(report).toMatchObject({ ok: false, size: 100 });
    expect(read).toBeLessThan(2);
  });

  it("[VERIFY-8] lets others have the thread, tells how far it is, and stops when it is told to", async () => {
    const made = makeBundle({ messages: 2000 });
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const told: number[] = [];
    await check(made, { onProgress: ({ log, done }) => log === "feed" && told.push(done) });
    clearInterval(timer);
    expect(told).toEqual([1000, 2000]);
    expect(turns).toBeGreaterThan(3);
    const stop = new AbortController();
    const stopped = check(made, { signal: stop.signal, onProgress: () => stop.abort(new Error("enough")) });
    await expect(stopped).rejects.toThrow("enough");
  });
});
