/** Thrown if a line is too long or not UTF-8. The rest of the file is then unreadable too. */
export class UnreadableLines extends Error {
  override readonly name = "UnreadableLines";
}

/**
 * Yields the lines of a file without line breaks, while the file is being read. Text after the last line
 * break counts as a line.
 *
 * @throws UnreadableLines if a line is too long or not UTF-8
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  lineBytesMax: number,
): AsyncGenerator<string> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;

  function take(part: Uint8Array): string {
    const line = pending.length === 0 ? part : concat([...pending, part], pendingBytes + part.length);
    pending = [];
    pendingBytes = 0;
    return decode(line);
  }

  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      yield take(chunk.subarray(start, end));
      start = end + 1;
    }
    const rest = chunk.slice(start);
    pendingBytes += rest.length;
    if (rest.length > 0) pending.push(rest);
    if (pendingBytes > lineBytesMax) throw new UnreadableLines(`A line has more than ${lineBytesMax} bytes.`);
  }
  if (pendingBytes > 0) yield take(new Uint8Array());
}

/** Returns the whole text of a small file. */
export async function readWhole(chunks: AsyncIterable<Uint8Array>, bytesMax: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new UnreadableLines(`The file has more than ${bytesMax} bytes.`);
    parts.push(chunk);
  }
  return decode(concat(parts, bytes));
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new UnreadableLines("It contains bytes that are not UTF-8.", { cause });
  }
}

function concat(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
