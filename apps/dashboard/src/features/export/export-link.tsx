"use client";

import type { ComponentProps, MouseEvent } from "react";
import { toRefusal } from "@/broker/refusal";
import { useAction } from "@/broker/use-action";
import { getPageToken } from "@/identity/page-token";
import { useToast } from "@/ui/toast-provider";
import { type ExportFormat, exportAddress } from "./export-address";
import { fetchExport } from "./fetch-export";

const endings: Readonly<Record<ExportFormat, string>> = {
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
 * Gives the person a session as a file. Where one is signed in the page fetches it, since a link that the browser follows by
 * itself brings the cookie alone, which is nobody.
 */
export function ExportLink({ slug, as, ...props }: ExportLinkProps) {
  const toast = useToast();
  const { run } = useAction();
  const address = exportAddress(slug, as);

  async function save(signal: AbortSignal): Promise<void> {
    if ((await getPageToken()) === undefined) return follow(address, "");
    try {
      const file = URL.createObjectURL(await fetchExport(slug, { signal, as }));
      follow(file, `${slug}.${endings[as]}`);
      // The browser has begun to save it by its next turn.
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
