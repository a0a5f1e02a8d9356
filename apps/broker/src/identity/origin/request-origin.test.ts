import { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { createHostGuard } from "./hosts.js";
import { createOriginReader, type RequestOrigin } from "./request-origin.js";

type Headers = Readonly<Record<string, string | readonly string[]>>;

function arrive(
  from: string,
  headers: Headers,
  trusted: readonly string[],
  encrypted = false,
): RequestOrigin {
  const socket = new Socket();
  Object.defineProperty(socket, "remoteAddress", { value: from });
  if (encrypted) Object.defineProperty(socket, "encrypted", { value: true });
  const distinct = Object.entries(headers).map(([name, value]) => [name, [value].flat()]);
  return createOriginReader(trusted).read({
    headersDistinct: Object.fromEntries(distinct),
    socket,
    url: "/x",
  });
}

const proxy = "10.0.0.1";

describe("behind proxies", () => {
  it("[TLS-9] nobody is believed unless told: not a stranger, not this machine, not a neighbour of the range", () => {
    const headers = {
      host: "localhost",
      "x-forwarded-for": "1.1.1.1",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "mesh.example.com",
      forwarded: "for=1.1.1.1;host=mesh.example.com;proto=https",
    };
    for (const [from, trusted] of [
      ["203.0.113.9", []],
      ["127.0.0.1", []],
      ["::1", ["127.0.0.1"]],
      ["10.0.0.2", ["10.0.0.1"]],
      ["10.0.1.0", ["10.0.0.0/24"]],
      ["fe80::2", ["fe80::1"]],
    ] as const)
      expect(arrive(from, headers, trusted)).toEqual({
        address: from,
        secure: false,
        host: "localhost",
        origin: undefined,
        target: "/x",
      });
  });

  it("[TLS-9] a trusted proxy is believed, by address or range, IPv4 in the form of IPv6 too; Forwarded is not read", () => {
    const headers = {
      host: "localhost",
      "x-forwarded-for": "198.51.100.7",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "mesh.example.com",
    };
    for (const [from, trusted] of [
      ["10.0.0.1", ["10.0.0.1"]],
      ["::ffff:10.0.0.1", ["10.0.0.0/8"]],
      ["2001:db8::5", ["192.0.2.1", "2001:db8::/32"]],
      ["fe80::1%eth0", ["fe80::1"]],
    ] as const)
      expect(arrive(from, headers, trusted)).toMatchObject({
        address: "198.51.100.7",
        secure: true,
        host: "localhost",
        forwardedHost: "mesh.example.com",
      });
    expect(arrive(proxy, { forwarded: "for=1.1.1.1;proto=https" }, [proxy])).toMatchObject({
      address: proxy,
      secure: false,
    });
  });

  it("[TLS-9] the client is the rightmost address that is no trusted proxy's, however the headers are split", () => {
    const trusted = ["10.0.0.0/8"];
    const client = (forwarded: string | readonly string[]) =>
      arrive(proxy, { "x-forwarded-for": forwarded }, trusted).address;
    expect(client("1.1.1.1, 198.51.100.7")).toBe("198.51.100.7");
    expect(client("1.1.1.1, 198.51.100.7, 10.2.3.4")).toBe("198.51.100.7");
    expect(client(["1.1.1.1", "198.51.100.7 ,10.2.3.4"])).toBe("198.51.100.7");
    expect(client("10.9.9.9, 10.2.3.4")).toBe("10.9.9.9");
    expect(client("198.51.100.7:443")).toBe("198.51.100.7");
    expect(client("[2001:db8::7]:443")).toBe("2001:db8::7");
    expect(client("::ffff:198.51.100.7")).toBe("198.51.100.7");
  });

  it("[TLS-10] what is no address ends the search where the last trusted one stood", () => {
    const client = (forwarded: string) =>
      arrive(proxy, { "x-forwarded-for": forwarded }, ["10.0.0.0/8"]).address;
    for (const malformed of [
      "",
      ",",
      "unknown",
      "999.1.1.1",
      "1.1.1.1;x",
      "[",
      "[::1",
      "\u0000",
      "a".repeat(9_000),
    ]) {
      expect(client(malformed)).toBe(proxy);
      expect(client(`1.1.1.1, ${malformed}`)).toBe(proxy);
      expect(client(`1.1.1.1, ${malformed}, 10.2.3.4`)).toBe("10.2.3.4");
    }
  });

  it("[TLS-10] a protocol that is not plainly http counts as https, and without a word the connection's own", () => {
    const secure = (proto: string | undefined, encrypted = false) =>
      arrive(proxy, proto === undefined ? {} : { "x-forwarded-proto": proto }, [proxy], encrypted).secure;
    expect(["https", "wss", "", "x", "http, https", "https http"].map((each) => secure(each))).toEqual(
      Array(6).fill(true),
    );
    expect(["http", "HTTP", "https, http"].map((each) => secure(each, true))).toEqual([false, false, false]);
    expect([secure(undefined), secure(undefined, true)]).toEqual([false, true]);
  });

  it("[TLS-10] a forwarded host allows nothing that Host alone would not", () => {
    const guard = createHostGuard({
      listenHost: "127.0.0.1",
      allowedHosts: ["mesh.example.com"],
      getListeningUrl: () => "http://127.0.0.1:7423",
      findPublicUrl: () => null,
    });
    const check = (host: string, forwarded: string) => () =>
      guard.check(arrive(proxy, { host, "x-forwarded-host": forwarded }, [proxy]));
    expect(check("localhost:7423", "mesh.example.com")).not.toThrow();
    expect(check("mesh.example.com", "a.example, localhost")).not.toThrow();
    for (const bad of ["evil.example", "", "localhost, evil.example", "localhost/x", "http://localhost"]) {
      expect(check("localhost", bad)).toThrow("X-Forwarded-Host");
      expect(check(bad, "localhost")).toThrow("does not accept requests");
    }
  });

  it("[TLS-7] over TLS a page in clear text may not call, whatever its name; an allowed one of this machine may", () => {
    const guard = createHostGuard({
      listenHost: "127.0.0.1",
      allowedHosts: ["localhost:3000"],
      getListeningUrl: () => "https://127.0.0.1:7423",
      findPublicUrl: () => null,
      listCertifiedNames: () => ["mesh.example.com"],
    });
    const check = (origin: string, encrypted: boolean) => () =>
      guard.check(arrive("203.0.113.9", { host: "mesh.example.com", origin }, [], encrypted));
    expect(check("https://mesh.example.com", true)).not.toThrow();
    expect(check("http://localhost:3000", true)).not.toThrow();
    expect(check("http://localhost:3001", true)).toThrow("Origin");
    expect(check("http://mesh.example.com", false)).not.toThrow();
    expect(check("http://mesh.example.com", true)).toThrow("Origin");
    expect(check("HTTP://mesh.example.com", true)).toThrow("Origin");
  });
});

it("[HELLO-5] dialled is the broker at its own port and scheme, or exactly at an address that it was told", () => {
  const guard = createHostGuard({
    listenHost: "127.0.0.1",
    allowedHosts: ["localhost:8080", "mesh.example.com"],
    getListeningUrl: () => "http://127.0.0.1:7423",
    findPublicUrl: () => "https://agents.example.com:8443/mcp",
    listCertifiedNames: () => ["cert.example.com"],
  });
  const own = [
    ...["http://127.0.0.1:7423", "http://localhost:7423", "http://[::1]:7423", "http://localhost:8080"],
    ...["https://agents.example.com:8443", "https://mesh.example.com", "http://cert.example.com:7423"],
  ];
  const foreign = [
    ...["http://localhost:7500", "http://localhost", "https://localhost:7423", "http://192.0.2.1:7423"],
    ...["https://agents.example.com", "http://agents.example.com:8443", "http://agents.example.com:7423"],
    ...[
      "https://mesh.example.com:8443",
      "ws://localhost:7423",
      "localhost:7423",
      "http://localhost:7423/",
      "",
    ],
  ];
  expect(own.filter((each) => !guard.isOwnOrigin(each))).toEqual([]);
  expect(foreign.filter((each) => guard.isOwnOrigin(each))).toEqual([]);
});

it("[TLS-11] a trusted proxy is an address or a range, and nothing else", () => {
  for (const good of ["127.0.0.1", "10.0.0.0/8", "::1", "2001:db8::/32", "0.0.0.0/0"])
    expect(() => createOriginReader([good]), good).not.toThrow();
  for (const bad of [
    "",
    "localhost",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0/8",
    "::1/129",
    "1.1.1.1/8/8",
    "::1%lo",
    "1.1.1.1/-1",
  ])
    expect(() => createOriginReader([bad]), bad).toThrow(RangeError);
});
