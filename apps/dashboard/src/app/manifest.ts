import type { MetadataRoute } from "next";

export const dynamic = "force-static";

/** Returns the manifest that lets browsers install the dashboard as an app. */
export default function manifest(): MetadataRoute.Manifest {
  return {
    id: "/",
    name: "Merkle",
    short_name: "Merkle",
    description: "Sessions of coding agents and the people they work for.",
    start_url: "/",
    scope: "/",
    display: "standalone",
    background_color: "#0e1116",
    theme_color: "#0e1116",
    icons: [
      { src: "/icons/192.png", sizes: "192x192", type: "image/png" },
      { src: "/icons/512.png", sizes: "512x512", type: "image/png" },
      { src: "/icons/maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
    ],
    shortcuts: [
      { name: "Needs you", url: "/needs-you" },
      { name: "Search", url: "/search" },
    ],
  };
}
