"use client";

import type { ReactNode } from "react";
import { BrokerProvider } from "@/broker/broker-provider";
import { AnnouncerProvider } from "@/core/announcer/announcer-provider";
import { ShortcutProvider } from "@/core/keyboard/shortcut-provider";
import { features } from "@/features";
import { FeaturesContext } from "@/parts/features-context";
import { ToastProvider } from "@/ui/toast-provider";

/** The services of every page: the features, the broker, the keyboard, announcements and toasts. */
export function Providers({ children }: { children: ReactNode }) {
  return (
    <FeaturesContext value={features}>
      <BrokerProvider>
        <ShortcutProvider>
          <AnnouncerProvider>
            <ToastProvider>{children}</ToastProvider>
          </AnnouncerProvider>
        </ShortcutProvider>
      </BrokerProvider>
    </FeaturesContext>
  );
}
