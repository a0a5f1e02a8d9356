/** What a client that knows channels shows its model as `<channel source="merkle" …>content</channel>`. */
export interface ChannelMessage {
  readonly content: string;
  /** Clients drop whatever is no string. */
  readonly meta: Readonly<Record<string, string>>;
}

/** By which a server says that it sends channel messages. */
export const channelCapability = { "claude/channel": {} };

export const channelMethod = "notifications/claude/channel";
