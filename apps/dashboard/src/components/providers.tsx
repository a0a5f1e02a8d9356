"use client";

import type { ReactNode } from "react";
import { AnnouncerProvider } from "@/lib/announcer/announcer-provider";
import { BrokerProvider } from "@/lib/broker/broker-provider";
import { ShortcutProvider } from "@/lib/shortcuts/shortcut-provider";
import { ToastProvider } from "@/lib/toasts/toast-provider";

/** What every page below has: the broker, the keyboard, and ways to tell what happens. */
export function Providers({ children }: { children: ReactNode }) {
  return (
    <BrokerProvider>
      <ShortcutProvider>
        <AnnouncerProvider>
          <ToastProvider>{children}</ToastProvider>
        </AnnouncerProvider>
      </ShortcutProvider>
    </BrokerProvider>
  );
}
