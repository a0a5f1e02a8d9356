/** `npm run dev -- --port 7500` installs and builds once, then runs `dev-servers.mjs`. */
import { alone, build, install } from "./steps.mjs";

try {
  await alone(async () => {
    await install();
    await build();
  });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
await import("./dev-servers.mjs");
