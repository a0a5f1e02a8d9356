import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { startTestBroker } from "../../../../tests/kit/test-broker.js";
import { testMerkle } from "../test-kit/merkle.js";
import { requestHttp } from "./http-request.js";

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, "listening");
  onTestFinished(() => void server.close());
}

describe("a broker on this machine", () => {
  it("[CLI-146] is found at 127.0.0.1 while another server has its port at [::1]", async (context) => {
    const { url, port } = await startTestBroker();
    const other = createServer((_request, response) => response.end("another program"));
    await listen(other, port, "::1").catch(() => context.skip("this machine has no ::1"));
    const signal = new AbortController().signal;
    const { text } = await requestHttp(`http://localhost:${port}/api/sign-in`, { signal });
    expect(JSON.parse(text)).toMatchObject({ auth: "open" });
    expect(url).toContain(String(port));
  });

  it("[CLI-161] is reached although the machine gives the command no time while it connects", async () => {
    const { port } = await startTestBroker();
    const signal = new AbortController().signal;
    const answer = requestHttp(`http://localhost:${port}/api/sign-in`, { signal });
    // Wait until the connection is established, before this thread blocks.
    await new Promise(setImmediate);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    expect(await answer).toMatchObject({ ok: true });
  });

  it("[CLI-146] is reached without the proxy that the environment names", async () => {
    const { url } = await startTestBroker();
    const proxy = createTcpServer((socket) => socket.destroy());
    await listen(proxy, 0, "127.0.0.1");
    const through = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const merkle = await testMerkle();
    const env = { MERKLE_URL: url, NODE_USE_ENV_PROXY: "1", HTTP_PROXY: through, HTTPS_PROXY: through };
    expect(await merkle.run(["ls"], { env })).toMatchObject({ code: 0 });
    expect(await merkle.run(["new", "Behind a proxy"], { env })).toMatchObject({ code: 0 });
    expect(await merkle.run(["post", "behind-a-proxy", "hello"], { env })).toMatchObject({ code: 0 });
    const tail = ["tail", "behind-a-proxy", "--until-closed", "--since", "0"];
    const following = merkle.start(tail, { env });
    await following.waitForOutput("hello");
    following.process.kill("SIGTERM");
    await following.ended;
  });
});
