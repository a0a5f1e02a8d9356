"use client";

import type { ExportFormat } from "@merkle/wire";
import type { ComponentProps, MouseEvent } from "react";
import { toRefusal } from "@/broker/refusal";
import { useAction } from "@/broker/use-action";
import { findPageToken } from "@/identity/page-token";
import { useToast } from "@/ui/toast-provider";
import { buildExportAddress } from "./export-address";
import { fetchExport } from "./fetch-export";

const extensions: Readonly<Record<ExportFormat, string>> = {
  bundle: "zip",
  html: "html",
  md: "md",
  ndjson: "ndjson",
};

export interface ExportLinkProps extends Omit<ComponentProps<"a">, "href" | "download" | "onClick"> {
  readonly slug: string;
  readonly as: ExportFormat;
}

/**
 * Downloads a session as a file. In a signed-in browser the page fetches the file itself, because a plain link would send the
 * cookie without the page token.
 */
export function ExportLink({ slug, as, ...props }: ExportLinkProps) {
  const toast = useToast();
  const { run } = useAction();
  const address = buildExportAddress(slug, as);

  async function save(signal: AbortSignal): Promise<void> {
    if ((await findPageToken()) === undefined) return follow(address, "");
    try {
      const file = URL.createObjectURL(await fetchExport(slug, { signal, as }));
      follow(file, `${slug}.${extensions[as]}`);
      // Delayed to the next turn of the event loop, when the browser has started the download.
      setTimeout(() => URL.revokeObjectURL(file));
    } catch (error) {
      if (!signal.aborted) toast({ text: `Not exported: ${toRefusal(error).detail}`, tone: "failed" });
    }
  }

  function onClick(event: MouseEvent): void {
    event.preventDefault();
    void run(save);
  }

  return <a {...props} href={address} download onClick={onClick} />;
}

function follow(href: string, download: string): void {
  Object.assign(document.createElement("a"), { href, download }).click();
}
