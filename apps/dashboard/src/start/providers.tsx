"use client";

import type { ReactNode } from "react";
import { BrokerProvider } from "@/broker/broker-provider";
import { AnnouncerProvider } from "@/core/announcer/announcer-provider";
import { ShortcutProvider } from "@/core/keyboard/shortcut-provider";
import { ToastProvider } from "@/ui/toast-provider";

/** The services of every page below: the broker, the keyboard, and ways to tell what happens. */
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
