import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { WebSocketServer } from "ws";
import { median } from "../statistics.js";
import type { Machine } from "./measurement.js";
import { openWatched, readFigures } from "./watched-page.js";

const rounds = 5;

/**
 * Measures the machine itself, using pages and a socket of a bare server, in the browser that all other measurements
 * use.
 */
export async function measureMachine(browser: Browser): Promise<Machine> {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/html");
    response.end(request.url === "/long" ? longPage : "<!doctype html><title>Empty</title><p>A page.</p>");
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) => socket.on("message", (data) => socket.send(data.toString())));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // The server listens on a port, so its address has this type.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  try {
    const paints: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const page = await openWatched(browser, url);
      await page.waitForFunction(() => Object(window).noted.lcp > 0);
      paints.push((await readFigures(page)).lcp);
      await page.context().close();
    }
    const long = await openWatched(browser, `${url}/long`);
    const [loop, socket, scroll] = [await timeLoop(long), await timeSocket(long), await scrollFrames(long)];
    await long.context().close();
    return { page: median(paints), loop, socket, scroll };
  } finally {
    for (const client of sockets.clients) client.terminate();
    sockets.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const longPage = `<!doctype html><title>Long</title>${Array.from(
  { length: 5_000 },
  (_, row) => `<p>${row}: what is said in a row of plain text, about as long as a message of a feed is.</p>`,
).join("")}`;

function timeLoop(page: Page): Promise<number> {
  return page.evaluate((times) => {
    const took = Array.from({ length: times }, () => {
      const begunAt = performance.now();
      let state = 1;
      for (let step = 0; step < 20_000_000; step += 1) state = (state * 48_271) % 2_147_483_647;
      return performance.now() - begunAt + (state < 0 ? 1 : 0);
    });
    return Math.min(...took);
  }, rounds);
}

/** Returns the median of 100 round trips. */
function timeSocket(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const socket = new WebSocket(location.href.replace("http", "ws"));
    await new Promise((resolve) => socket.addEventListener("open", resolve, { once: true }));
    const took: number[] = [];
    for (let trip = 0; trip < 100; trip += 1) {
      const sentAt = performance.now();
      const back = new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }));
      socket.send("a message");
      await back;
      took.push(performance.now() - sentAt);
    }
    socket.close();
    return took.sort((one, other) => one - other)[50] ?? Number.NaN;
  });
}

function scrollFrames(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const frames = 180;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const begunAt = performance.now();
    for (let frame = 0; frame < frames; frame += 1) {
      scrollBy(0, 300);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return frames / ((performance.now() - begunAt) / 1_000);
  });
}
