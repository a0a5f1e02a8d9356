"use client";

import type { ReactNode } from "react";
import { BrokerProvider } from "@/broker/broker-provider";
import { AnnouncerProvider } from "@/core/announcer/announcer-provider";
import { ShortcutProvider } from "@/core/keyboard/shortcut-provider";
import { features } from "@/features";
import { FeaturesContext } from "@/parts/features-context";
import { ToastProvider } from "@/ui/toast-provider";

/** The providers that every page needs: features, broker, shortcuts, announcements and toasts. */
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
