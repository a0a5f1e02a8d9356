import { listMessageFiles, type Message, type MessageFile } from "@merkle/wire";

const imageTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** Returns whether pages show the file as an image. The broker has determined the type from the bytes. */
export function isImage({ type }: Pick<MessageFile, "type">): boolean {
  return imageTypes.has(type);
}

/** Returns a message's files: images, which are shown in a row, and the others, which have a line each. */
export function splitFiles(message: Message): {
  readonly images: readonly MessageFile[];
  readonly others: readonly MessageFile[];
} {
  const files = listMessageFiles(message);
  return { images: files.filter(isImage), others: files.filter((file) => !isImage(file)) };
}
