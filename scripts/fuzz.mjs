/**
 * `npm run test:fuzz` sends random input to every operation over every transport, and renders 1,000 hostile outputs of each. `npm
 * run test:fuzz -- frames 600` fuzzes one parser for 600 seconds, guided by code coverage.
 */
import { programs, run } from "./steps.mjs";

const args = process.argv.slice(2);
const fuzzer = ["--conditions", "merkle-source", "--import", "tsx", "tests/hostile/parsers/fuzz.ts"];
const all = [programs.vitest, "run", "--config", "tests/hostile/vitest.config.ts"];
process.exitCode = await run(process.execPath, args.length > 0 ? [...fuzzer, ...args] : all);
