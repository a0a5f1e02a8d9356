export { isClearText } from "../core/clear-text.js";
export { type ErrorCode, MerkleError } from "../core/errors.js";
export { limits } from "../core/limits.js";
export type { RetryOptions } from "./backoff.js";
export { type CallOptions, type ClientOptions, connect, type MerkleClient } from "./connect.js";
export type { ConnectionState } from "./connection-state.js";
export type { FeedChange, FeedOptions } from "./feed-reader.js";
export type { Hello, Introduction } from "./introduction.js";
export { LiveFeeds } from "./live-feeds.js";
export type { MeshChange, MeshWatch, WatchMeshOptions } from "./mesh-watch.js";
export type { Push } from "./pushes.js";
export type { LiveFeed } from "./shared-feed.js";
export type {
  FollowOptions,
  InboxOptions,
  Resync,
  Subscription,
  SubscriptionChange,
} from "./subscription.js";
export type { WebSocketClass, WebSocketLike } from "./web-socket.js";
export { toWebSocketUrl } from "./web-socket-url.js";
