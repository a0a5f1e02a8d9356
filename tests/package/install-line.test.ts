import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { testMerkle } from "../../apps/cli/src/test-kit/merkle.js";
import { makeCertificate, writeCertificate } from "../kit/certificates.js";
import { startTestBroker } from "../kit/test-broker.js";
import { createTlsClient } from "../kit/tls-client.js";

const run = promisify(execFile);

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-install-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe("the install line", { tags: "curl" }, () => {
  it("[INSTALL-5] [INSTALL-6] [INSTALL-7] installs merkle for one user, from any folder, is upgraded and undone", async () => {
    const broker = await testMerkle();
    expect(await broker.run(["up", "--port", "0", "--detach"])).toMatchObject({ code: 0 });
    const { url } = await broker.readRunFile();

    const home = await makeFolder();
    const project = join(home, "project");
    await mkdir(project);
    const env = { HOME: home, PATH: process.env["PATH"], LANG: "C.UTF-8" };
    const { stdout, stderr } = await run("sh", ["-c", `curl -fsSL ${url}/install.sh | sh`], {
      cwd: project,
      env,
    });
    expect(stdout).toContain(join(home, ".local/bin/merkle"));
    expect(stderr).toContain('export PATH="$HOME/.local/bin:$PATH"');
    expect(await readdir(project)).toEqual([]);
    expect((await readdir(home)).sort()).toEqual([".local", ".merkle", "project"]);

    const merkle = (...args: string[]) =>
      run("sh", ["-c", 'export PATH="$HOME/.local/bin:$PATH"; merkle "$@"', "sh", ...args], {
        cwd: project,
        env,
      });
    expect((await merkle("status")).stdout).toContain("broker up");
    expect((await merkle("new", "Auth refactor")).stderr).toContain(
      "next: merkle launch --session auth-refactor",
    );

    const upgraded = await merkle("upgrade", "--cli", "-y");
    expect(upgraded.stderr).toMatch(/from localhost:\d+; this is [\d.]+\n {2}SHA-256 [0-9a-f]{64}/);
    await expect(merkle("upgrade", "--cli")).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("needs -y"),
    });
    expect((await merkle("version")).stdout).toMatch(/\d/);

    await merkle("uninstall", "--cli");
    expect(existsSync(join(home, ".local/bin/merkle"))).toBe(false);
    expect(await readdir(join(home, ".merkle"))).not.toContain("cli");
  });

  it("[INSTALL-12] says how to trust a broker behind an authority of one's own", async () => {
    const broker = await testMerkle();
    const authority = makeCertificate({ names: ["authority"], isAuthority: true });
    const { cert, key } = await writeCertificate(
      broker.home,
      makeCertificate({ names: ["localhost"], issuer: authority }),
    );
    const tls = ["--tls-cert", cert, "--tls-key", key, "--trusted-proxy", "127.0.0.1"];
    expect(await broker.run(["up", "--port", "0", "--detach", ...tls])).toMatchObject({ code: 0 });
    const { url } = await broker.readRunFile();
    // Requests the script with a proxy's headers, as if the request came through a proxy whose certificate the broker
    // does not know.
    const headers = { "x-forwarded-host": new URL(url).host, "x-forwarded-proto": "https" };
    const { text } = await createTlsClient(url, authority.cert).ask("/install.sh", { headers });
    expect(text).not.toContain("pinnedpubkey");

    const home = await makeFolder();
    const [script, file] = [join(home, "install.sh"), join(home, "authority.pem")];
    await writeFile(script, text);
    await writeFile(file, authority.cert);
    const env = { HOME: home, PATH: process.env["PATH"], LANG: "C.UTF-8" };
    const install = (more = {}) => run("sh", [script], { cwd: home, env: { ...env, ...more } });
    await expect(install()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `curl does not trust the certificate of ${url}. With the file of its authority, run:`,
      ),
    });
    const trusting = { CURL_CA_BUNDLE: file, NODE_EXTRA_CA_CERTS: file };
    expect((await install(trusting)).stderr).not.toContain("not trusted");
    const { stdout } = await run(join(home, ".local/bin/merkle"), ["status"], {
      env: { ...env, ...trusting },
    });
    expect(stdout).toContain("broker up");

    // curl uses the certificates that the operating system trusts. Node.js may not trust them.
    const systems = await broker.run(["install", "--cli", "--from", url], {
      env: { HOME: join(home, "other"), MERKLE_HOME: join(home, "other/.merkle") },
    });
    expect(systems).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/not trusted here.*NODE_EXTRA_CA_CERTS/),
    });
  });

  it("[INSTALL-6] does not replace a merkle that it did not write", async () => {
    const home = await makeFolder();
    const launcher = join(home, ".local/bin/merkle");
    await mkdir(join(home, ".local/bin"), { recursive: true });
    await writeFile(launcher, "#!/bin/sh\necho mine\n");
    const merkle = await testMerkle();
    const refused = await merkle.run(["install", "--cli"], { env: { HOME: home } });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(`${launcher} exists, and merkle did not write it.`);
    expect(await readFile(launcher, "utf8")).toContain("mine");
  });
});

describe("GET /install.sh and /cli.tgz", () => {
  it("[INSTALL-5] answer 503 until the package is packed, then the package", async () => {
    let finish: (bytes: Uint8Array) => void = () => undefined;
    const packed = new Promise<Uint8Array>((resolve) => {
      finish = resolve;
    });
    const { url } = await startTestBroker({ packCli: () => packed });
    const early = await fetch(`${url}/cli.tgz`);
    expect(early.status).toBe(503);
    expect(early.headers.get("retry-after")).toBe("2");
    expect(await early.json()).toMatchObject({
      error: { code: "unavailable", details: { reason: "building" } },
    });
    finish(new Uint8Array([1, 2, 3]));
    await expect.poll(async () => (await fetch(`${url}/cli.tgz`)).status).toBe(200);
    expect([...new Uint8Array(await (await fetch(`${url}/cli.tgz`)).arrayBuffer())]).toEqual([1, 2, 3]);
  });

  it("[INSTALL-5] refuse plain http to another machine", async () => {
    const { port } = await startTestBroker({
      allowedHosts: ["mesh.example.com"],
      packCli: async () => new Uint8Array(),
    });
    const { get } = await import("node:http");
    for (const path of ["/install.sh", "/cli.tgz"]) {
      const status = await new Promise((resolve, reject) => {
        get({ host: "127.0.0.1", port, path, headers: { host: "mesh.example.com" } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).on("error", reject);
      });
      expect(status, path).toBe(403);
    }
  });

  it("[INSTALL-5] the script pins the key of a certificate that no public authority signed", async () => {
    const folder = await makeFolder();
    const certificate = makeCertificate({ names: ["localhost"] });
    const tls = await writeCertificate(folder, certificate);
    const { port } = await startTestBroker({ tls, packCli: async () => new Uint8Array() });
    const client = createTlsClient(`https://localhost:${port}`, certificate.cert);
    const { key_pin } = JSON.parse((await client.ask("/api/app-info")).text);
    expect(key_pin).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    const { text } = await client.ask("/install.sh");
    expect(text).toContain(`--pinnedpubkey 'sha256//${key_pin}'`);
    expect(text).toContain("-----BEGIN CERTIFICATE-----");
    expect(text).toContain("install --cli --from");
  });
});
