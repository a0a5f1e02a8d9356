import type { NextConfig } from "next";
import { PHASE_DEVELOPMENT_SERVER } from "next/constants.js";

// Disables Next's telemetry. Next reads this variable after it has loaded the configuration.
process.env["NEXT_TELEMETRY_DISABLED"] = "1";

const broker = process.env["MERKLE_URL"] ?? "http://127.0.0.1:7423";

const exported: NextConfig = {
  output: "export",
  // The build skips type checking. `npm run check` and `npm test` check the types in a fraction of the time.
  typescript: { ignoreBuildErrors: true },
  // Source maps are not served, and generating them takes a fifth of the build time.
  experimental: { turbopackSourceMaps: false },
};

/**
 * Builds static files for the broker to serve. `next dev` forwards requests that only a broker can answer to a running broker.
 */
export default function config(phase: string): NextConfig {
  if (phase !== PHASE_DEVELOPMENT_SERVER) return exported;
  const brokerPaths = ["/ws", "/api/:path*", "/agents.md", "/openapi.json", "/health", "/metrics"];
  // Like the broker, `next dev` serves one exported page for all sessions.
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
