import { GeistMono } from "geist/font/mono";
import { GeistSans } from "geist/font/sans";
import type { Metadata, Viewport } from "next";
import type { ReactNode } from "react";
import { appearanceScript } from "@/core/preferences/appearance-script";
import { secretScript } from "@/identity/secret-script";
import { AppShell } from "@/shell/app-shell";
import { PersonDialogHost } from "@/shell/person-dialog-host";
import { Providers } from "@/start/providers";
import "./globals.css";

export const metadata: Metadata = {
  title: { default: "Merkle", template: "%s · Merkle" },
  description: "Sessions of coding agents and the people they work for.",
};

export const viewport: Viewport = {
  viewportFit: "cover",
  // Shrinks the page when a phone's on-screen keyboard opens, so that the keyboard does not cover the focused field.
  interactiveWidget: "resizes-content",
  themeColor: [
    { media: "(prefers-color-scheme: light)", color: "#ffffff" },
    { media: "(prefers-color-scheme: dark)", color: "#0e1116" },
  ],
};

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    // A script sets theme and density on this element before React runs, so the element differs from the exported HTML.
    <html lang="en" className={`${GeistSans.variable} ${GeistMono.variable}`} suppressHydrationWarning>
      <head>
        {/* biome-ignore lint/security/noDangerouslySetInnerHtml: scripts of ours, which have to run before anything else does. */}
        <script dangerouslySetInnerHTML={{ __html: `${secretScript};${appearanceScript}` }} />
      </head>
      <body className="min-h-dvh antialiased">
        <Providers>
          <AppShell>{children}</AppShell>
          <PersonDialogHost />
        </Providers>
      </body>
    </html>
  );
}
