import { fromBase64 } from "@merkle/wire/record/html";

/** Whole groups of four characters; a megabyte in a turn keeps the page alive. */
const charsAtOnce = 2 ** 20;

/** The bytes of the record in this page, in pieces. @throws UnreadableZip */
export async function readRecord(page: Document): Promise<Uint8Array<ArrayBuffer>[]> {
  const text = page.getElementById("record")?.textContent ?? "";
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < text.length; at += charsAtOnce) {
    parts.push(fromBase64(text.slice(at, at + charsAtOnce)));
    await new Promise((resume) => setTimeout(resume));
  }
  return parts;
}
