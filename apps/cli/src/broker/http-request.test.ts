import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { requestHttp, responseBytesMax } from "./http-request.js";

const patience = new AbortController().signal;

describe("an HTTP request of a command", () => {
  it("[CLI-7] brings the whole answer, whatever its status", async () => {
    const url = await serve(async (request, response) => {
      const said = `${request.method} ${request.headers["x-team-id"]} ${await text(request)}`;
      response.writeHead(409).end(JSON.stringify({ said }));
    });
    const answer = await requestHttp(url, {
      method: "PUT",
      headers: { "x-team-id": "me" },
      body: "ü",
      signal: patience,
    });
    expect({ ...answer, json: answer.json() }).toMatchObject({
      ok: false,
      status: 409,
      json: { said: "PUT me ü" },
    });
  });

  it("[CLI-7] what is no JSON is null as JSON", async () => {
    const url = await serve((_, response) => response.end("<html>"));
    const answer = await requestHttp(url, { signal: patience });
    expect([answer.ok, answer.text, answer.json()]).toEqual([true, "<html>", null]);
  });

  it("[CLI-7] follows where it is sent, with what it was to say, and not for ever", async () => {
    const asked: string[] = [];
    const url = await serve(async (request, response) => {
      asked.push(`${request.method} ${request.url} ${await text(request)}`);
      if (request.url === "/there") response.end("{}");
      else response.writeHead(308, { location: request.url === "/round" ? "/round" : "/there" }).end();
    });
    const found = await requestHttp(`${url}/here`, { method: "POST", body: "what", signal: patience });
    expect(found).toMatchObject({ ok: true, status: 200 });
    expect(asked).toEqual(["POST /here what", "POST /there what"]);
    expect(await requestHttp(`${url}/round`, { signal: patience })).toMatchObject({ ok: false, status: 308 });
  });

  it("[CLI-7] asks again on a new connection when the kept one was ended", async () => {
    let requests = 0;
    const url = await serve((request, response) => {
      requests += 1;
      if (requests === 2) request.socket.destroy();
      else response.end(String(requests));
    });
    expect((await requestHttp(url, { signal: patience })).text).toBe("1");
    // The connection can be reused only after the previous response's end has been processed.
    await new Promise(setImmediate);
    expect((await requestHttp(url, { signal: patience })).text).toBe("3");
  });

  it("[CLI-7] a cancelled request is not sent again, however many connections were kept", async () => {
    const waiting: ServerResponse[] = [];
    const url = await serve((request, response) => {
      if (request.url === "/wait") waiting.push(response);
      else if (waiting.length === 0) waiting.push(response);
      else for (const each of [...waiting.splice(0), response]) each.end();
    });
    // Two requests at a time, so that two connections are kept.
    await Promise.all([requestHttp(url, { signal: patience }), requestHttp(url, { signal: patience })]);
    await new Promise(setImmediate);
    const cancelled = new AbortController();
    const request = requestHttp(`${url}/wait`, { signal: cancelled.signal });
    await expect.poll(() => waiting.length).toBe(1);
    cancelled.abort(new Error("cancelled"));
    await expect(request).rejects.toThrow("cancelled");
  });

  it("[CLI-110] an endless answer ends at a bound, and its connection with it", async () => {
    const chunk = Buffer.alloc(1024 * 1024);
    let sent = 0;
    const endless = new Readable({
      read() {
        sent += chunk.length;
        // A safety limit, so that a client that never stops reading fails this test before it exhausts
        // memory.
        this.push(sent > 4 * responseBytesMax ? null : chunk);
      },
    });
    const url = await serve((_, response) => {
      response.once("close", () => endless.destroy());
      endless.pipe(response);
    });
    const ended = once(endless, "close");
    await expect(requestHttp(url, { signal: patience })).rejects.toMatchObject({
      code: "answer_too_long",
      exitCode: 3,
      message: expect.stringContaining("larger than 64 MiB"),
    });
    await ended;
    expect(sent).toBeLessThan(2 * responseBytesMax);
  });

  it("[CLI-110] the body of a redirect is not read", async () => {
    let closed: Promise<unknown> | undefined;
    const url = await serve((request, response) => {
      if (request.url === "/there") return response.end("arrived");
      closed = once(response, "close");
      // The body of the redirect never ends.
      return response.writeHead(307, { location: "/there" }).write("elsewhere");
    });
    expect((await requestHttp(`${url}/here`, { signal: patience })).text).toBe("arrived");
    await closed;
  });

  it("[CLI-7] an answer that breaks off is none, and neither is one that nobody waits for any more", async () => {
    const cut = await serve((_, response) => {
      response.writeHead(200, { "content-length": 100 });
      response.write("half", () => response.destroy());
    });
    await expect(requestHttp(cut, { signal: patience })).rejects.toMatchObject({ code: "ECONNRESET" });
    const silent = await serve(() => undefined);
    const signal = AbortSignal.timeout(50);
    await expect(requestHttp(silent, { signal })).rejects.toMatchObject({ name: "TimeoutError" });
    await expect(requestHttp(silent, { signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
  });
});

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

async function serve(answer: Answer): Promise<string> {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
