import { createServer } from "node:net";
import { answerParent } from "../child.js";

/**
 * Refuses everything in the cheapest way there is: it reads nothing, and ends each connection as soon as it has it. What an
 * attacker takes from others beside it, it takes beside any server.
 */
const server = createServer((socket) => {
  socket.on("error", () => undefined);
  socket.destroy();
});

answerParent(
  (_question: { readonly start: true }) =>
    new Promise<{ port: number }>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve({ port: Object(server.address()).port }));
    }),
  async () => void server.close(),
);
