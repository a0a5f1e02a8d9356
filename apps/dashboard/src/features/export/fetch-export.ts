import { pageHeaders } from "@/identity/page-token";
import { type ExportFormat, exportAddress } from "./export-address";

export interface FetchExportOptions {
  readonly signal: AbortSignal;
  readonly as?: ExportFormat;
  /** Called with the number of bytes received so far. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Fetches a session's export (default: the bundle) as a blob, which browsers keep on disk if it is large.
 *
 * @throws Error with the broker's message if the broker refuses
 */
export async function fetchExport(
  slug: string,
  { signal, as = "bundle", onBytes }: FetchExportOptions,
): Promise<Blob> {
  const response = await fetch(exportAddress(slug, as), { signal, headers: await pageHeaders() });
  if (!response.ok || response.body === null) throw new Error(await readReason(response));
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.length;
        onBytes?.(bytes);
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted).blob();
}

async function readReason(response: Response): Promise<string> {
  const answered: unknown = await response.json().catch(() => null);
  const { message } = Object(Object(answered)["error"]);
  return typeof message === "string" ? message : `The broker answered ${response.status}.`;
}
