import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/**
 * Writes raw bytes to the broker's port and reads the first response. For requests that no HTTP client would send. The
 * request must ask to close the connection, or be so malformed that the broker closes it.
 */
export function sendRaw(port: number, ...parts: readonly (string | Buffer)[]): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const chunks: Buffer[] = [];
    socket.setTimeout(10_000, () => socket.destroy(new Error("No answer within 10 s.")));
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      const answer = parse(Buffer.concat(chunks).toString());
      if (!answer) return;
      socket.destroy();
      resolve(answer);
    });
    socket.once("error", reject);
    socket.once("close", () => reject(new Error(`Closed after ${Buffer.concat(chunks).toString()}`)));
    for (const part of parts) socket.write(part);
  });
}

/** Returns the response, or null if it is not complete yet. */
function parse(text: string): RawAnswer | null {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const headers = text.slice(0, end);
  const body = text.slice(end + 4);
  const length = /^content-length: *(\d+)/im.exec(headers)?.[1];
  const chunked = /^transfer-encoding: *chunked/im.test(headers);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(headers)?.[1]);
  if (status === 101) return { status, headers, body: "" };
  if (length !== undefined && Buffer.byteLength(body) < Number(length)) return null;
  if (chunked && !body.endsWith("0\r\n\r\n")) return null;
  return { status, headers, body };
}

/** Returns the text of an HTTP request with these headers. */
export function request(line: string, headers: readonly string[] = [], body = ""): string {
  return [`${line} HTTP/1.1`, ...headers, "Connection: close", "", body].join("\r\n");
}
