import type { AttentionItem, OutputOf } from "@merkle/wire";
import type { LucideIcon } from "lucide-react";
import type { ComponentType, RefObject } from "react";
import type { Look } from "./look";

/**
 * The parts that a feature adds to the core's pages. Its entry file exports one of these, and `features.ts` lists them. Every
 * page loads all entries, so an entry imports its components lazily.
 */
export interface Feature {
  readonly places?: readonly Place[];
  readonly sessionTabs?: readonly SessionTab[];
  /** A section of the advanced settings, loaded with their page. */
  readonly settings?: () => Promise<{ readonly section: SettingsSection }>;
  /** Loaded together with the command menu. */
  readonly palette?: () => Promise<PalettePart>;
  /** How an item of Needs you is shown in full, and what else can be done about it, by the item's kind. */
  readonly attention?: Readonly<Partial<Record<AttentionItem["kind"], AttentionPart>>>;
  readonly session?: SessionParts;
  readonly text?: TextParts;
  /** On the first page, above the list of sessions. */
  readonly Home?: ComponentType;
  /** On the first page of a mesh without open sessions. */
  readonly Welcome?: ComponentType;
  /** Along the bottom edge of every page of the demo's mesh. */
  readonly DemoBar?: ComponentType;
}

/** A page that the sidebar, the command menu and a key lead to. */
export interface Place {
  readonly href: string;
  readonly label: string;
  readonly Icon: LucideIcon;
  /** What it is called in the command menu and in the list of keys (default: the label). */
  readonly title?: string;
  /** Pressed after `g`. */
  readonly letter?: string;
  /**
   * Where it is shown: always in the sidebar, there once the mesh has something for it, or only where the sidebar's search
   * button is missing.
   */
  readonly shown: "always" | "used" | "phone";
  /** Whether the mesh has something for it. */
  readonly look?: Look;
  /** A visit counts as a use. */
  readonly byVisit?: true;
}

/** A tab of a session's page. */
export interface SessionTab {
  readonly label: string;
  /** The part of the address after the session. */
  readonly place: string;
  /** The key that shows it. */
  readonly keys: string;
  /** It shows what belongs to the mesh, which an observer of one session may not read. */
  readonly ofMesh?: true;
  /** How much it has, or whether it has anything; a tab without content is under More. */
  readonly countOf?: (session: OutputOf<"get_session">) => number | boolean | undefined;
  /** Asked where `countOf` finds nothing. */
  readonly look?: (session: string) => Look;
}

export interface SettingsSection {
  /** Names the section in the address. */
  readonly anchor: string;
  readonly title: string;
  /** One sentence about the section and the scope of its settings. */
  readonly about: string;
  readonly Content: ComponentType;
  /** Shown only on a broker that admits only members, or only to an admin. */
  readonly only?: "members" | "admins";
}

export type PaletteKind = "session" | "person" | "page" | "action" | "task" | "message";

/** Something that the command menu leads to or does, known without asking the broker. */
export interface PaletteEntry {
  readonly key: string;
  readonly kind: PaletteKind;
  readonly label: string;
  /** Shown beside the label: the session of a person or task, or that a session is closed. */
  readonly note: string;
  /** Further words that find it. */
  readonly words?: readonly string[];
  readonly href?: string;
  readonly run?: () => void;
}

export interface PalettePart {
  /** Returns entries that were read before anything was typed. */
  readonly useEntries?: () => readonly PaletteEntry[];
  /** A group below the best matches, with what the broker finds. */
  readonly Hits?: ComponentType<PaletteHitsProps>;
}

export interface PaletteHitsProps {
  readonly query: string;
  readonly onGo: (href: string) => void;
}

export interface AttentionPart {
  readonly Preview?: ComponentType<{ readonly item: AttentionItem }>;
  readonly Action?: ComponentType<{ readonly item: AttentionItem; readonly attempt: Attempt }>;
}

