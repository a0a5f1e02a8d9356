/**
 * A complete WebSocket text frame from a server, which is never masked (RFC 6455, section 5.2). Built once, it can be
 * written to any number of sockets.
 */
export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const header = frameHeader(payload.length);
  return Buffer.concat([header, payload], header.length + payload.length);
}

const finalText = 0x81;

function frameHeader(length: number): Buffer {
  if (length < 126) return Buffer.from([finalText, length]);
  if (length <= 0xffff) {
    const header = Buffer.from([finalText, 126, 0, 0]);
    header.writeUInt16BE(length, 2);
    return header;
  }
  const header = Buffer.alloc(10);
  header[0] = finalText;
  header[1] = 127;
  header.writeBigUInt64BE(BigInt(length), 2);
  return header;
}
