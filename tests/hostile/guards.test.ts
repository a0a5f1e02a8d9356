import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { type RawAnswer, request, sendRaw } from "./raw-http.js";
import { expectDiscreet } from "./subject.js";

/**
 * Tests the checks that run before every transport: Host, Origin, content type, size, and requests that are barely
 * HTTP.
 */

let broker: TestBroker;
const cleanup = createCleanup();
beforeAll(async () => {
  const dashboard = await mkdtemp(join(tmpdir(), "merkle-pages-"));
  cleanup(() => rm(dashboard, { recursive: true, force: true }));
  await writeFile(join(dashboard, "index.html"), "<!doctype html><title>Merkle</title>");
  broker = await startTestBroker({ dashboard }, cleanup);
});

const json = "Content-Type: application/json";
const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
const session = JSON.stringify({ title: "Made by a stranger", creator_team_name: "Mallory" });

const upgrade = [
  "Upgrade: websocket",
  "Connection: Upgrade",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

/** One request for each transport, and one for each of the other URLs. */
const places: Record<string, (headers: readonly string[]) => string> = {
  REST: (headers) => request("GET /api/sessions", headers),
  "REST write": (headers) =>
    request("POST /api/sessions", [...headers, json, `Content-Length: ${session.length}`], session),
  MCP: (headers) => request("POST /mcp", [...headers, json, `Content-Length: ${call.length}`], call),
  "MCP below /api": (headers) =>
    request("POST /api/mcp", [...headers, json, `Content-Length: ${call.length}`], call),
  "the WebSocket upgrade": (headers) =>
    `${["GET /ws HTTP/1.1", ...headers, ...upgrade].join("\r\n")}\r\n\r\n`,
  health: (headers) => request("GET /health", headers),
  metrics: (headers) => request("GET /metrics", headers),
  "the description of the routes": (headers) => request("GET /openapi.json", headers),
  "the agents' page": (headers) => request("GET /agents.md", headers),
  "a static page": (headers) => request("GET /", headers),
  "no place at all": (headers) => request("GET /nowhere", headers),
};

function codeOf(answer: RawAnswer): string {
  expectDiscreet(answer.body);
  expect(answer.headers).toMatch(/^content-type: application\/json/im);
  const { error } = JSON.parse(answer.body);
  expect(Object.keys(error).sort()).toEqual(["code", "details", "message"]);
  expect(error.details).toBeTypeOf("object");
  return error.code;
}

/** Reads the counters that change when the broker serves anything. Reading them does not count as a call. */
async function counted() {
  const { body } = await sendRaw(broker.port, request("GET /metrics", ["Host: localhost"]));
  const sum = (name: string) =>
    [...body.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, "gm"))].reduce(
      (all, [, n]) => all + Number(n),
      0,
    );
  return {
    refused: sum("merkle_refusals_total"),
    requests: sum("merkle_requests_total"),
    sockets: sum("merkle_sockets"),
    subscriptions: sum("merkle_subscriptions"),
    posts: sum("merkle_posts_total"),
  };
}

async function expectForbidden(what: string, text: string): Promise<void> {
  const answer = await sendRaw(broker.port, text);
  expect(answer.status, what).toBe(403);
  expect(codeOf(answer), what).toBe("forbidden");
}

