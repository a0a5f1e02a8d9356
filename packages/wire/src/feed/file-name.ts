import { limits } from "../core/limits.js";

/**
 * Returns a file's name as messages can carry it (ATTACH-3): without a path, without characters that cannot be seen, and
 * not too long.
 */
export function toFileName(name: string): string {
  const plain = name
    .replace(/^.*[/\\]/su, "")
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "_")
    .trim();
  return /^\.{0,2}$/.test(plain) ? "file" : cutFileName(plain, limits.fileNameBytesMax);
}

const extensionBytesMax = 20;

/** Shortens a name to a number of UTF-8 bytes. What programs recognise a file by, its extension, is kept. */
export function cutFileName(name: string, bytesMax: number): string {
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 ? cutBytes(name.slice(dot), extensionBytesMax) : "";
  const stem = dot > 0 ? name.slice(0, dot) : name;
  return `${cutBytes(stem, bytesMax - utf8.encode(extension).length)}${extension}`.trim();
}

const utf8 = new TextEncoder();

/** Cuts a text to a number of bytes without splitting a character. */
function cutBytes(text: string, bytesMax: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += utf8.encode(character).length;
    if (bytes > bytesMax) break;
    end += character.length;
  }
  return text.slice(0, end);
}
