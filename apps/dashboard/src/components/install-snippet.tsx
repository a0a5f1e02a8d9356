"use client";

import { isClearText, isLoopbackAddress, toInstallLine } from "@merkle/wire/text";
import { type AppInfo, useAppInfo } from "@/broker/use-app-info";
import { Snippet } from "@/components/snippet";
import { useHydrated } from "@/core/address/use-hydrated";

/** The command that installs `merkle` on a machine, shown above commands that need it. */
export function InstallSnippet({ className }: { readonly className?: string }) {
  const { data: info } = useAppInfo();
  const isHydrated = useHydrated();
  if (!info || !isHydrated) return null;
  const line = toInstallLine({ base: selectBase(info), keyPin: info.key_pin });
  if (line === null) {
    return (
      <p className={className}>
        To install <code className="font-mono">merkle</code>, open this page over https or on the broker’s
        machine. Over plain http, someone could tamper with the download.
      </p>
    );
  }
  return <Snippet label="Install merkle (once per machine)" text={line} className={className} />;
}

/**
 * Returns the address for the install command: the configured address for agents, or this page's origin. The origin is
 * used if the configured address is less secure than the page's origin, or if only the configured address is a loopback
 * address.
 */
function selectBase({ base_url }: AppInfo): string {
  const origin = window.location.origin;
  const isLocalElsewhere = isLoopbackAddress(base_url) && !isLoopbackAddress(origin);
  return isLocalElsewhere || (isClearText(base_url) && !isClearText(origin)) ? origin : base_url;
}
