import { fromBase64 } from "@merkle/wire/record/html";

/** A multiple of four base64 characters. Decoding 1 MiB per turn of the event loop keeps the page responsive. */
const charsAtOnce = 2 ** 20;

/**
 * Returns the bytes of the record embedded in this page, in pieces.
 *
 * @throws UnreadableZip
 */
export async function readRecord(page: Document): Promise<Uint8Array<ArrayBuffer>[]> {
  const text = page.getElementById("record")?.textContent ?? "";
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let at = 0; at < text.length; at += charsAtOnce) {
    parts.push(fromBase64(text.slice(at, at + charsAtOnce)));
    await new Promise((resume) => setTimeout(resume));
  }
  return parts;
}
