import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished } from "vitest";
import { createTestSession } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
