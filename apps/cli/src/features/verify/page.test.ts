import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { htmlRecord } from "@merkle/wire/record/html";
import { expect, inject, it, onTestFinished } from "vitest";
import { startTestBroker } from "../../../../../tests/kit/test-broker.js";
import { testMerkle } from "../../test-kit/merkle.js";

const template = `<!doctype html>\n<div id="page"></div>\n${htmlRecord.begin}${htmlRecord.end}<script>show()</script>\n`;
const forgery = "<p>Ana: I owe Ben 1,000,000.</p>";

it("[VERIFY-15] verify and import say that a forged page around a record that holds is not Merkle's, and print what was signed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "merkle-page-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  // Set up a package with its own page, and a broker that serves that page.
  await cp(dirname(dirname(inject("program"))), folder, { recursive: true });
  const dashboard = join(folder, "bundle/dashboard");
  await mkdir(dashboard, { recursive: true });
  for (const name of ["index.html", "404.html"]) await writeFile(join(dashboard, name), "<!doctype html>");
  await writeFile(join(dashboard, "record.template"), template);
  const broker = await startTestBroker({ dashboard });
  const merkle = await testMerkle(onTestFinished, join(folder, "bin/merkle.mjs"));
  const run = (...args: string[]) => merkle.run(args, { env: { MERKLE_URL: broker.url }, cwd: folder });
  await run("new", "Split auth", "--slug", "split-auth");
  await run("post", "split-auth", "We split the token table.");
  expect(await run("export", "split-auth", "--as", "html", "-o", "page.html")).toMatchObject({ code: 0 });
  const page = await readFile(join(folder, "page.html"), "utf8");
  expect(await run("verify", "page.html")).toMatchObject({
    code: 0,
    stdout: expect.not.stringContaining("not from Merkle"),
  });

  await writeFile(join(folder, "forged.html"), page.replace('<div id="page"></div>', forgery));
  const forged = await run("verify", "forged.html");
  expect(forged).toMatchObject({ code: 9, stderr: "" });
  expect(forged.stdout).toMatch(/^ {2}\d+ of \d+ match root /m);
  expect(forged.stdout).toContain("The record is valid, but the page around it is not from Merkle.");
  expect(forged.stdout).toContain('"Split auth", open');
  expect(forged.stdout).toMatch(/ {4}#\d+ .*: We split the token table\.\n?/);
  expect(forged.stdout).not.toContain("1,000,000");
  const { code, stdout } = await run("verify", "forged.html", "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([9, { ok: true, page: "foreign" }]);

  expect(await run("mesh", "create", "second")).toMatchObject({ code: 0 });
  const imported = await run("import", "forged.html", "--mesh", "second");
  expect(imported).toMatchObject({ code: 9, stderr: expect.stringContaining("is not from Merkle") });
  const again = await run("import", "page.html", "--mesh", "second", "--json");
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { page: "known", added: 0 }]);

  // A damaged record is reported before a page that is not from Merkle.
  const record = page.indexOf(htmlRecord.begin) + htmlRecord.begin.length;
  await writeFile(join(folder, "cut.html"), forgery + page.slice(0, record + 400) + page.slice(record + 800));
  expect((await run("verify", "cut.html")).code).toBe(8);
});
