import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { htmlRecord } from "./html-bundle.js";
import { checkSurroundingPage } from "./surrounding-page.js";
import type { RandomAccess } from "./zip-bundle.js";

const createSha256 = () => createHash("sha256");
const hashOf = (text: string) => createSha256().update(text).digest("hex");
const toFile = (text: string): RandomAccess => {
  const bytes = Buffer.from(text);
  return { size: bytes.length, read: async (offset, length) => bytes.subarray(offset, offset + length) };
};
const head = `<!doctype html>\n<title>A record</title>\n${htmlRecord.begin}`;
const tail = `${htmlRecord.end}<script>show()</script>\n`;
const ownPage = hashOf(head + tail);
const check = (text: string, own: string | null = ownPage) =>
  checkSurroundingPage(toFile(text), { createSha256, ownPage: own });

it("[VERIFY-15] a page is known by everything around its record, whatever the record is", async () => {
  for (const record of ["", "UEsD", "UEsD".repeat(100_000)])
    expect(await check(head + record + tail)).toBe("known");
  expect(await check("PK\u0003\u0004")).toBe("none");
});

it("[VERIFY-15] a byte more, less or else around the record makes the page foreign", async () => {
  const page = `${head}UEsD${tail}`;
  for (const forged of [
    ` ${page}`,
    `${page}\n`,
    `${page}<p>Ana agreed to pay.</p>`,
    page.replace("<title>", "<title>The real "),
    page.replace("show()", "forge()"),
    page.replace(htmlRecord.begin, `<p>forged</p>${htmlRecord.begin}`),
    page.replace(htmlRecord.end, `${htmlRecord.end}${htmlRecord.begin}UEsD${htmlRecord.end}`),
    page.slice(0, -1),
    `${page}${"x".repeat(9 * 1024 * 1024)}`,
  ])
    expect([forged.slice(0, 80), await check(forged)]).toEqual([forged.slice(0, 80), "foreign"]);
  expect(await check(page, null)).toBe("foreign");
});