describe.each(Object.entries(places))("at %s", (name, place) => {
  const goodHosts = [
    "localhost",
    "localhost:7423",
    "LOCALHOST",
    "localhost.",
    "127.0.0.1",
    "127.0.0.1:80",
    "[::1]",
    "[::1]:7423",
  ];

  it("[AUTH-8] the broker answers to its own names, with any port", async () => {
    for (const host of goodHosts) {
      const { status } = await sendRaw(broker.port, place([`Host: ${host}`]));
      expect([200, 101, 404], host).toContain(status);
      expect(status === 404).toBe(name === "no place at all");
    }
  });

  const foreignHosts: Record<string, readonly string[]> = {
    "another name": ["Host: evil.example"],
    "another name with our port": ["Host: evil.example:7423"],
    "a rebinding name": ["Host: 127.0.0.1.nip.io"],
    "our name as a label of another": ["Host: localhost.evil.example"],
    "our name with something before it": ["Host: evil-localhost"],
    "our name below another": ["Host: a.localhost.example"],
    "a subdomain of localhost": ["Host: evil.localhost"],
    "a user before our name": ["Host: localhost@evil.example"],
    "a user before ours": ["Host: evil.example@localhost"],
    "another loopback address": ["Host: 127.0.0.2"],
    "a short address": ["Host: 127.1"],
    "a decimal address": ["Host: 2130706433"],
    "the wildcard": ["Host: 0.0.0.0"],
    "another IPv6 address": ["Host: [::2]"],
    "a mapped address": ["Host: [::ffff:7f00:1]"],
    "a machine of the network": ["Host: 192.168.1.7:7423"],
    nothing: ["Host: "],
    "no header": [],
    "two headers, the foreign one first": ["Host: evil.example", "Host: localhost"],
    "two headers, the foreign one last": ["Host: localhost", "Host: evil.example"],
    "two names in one": ["Host: localhost, evil.example"],
    "a space within": ["Host: localhost evil.example"],
    "a path": ["Host: localhost/evil"],
    "an address": ["Host: http://localhost"],
    "two trailing dots": ["Host: localhost.."],
    "a port that is none": ["Host: localhost:7423:80"],
  };

  it("[AUTH-8] every other Host, and none, is answered 403", async () => {
    for (const [what, headers] of Object.entries(foreignHosts)) await expectForbidden(what, place(headers));
  });

  it("[AUTH-9] pages of the broker's own names may call, of the port that they ask", async () => {
    for (const [host, origin] of [
      ["localhost:7423", "http://localhost:7423"],
      ["localhost:7423", "http://127.0.0.1:7423"],
      ["localhost:7423", "http://[::1]:7423"],
      ["127.0.0.1:9000", "http://localhost:9000"],
      ["localhost", "https://localhost"],
      ["localhost", "http://localhost"],
      ["localhost:80", "http://localhost"],
      ["localhost:443", "https://localhost"],
    ]) {
      const { status } = await sendRaw(broker.port, place([`Host: ${host}`, `Origin: ${origin}`]));
      expect([200, 101, 404], `${origin} asks ${host}`).toContain(status);
    }
  });

  const foreignOrigins: Record<string, readonly string[]> = {
    "another site": ["Origin: https://evil.example"],
    "another site at our port": ["Origin: http://evil.example:7423"],
    "our name at another port": ["Origin: http://localhost:3000"],
    "our address at another port": ["Origin: http://127.0.0.1:7424"],
    "our name at the port of the protocol": ["Origin: http://localhost"],
    "our name at no port": ["Origin: http://localhost:"],
    "a short address": ["Origin: http://127.1:7423"],
    "a decimal address": ["Origin: http://2130706433:7423"],
    "another loopback address": ["Origin: http://127.0.0.2:7423"],
    "a WebSocket's scheme": ["Origin: ws://localhost:7423"],
    null: ["Origin: null"],
    nothing: ["Origin: "],
    "our name as a prefix": ["Origin: http://localhost.evil.example:7423"],
    "our name as a suffix": ["Origin: http://evil-localhost:7423"],
    "our address as a prefix": ["Origin: http://127.0.0.1.evil.example:7423"],
    "a subdomain": ["Origin: http://evil.localhost:7423"],
    "a user": ["Origin: http://localhost:7423@evil.example"],
    "a path": ["Origin: http://localhost:7423/evil"],
    "a file": ["Origin: file://"],
    "an extension": ["Origin: chrome-extension://localhost:7423"],
    "another scheme": ["Origin: ftp://localhost:7423"],
    "no scheme": ["Origin: localhost:7423"],
    "a query": ["Origin: http://localhost:7423?evil.example"],
    "a list": ["Origin: http://localhost:7423 http://evil.example"],
    "two headers": ["Origin: http://localhost:7423", "Origin: https://evil.example"],
  };

  it("[AUTH-9] every other Origin is answered 403", async () => {
    for (const [what, headers] of Object.entries(foreignOrigins)) {
      await expectForbidden(what, place(["Host: localhost:7423", ...headers]));
    }
  });

  it("[GUARD-1] what is refused so costs the broker nothing: no request, connection or session is counted", async () => {
    const before = await counted();
    for (const headers of Object.values(foreignHosts)) await sendRaw(broker.port, place(headers));
    for (const headers of Object.values(foreignOrigins)) {
      await sendRaw(broker.port, place(["Host: localhost:7423", ...headers]));
    }
    expect(await counted()).toEqual({
      ...before,
      refused: before.refused + Object.keys(foreignHosts).length + Object.keys(foreignOrigins).length,
    });
  });

  it("[AUTH-8] a full address in the request line counts as the Host does", async () => {
    const asked = place(["Host: localhost"]);
    const meantFor = (base: string) => asked.replace(/^(\w+) \//, `$1 ${base}/`);
    for (const base of ["http://evil.example", "http://localhost@evil.example"]) {
      await expectForbidden(base, meantFor(base));
    }
  });
});

describe("requests that are barely HTTP", () => {
  const host = "Host: localhost";
  const post = (headers: readonly string[], body = "") =>
    request("POST /api/sessions", [host, ...headers], body);
  const withLength = (type: string, body: string) =>
    post([type, `Content-Length: ${Buffer.byteLength(body)}`], body);

  const notJson = [
    "text/plain",
    "text/json",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "application/vnd.api+json",
    "json",
    "application/xml",
    "text/plain; application/json",
    "application/jsonx",
    "*/*",
    "",
  ];

  it.each(notJson)("[AUTH-10] a body of type %j is answered 400 at REST and MCP", async (type) => {
    for (const path of ["/api/sessions", "/mcp", "/api/mcp"]) {
      const headers = [host, `Content-Type: ${type}`, `Content-Length: ${session.length}`];
      const answer = await sendRaw(broker.port, request(`POST ${path}`, headers, session));
      expect(answer.status, path).toBe(400);
      expectDiscreet(answer.body);
    }
  });

  it("[AUTH-10] JSON without a type, or as curl names it, is read where no browser can have sent it", async () => {
    const origin = `Origin: http://localhost:${broker.port}`;
    const ofBrowsers = [
      origin,
      "Origin: null",
      "Cookie: a=b",
      "Referer: http://localhost/",
      "Referer: ",
      "Sec-Fetch-Site: none",
      "Sec-Fetch-Mode: navigate",
    ];
    for (const type of [[], ["Content-Type: application/x-www-form-urlencoded"]]) {
      const headers = [...type, `Content-Length: ${session.length}`];
      expect((await sendRaw(broker.port, post(headers, session))).status).toBe(200);
      const form = await sendRaw(broker.port, post([...type, "Content-Length: 7"], "title=x"));
      expect(codeOf(form)).toBe("bad_request");
      for (const header of ofBrowsers) {
        const answer = await sendRaw(broker.port, post([...headers, header], session));
        expect([400, 403], header).toContain(answer.status);
      }
    }
    const rpc = await sendRaw(
      broker.port,
      request("POST /mcp", [host, `Content-Length: ${call.length}`], call),
    );
    expect(rpc.status).toBe(200);
  });

  it("[AUTH-10] the type may be written in capitals, and with parameters", async () => {
    for (const type of [
      "application/json; charset=utf-8",
      "Application/JSON",
      "application/json;charset=UTF-8",
      "application/json ; x=y",
    ]) {
      expect((await sendRaw(broker.port, withLength(`Content-Type: ${type}`, session))).status, type).toBe(
        200,
      );
    }
  });

  const malformed = [
    "",
    " ",
    "{",
    "}",
    "nonsense",
    "{'title': 1}",
    '{"title":1,}',
    "[1,2]",
    '"text"',
    "1",
    "null",
    "true",
    "\u0000",
    "{} {}",
    '{"a":01}',
    "NaN",
    '{"title":"\n"}',
    '{"title":"seen","title":"served"}',
    '{"title":"served","\\u0074itle":"seen"}',
    "\ufeff{}",
  ];

  it.each(malformed)("[REST-5] the body %j is answered 400", async (body) => {
    expect(codeOf(await sendRaw(broker.port, withLength(json, body)))).toBe("bad_request");
  });

  it("[REST-5] a body that is not UTF-8 is answered 400", async () => {
    const body = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]);
    const answer = await sendRaw(broker.port, post([json, `Content-Length: ${body.length}`]), body);
    expect(codeOf(answer)).toBe("bad_request");
  });

  it("[REST-5] an oversize body is answered 413 before it has been sent, with a length and without", async () => {
    const announced = await sendRaw(
      broker.port,
      post([json, `Content-Length: ${limits.httpBodyBytesMax + 1}`]),
    );
    expect(announced.status).toBe(413);
    expect(codeOf(announced)).toBe("payload_too_large");
    const chunk = `100000\r\n${"x".repeat(0x100000)}\r\n`;
    const chunked = await sendRaw(
      broker.port,
      post([json, "Transfer-Encoding: chunked"]),
      chunk,
      chunk,
      chunk,
    );
    expect(chunked.status).toBe(413);
    expect(codeOf(chunked)).toBe("payload_too_large");
  });

  it("[AUTH-2] a credential in a query is answered 400, whatever the method", async () => {
    const text = `${session.slice(0, -1)}}`;
    for (const line of ["GET /api/sessions?team_id=x", "GET /api/sessions?team%5Fid=x"]) {
      expect(codeOf(await sendRaw(broker.port, request(line, [host]))), line).toBe("bad_request");
    }
    const headers = [host, json, `Content-Length: ${text.length}`];
    const answer = await sendRaw(broker.port, request("POST /api/sessions?team_id=x", headers, text));
    expect(codeOf(answer)).toBe("bad_request");
  });

  it("[REST-3] a parameter given twice is answered 400", async () => {
    for (const query of [
      "limit=1&limit=2",
      "query=a&query=a",
      "__proto__=1&__proto__=2",
      "limit[]=1",
      "limit[a]=1",
    ]) {
      expect(codeOf(await sendRaw(broker.port, request(`GET /api/sessions?${query}`, [host]))), query).toBe(
        "bad_request",
      );
    }
  });

  const lost = [
    "/api",
    "/api/",
    "/api/sessions/",
    "/api/nowhere",
    "/api/sessions/x/y/z",
    "//evil.example/api",
    "/%2e%2e/etc/passwd",
    "/..%2f..%2fetc%2fpasswd",
    "/%00",
    "/%",
    "/%ff",
    "/api/sessions/%E0%A4%A",
    "/__proto__",
    "/constructor",
    "/index.html%00.png",
  ];

  it.each(lost)("[REST-4] GET %s is answered 404", async (path) => {
    const answer = await sendRaw(broker.port, request(`GET ${path}`, [host]));
    expect(codeOf(answer)).toBe("not_found");
    expect(answer.status).toBe(404);
  });

  it("[REST-4] a method that a path does not know is answered 404", async () => {
    for (const method of ["DELETE", "PUT", "OPTIONS", "TRACE", "PROPFIND", "PURGE"]) {
      expect(codeOf(await sendRaw(broker.port, request(`${method} /api/sessions`, [host]))), method).toBe(
        "not_found",
      );
    }
  });

  const broken: Record<string, string> = {
    "no HTTP at all": "hello\r\n\r\n",
    "an unknown method": request("BREW /api/sessions", [host]),
    "a target without a slash": request("GET api/sessions", [host]),
    "a backslash": request("GET /api\\sessions", [host]),
    "an asterisk": request("OPTIONS *", [host]),
    "another version": `GET / HTTP/9.9\r\n${host}\r\n\r\n`,
    "a header of 100 KiB": request("GET /health", [host, `X-Long: ${"x".repeat(100 * 1024)}`]),
    "an address of 100 KiB": request(`GET /${"x".repeat(100 * 1024)}`, [host]),
    "a header without a name": request("GET /health", [host, ": value"]),
    "a length that is no number": post([json, "Content-Length: many"], session),
    "two lengths": post([json, "Content-Length: 3", "Content-Length: 4"], session),
    "length and chunks": post([json, "Content-Length: 3", "Transfer-Encoding: chunked"], "0\r\n\r\n"),
    "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  };

  it.each(Object.entries(broken))(
    "[ERR-1] %s is answered by JSON, and nothing breaks",
    async (_what, text) => {
      const answer = await sendRaw(broker.port, text);
      expect([400, 403, 404]).toContain(answer.status);
      codeOf(answer);
    },
  );

  it("[GUARD-27] chunks that are none end a request that had begun, without an answer", async () => {
    const text = post([json, "Transfer-Encoding: chunked"], "zz\r\n");
    await expect(sendRaw(broker.port, text)).rejects.toThrow("Closed after ");
  });

  const handshakes: Record<string, readonly string[]> = {
    "without a key": upgrade.filter((line) => !line.includes("Key")),
    "with a short key": [...upgrade.slice(0, 3), "Sec-WebSocket-Key: x"],
    "of another version": [...upgrade.slice(0, 2), "Sec-WebSocket-Version: 7", ...upgrade.slice(3)],
    "to another protocol": ["Upgrade: h2c", ...upgrade.slice(1)],
    "with a broken subprotocol": [...upgrade, "Sec-WebSocket-Protocol: ,,"],
  };

  it.each(Object.entries(handshakes))(
    "[ERR-3] a handshake %s is answered by JSON",
    async (_what, headers) => {
      const answer = await sendRaw(
        broker.port,
        `${["GET /ws HTTP/1.1", host, ...headers].join("\r\n")}\r\n\r\n`,
      );
      expect(answer.status).toBe(400);
      expect(codeOf(answer)).toBe("bad_request");
    },
  );

  it("[REST-4] an upgrade at another path is answered 404", async () => {
    for (const path of ["/", "/ws/", "/api/ws", "/mcp", "/%77s"]) {
      const answer = await sendRaw(
        broker.port,
        `${[`GET ${path} HTTP/1.1`, host, ...upgrade].join("\r\n")}\r\n\r\n`,
      );
      expect(codeOf(answer), path).toBe("not_found");
    }
  });

  it("[ERR-7] after all this the broker is well", async () => {
    const health = await sendRaw(broker.port, request("GET /health", [host]));
    expect(health.status).toBe(200);
    expect(broker.logged.filter((line) => JSON.parse(line).level === "error")).toEqual([]);
  });
});
