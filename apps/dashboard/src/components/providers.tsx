"use client";

import type { ReactNode } from "react";
import { BrokerProvider } from "@/lib/broker/broker-provider";
import { ShortcutProvider } from "@/lib/shortcuts/shortcut-provider";

/** What every page below has: the broker and the keyboard. */
export function Providers({ children }: { children: ReactNode }) {
  return (
    <BrokerProvider>
      <ShortcutProvider>{children}</ShortcutProvider>
    </BrokerProvider>
  );
}
