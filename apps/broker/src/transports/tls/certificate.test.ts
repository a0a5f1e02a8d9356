import { generateKeyPairSync } from "node:crypto";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeCertificate, writeCertificate } from "../../../../../tests/kit/certificates.js";
import { readCertificate } from "./certificate.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "merkle-certificates-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const dayMs = 86_400_000;
const good = makeCertificate({ names: ["Mesh.example.com", "*.example.com", "192.0.2.1"] });

it("[TLS-2] a certificate is taken with its key, and with it the names that it is for, but no wildcards", async () => {
  const files = await writeCertificate(folder, good);
  expect(await readCertificate(files)).toMatchObject({ ...good, names: ["mesh.example.com", "192.0.2.1"] });
});

it("[TLS-2] a certificate that cannot be used is refused with what is wrong and what to do", async () => {
  const other = makeCertificate();
  const now = Date.now();
  const expired = makeCertificate({ from: new Date(now - 2 * dayMs), to: new Date(now - dayMs) });
  const early = makeCertificate({ from: new Date(now + dayMs), to: new Date(now + 2 * dayMs) });
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const locked = privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" });
  for (const [pair, sentence] of [
    [{ cert: good.cert, key: other.key }, "does not belong to the certificate"],
    [expired, /has expired \(20.*Renew it/],
    [early, /is not valid before 20.*clock/],
    [{ cert: "nothing", key: good.key }, /cert\.pem contains no PEM certificate/],
    [{ cert: good.cert, key: "nothing" }, /key\.pem contains no PEM private key/],
    [{ cert: good.cert, key: String(locked) }, /has a passphrase/],
    [
      {
        cert: `${good.cert}-----BEGIN CERTIFICATE-----\nbm90aGluZw==\n-----END CERTIFICATE-----\n`,
        key: good.key,
      },
      /cannot be used/,
    ],
  ] as const) {
    const reading = readCertificate(await writeCertificate(folder, pair));
    await expect(reading).rejects.toMatchObject({ name: "StartError", code: "bad_certificate" });
    await expect(reading).rejects.toThrow(sentence);
  }
  const files = await writeCertificate(folder, good);
  await expect(readCertificate({ ...files, cert: join(folder, "none") })).rejects.toThrow(
    /none does not exist/,
  );
  await expect(readCertificate({ ...files, key: folder })).rejects.toThrow(/cannot be read \(EISDIR\)/);
});

it("[TLS-2] a key that others may read is refused with the command that mends it", {
  tags: "posix",
}, async () => {
  const files = await writeCertificate(folder, good);
  const key = join(folder, "the key.pem");
  await writeFile(key, good.key);
  const asRoot = process.getuid?.() === 0;
  for (const mode of [0o644, 0o604, 0o660, ...(asRoot ? [] : [0o640])]) {
    await chmod(key, mode);
    const sentence = `(mode 0${mode.toString(8)}). Run: chmod 600 '${key}'`;
    await expect(readCertificate({ ...files, key })).rejects.toThrow(sentence);
  }
  for (const mode of [0o600, 0o400, ...(asRoot ? [0o640] : [])]) {
    await chmod(key, mode);
    await expect(readCertificate({ ...files, key })).resolves.toMatchObject(good);
  }
});