/** An action that runs once at a time and reports its outcome in one sentence. */
export interface Attempt {
  readonly busy: boolean;
  readonly outcome: string | null;
  readonly run: (action: () => Promise<string>) => void;
}

export interface SessionParts {
  /** On every tab, without a place of its own. */
  readonly Always?: ComponentType;
  /** Reads what agents do now, for their places in the roster. */
  readonly RosterFacts?: ComponentType<RosterFactsProps>;
  /** Below the feed and the document. */
  readonly UnderFeed?: ComponentType;
  /** To the right of feed and document on a very wide screen. */
  readonly BesideFeed?: ComponentType;
  /** In place of the roster while the page shows the past. */
  readonly RosterThen?: ComponentType;
  /** Over the feed: what changed since the person last read. */
  readonly CatchUp?: ComponentType<{ readonly since: number; readonly onClose: () => void }>;
  /** Above the conclusion that a person writes. */
  readonly ConclusionDraft?: ComponentType<ConclusionDraftProps>;
  /** Buttons below the feed of a closed session. */
  readonly Closed?: ComponentType;
  readonly conclusion?: {
    /** Buttons of the conclusion's page. */
    readonly Actions: ComponentType;
    /** At the top of the page. */
    readonly Mark: ComponentType;
    /** What the broker signed. */
    readonly Seal: ComponentType;
  };
}

/** What is known about a team's agent, beyond the roster. */
export interface RosterFact {
  readonly unread: number;
  /** `12k tokens, $0.42`; null if the agent reported nothing. */
  readonly usage: string | null;
  readonly wait: {
    readonly whom: string;
    readonly text: string;
    readonly since: string;
    readonly human: boolean;
  } | null;
  readonly doing: {
    readonly text: string;
    /** Whether these are the agent's own words. */
    readonly quoted: boolean;
    readonly since: string;
  };
}

export interface RosterFactsProps {
  /** Called with the facts by the ids of their teams. */
  readonly onFacts: (facts: ReadonlyMap<string, RosterFact>) => void;
}

/** A drafted conclusion that waits for a decision. */
export interface OpenDraft {
  readonly id: string;
  /** Whether the document has changed since the draft. */
  readonly isStale: boolean;
  /** Accepts the draft with this text, which concludes the session. */
  readonly accept: (text: string, signal: AbortSignal) => Promise<unknown>;
}

export interface ConclusionDraftProps {
  /** The draft that the text in the field comes from, or "". */
  readonly usedId: string;
  /** Whether the field is empty: then it takes the draft by itself. */
  readonly isEmpty: boolean;
  /** Called when a draft is there, and with null when it is gone. */
  readonly onDraft: (draft: OpenDraft | null) => void;
  /** The text in the field comes from this draft from now on. A given text replaces it. */
  readonly onUse: (id: string, text?: string) => void;
}

/** Around the text of a document or a file. */
export interface TextParts {
  /** A button of its toolbar. */
  readonly Tool?: ComponentType;
  /** Between the toolbar and the text. */
  readonly Above?: ComponentType;
  /** In the margin of the newest text. */
  readonly Margin?: ComponentType<TextMarginProps>;
  /** In place of the text, to review one proposal. */
  readonly Review?: ComponentType<{ readonly proposalId: number }>;
  /** Beside the text while `?perspective=` is in the address. */
  readonly Perspective?: ComponentType<{ readonly chosen: string }>;
}

/** The newest text, as it is shown. */
export interface ShownText {
  /** The version of a document, the hash of a file. */
  readonly revision: number | string;
  readonly content: string;
  /** Markdown section by section, as it is written line by line, or all of it as one block of code. */
  readonly layout: "sections" | "lines" | "code";
}

export interface TextMarginProps {
  readonly text: ShownText;
  /** The element that the text is laid out in. */
  readonly root: RefObject<HTMLElement | null>;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly canWrite: boolean;
}
