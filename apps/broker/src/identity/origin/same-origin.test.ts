import { expect, it } from "vitest";
import { requireSameOrigin } from "./same-origin.js";

it("[GUARD-3] a change by cookie needs the Origin of the very address that was asked", () => {
  const ours = [
    { host: "localhost:7423", origin: "http://localhost:7423" },
    { host: "LOCALHOST:7423", origin: "http://localhost:7423" },
    { host: "[::1]:7423", origin: "http://[::1]:7423" },
    { host: "mesh.example.com", origin: "https://mesh.example.com", secure: true },
    { host: "mesh.example.com:443", origin: "https://mesh.example.com", secure: true },
    // Requests through a trusted proxy, and through an untrusted proxy.
    {
      host: "merkle",
      forwardedHost: "mesh.example.com",
      origin: "https://mesh.example.com",
      secure: true,
    },
    { host: "mesh.example.com", origin: "https://mesh.example.com" },
  ];
  for (const request of ours) expect(() => requireSameOrigin(request), request.origin).not.toThrow();

  const host = "localhost:7423";
  const foreign = [
    undefined,
    "null",
    "",
    "http://localhost",
    "http://localhost:3000",
    "http://127.0.0.1:7423",
    "http://evil.example:7423",
    "http://localhost:7423@evil.example",
    "http://localhost:7423/",
    "http://localhost:7423, http://evil.example",
    "ws://localhost:7423",
    "file://localhost:7423",
    "localhost:7423",
  ];
  for (const origin of foreign)
    expect(() => requireSameOrigin({ host, origin }), String(origin)).toThrow(
      expect.objectContaining({ code: "forbidden" }),
    );
  for (const request of [
    { host: undefined, origin: "http://localhost" },
    { host, origin: `http://${host}`, secure: true },
  ])
    expect(() => requireSameOrigin(request)).toThrow("only from pages at the same address");
});
