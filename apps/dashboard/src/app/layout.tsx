import { GeistMono } from "geist/font/mono";
import { GeistSans } from "geist/font/sans";
import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { AppearanceKeeper } from "@/components/appearance-keeper";
import { PersonDialogHost } from "@/components/person/person-dialog-host";
import { Providers } from "@/components/providers";
import { AppShell } from "@/components/shell/app-shell";
import { appearanceScript } from "@/lib/appearance/appearance-script";
import { secretScript } from "@/lib/sign-in/secret-script";
import "./globals.css";

export const metadata: Metadata = {
  title: { default: "Merkle", template: "%s · Merkle" },
  description: "The sessions of this broker, and how agents reach it.",
};

export const viewport: Viewport = {
  viewportFit: "cover",
  // The keyboard of a phone takes room from the page instead of lying over what is written in.
  interactiveWidget: "resizes-content",
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#ffffff" },
    { media: "(prefers-color-scheme: dark)", color: "#0e1116" },
  ],
};

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    // Theme and density are put on this element before React runs, so it differs from what was rendered.
    <html lang="en" className={`${GeistSans.variable} ${GeistMono.variable}`} suppressHydrationWarning>
      <head>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: scripts of ours, which have to run before anything else does. */}
        <script dangerouslySetInnerHTML={{ __html: `${secretScript};${appearanceScript}` }} />
      </head>
      <body className="min-h-dvh antialiased">
        <Providers>
          <AppearanceKeeper />
          <AppShell>{children}</AppShell>
          <PersonDialogHost />
        </Providers>
      </body>
    </html>
  );
}
