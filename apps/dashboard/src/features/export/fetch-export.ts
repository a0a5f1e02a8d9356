import type { ExportFormat } from "@merkle/wire";
import { readPageHeaders } from "@/identity/page-token";
import { buildExportAddress } from "./export-address";

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
  const response = await fetch(buildExportAddress(slug, as), { signal, headers: await readPageHeaders() });
  if (!response.ok || response.body === null) throw new Error(await readReason(response));
  let bytes = 0;
  const countedBody = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.length;
        onBytes?.(bytes);
        controller.enqueue(chunk);
      },
    }),
  );
  return new Response(countedBody).blob();
}

async function readReason(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null);
  const { message } = Object(Object(body)["error"]);
  return typeof message === "string" ? message : `The broker answered ${response.status}.`;
}
