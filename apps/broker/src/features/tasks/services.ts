import type { FeedServices } from "../../feed/services.js";

export type TaskServices = FeedServices;
