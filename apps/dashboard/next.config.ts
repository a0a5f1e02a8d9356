import type { NextConfig } from "next";
import { PHASE_DEVELOPMENT_SERVER } from "next/constants.js";

// Next reports how it is used unless told not to, and reads this once the configuration is loaded.
process.env["NEXT_TELEMETRY_DISABLED"] = "1";

const broker = process.env["MERKLE_URL"] ?? "http://127.0.0.1:7423";

const exported: NextConfig = {
  output: "export",
  // Types are checked by `npm run check` and `npm test`, in a fraction of the time.
  typescript: { ignoreBuildErrors: true },
  // No source map is served, and making them takes a fifth of the build.
  experimental: { turbopackSourceMaps: false },
};

/** Exported as static files for the broker to serve; `next dev` passes on to a running broker what only that can answer. */
export default function config(phase: string): NextConfig {
  if (phase !== PHASE_DEVELOPMENT_SERVER) return exported;
  const brokerPaths = ["/ws", "/api/:path*", "/agents.md", "/openapi.json", "/health", "/metrics"];
  // The broker serves the one exported page for every session; so does this.
  const sessionPages = ["", "/state", "/memory", "/audit", "/doc"].map((place) => ({
    source: `/sessions/:ref${place}`,
    destination: `/sessions/_${place}`,
  }));
  return {
    allowedDevOrigins: ["127.0.0.1"],
    rewrites: async () => ({
      beforeFiles: [
        ...sessionPages,
        ...brokerPaths.map((path) => ({ source: path, destination: `${broker}${path}` })),
      ],
      afterFiles: [],
      fallback: [],
    }),
  };
}
