import { createHash } from "node:crypto";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { saveReceived, toSafeName } from "./received-files.js";

let folder: string;
const { signal } = new AbortController();

beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "merkle-received-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  folder = join(root, "files", "peer-1", "12");
});

function toFacts(name: string, text: string) {
  return { name, size: Buffer.byteLength(text), digest: createHash("sha256").update(text).digest("hex") };
}

function save(name: string, text: string, sent = text): Promise<string> {
  return saveReceived(folder, toFacts(name, text), {
    signal,
    download: async () => Readable.from([Buffer.from(sent)]),
  });
}

it("[ATTACH-21] a received file is saved for its user alone", async () => {
  const path = await save("shot.png", "pixels");
  expect(path).toBe(join(folder, "shot.png"));
  expect(readFileSync(path, "utf8")).toBe("pixels");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

it("[ATTACH-22] a file never replaces another, and reading a file again returns the same path", async () => {
  const first = await save("build.log", "one");
  const second = await save("build.log", "two");
  expect([readFileSync(first, "utf8"), readFileSync(second, "utf8")]).toEqual(["one", "two"]);
  expect(second).toBe(join(folder, "build-2.log"));
  const again = await saveReceived(folder, toFacts("build.log", "two"), {
    signal,
    download: async () => expect.unreachable("the file is already here"),
  });
  expect(again).toBe(second);
});

it("[ATTACH-21] other bytes than the message names leave no file", async () => {
  for (const sent of ["pixelt", "pixe", "pixels and more", ""])
    await expect(save("shot.png", "pixels", sent)).rejects.toMatchObject({ code: "damaged" });
  expect(readdirSync(folder)).toEqual([]);
});

it("[ATTACH-21] a download that breaks off leaves no file", async () => {
  const broken = async () =>
    Readable.from(
      (async function* () {
        yield Buffer.from("pix");
        throw Object.assign(new Error("cut off"), { code: "ECONNRESET" });
      })(),
    );
  const saving = saveReceived(folder, toFacts("shot.png", "pixels"), { signal, download: broken });
  await expect(saving).rejects.toMatchObject({ code: "unreachable" });
  expect(readdirSync(folder)).toEqual([]);
});

it("[ATTACH-22] a link in the folder is not written through", async () => {
  await save("first.txt", "first");
  const target = join(folder, "..", "target");
  symlinkSync(target, join(folder, "shot.png"));
  await expect(save("shot.png", "pixels")).rejects.toMatchObject({ code: "file_exists" });
  writeFileSync(target, "another");
  expect(await save("shot.png", "pixels")).toBe(join(folder, "shot-2.png"));
  expect(readFileSync(target, "utf8")).toBe("another");
});

it.each([
  ["../../.bashrc", "bashrc"],
  ["C:\\Windows\\evil.exe", "evil.exe"],
  ["/etc/passwd", "passwd"],
  ["..", "file"],
  ["", "file"],
  ["a\u0000b\nc.txt", "a_b_c.txt"],
  ["photo\u202Egpj.exe", "photo_gpj.exe"],
  ["CON.txt", "_CON.txt"],
  ["Übersicht 2.pdf", "Übersicht 2.pdf"],
  [`${"é".repeat(200)}.log`, `${"é".repeat(58)}.log`],
])("[ATTACH-22] the name %j is saved as %j", (name, safe) => {
  expect(toSafeName(name)).toBe(safe);
});

it("[ATTACH-22] every name is safe", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (name) => {
      const safe = toSafeName(name);
      expect(safe).not.toMatch(/[/\\]|\p{Cc}|^\.|^$/u);
      expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(121);
    }),
  );
});
