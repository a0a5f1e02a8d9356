import { afterAll, afterEach, expect } from "vitest";
import { takeLeaks } from "./canary.js";

afterEach(() => expect(takeLeaks(), "secrets where none belong [SECRET-1]").toEqual([]));
// Catches secrets that were leaked while the test file's brokers and commands were stopping.
afterAll(() => expect(takeLeaks(), "secrets where none belong [SECRET-1]").toEqual([]));
