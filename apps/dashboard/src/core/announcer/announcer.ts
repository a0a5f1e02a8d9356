/** An event to announce to people who cannot see it. */
export type Announcement =
  /** New messages. Several messages are combined into one sentence. */
  | { readonly kind: "message"; readonly from: string }
  /** An ask addressed to this person. */
  | { readonly kind: "ask"; readonly text: string }
  | { readonly kind: "note"; readonly text: string };

export type AnnouncementLevel = "all" | "asks" | "off";

/** The text for the polite and for the assertive live region. */
export interface RegionTexts {
  readonly polite: string;
  readonly assertive: string;
}

const pauseMs = 5_000;

/** Limits announcements to one every five seconds. Only an ask to this person is announced immediately. */
export class Announcer {
  readonly #getLevel: () => AnnouncementLevel;
  readonly #updateRegions: (texts: Partial<RegionTexts>) => void;
  #pending: Announcement[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(getLevel: () => AnnouncementLevel, updateRegions: (texts: Partial<RegionTexts>) => void) {
    this.#getLevel = getLevel;
    this.#updateRegions = updateRegions;
  }

  announce(announcement: Announcement): void {
    const level = this.#getLevel();
    if (level === "off" || (level === "asks" && announcement.kind !== "ask")) return;
    if (announcement.kind === "ask") return this.#updateRegions({ assertive: announcement.text });
    this.#pending.push(announcement);
    if (this.#timer === undefined) this.#flush();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#pending = [];
  }

  #flush(): void {
    const text = describeAnnouncements(this.#pending);
    this.#pending = [];
    this.#timer = undefined;
    if (text === "") return;
    this.#updateRegions({ polite: text });
    this.#timer = setTimeout(() => this.#flush(), pauseMs);
  }
}

/**
 * Combines announcements into one sentence, such as `3 new from Atlas and Cedar`. Announcements of the kind `note` come
 * first.
 */
export function describeAnnouncements(announcements: readonly Announcement[]): string {
  const notes = announcements.flatMap((each) => (each.kind === "note" ? [each.text] : []));
  const senders = announcements.flatMap((each) => (each.kind === "message" ? [each.from] : []));
  const names = new Intl.ListFormat("en").format(new Set(senders));
  const messages = senders.length === 0 ? [] : [`${senders.length} new from ${names}`];
  return [...new Set(notes), ...messages].join(". ");
}
