import type { AttentionItem, InputOf, Message, OutputOf, OwnSignature, Peer } from "@merkle/wire";
import type { toAnswerWords } from "@merkle/wire/identity";
import type { LucideIcon } from "lucide-react";
import type { ComponentType, Ref, RefObject } from "react";
import type { ContentProbe } from "./content-probe";

/**
 * The parts that a feature adds to the core's pages. Each feature's entry file exports one of these objects, and
 * `features.ts` lists them. Every page loads all entry files, so they import their components lazily.
 */
export interface Feature {
  readonly navItems?: readonly NavItem[];
  readonly sessionTabs?: readonly SessionTab[];
  /** A section of the advanced settings. Loads together with the settings page. */
  readonly loadSettings?: () => Promise<{ readonly section: SettingsSection }>;
  /** Entries and hits for the command palette. Loads together with the palette. */
  readonly loadPalette?: () => Promise<PalettePart>;
  /** For each kind of item in Needs you: how to show such an item in full, and additional actions for it. */
  readonly attention?: Readonly<Partial<Record<AttentionItem["kind"], AttentionPart>>>;
  readonly session?: SessionParts;
  readonly files?: FileParts;
  readonly text?: TextParts;
  readonly removal?: RemovalParts;
  /** Additional actions in a message's menu. */
  readonly messageActions?: readonly MessageAction[];
  /** Loads what signs a person's words to the person's own agents, once a session has such an agent. */
  readonly loadSigner?: () => Promise<{ readonly openSigner: () => Promise<Signer | null> }>;
  /** Shown on the home page, above the list of sessions. */
  readonly Home?: ComponentType;
  /** Shown on the home page of a mesh without open sessions. */
  readonly Welcome?: ComponentType;
  /** Shown at the bottom edge of every page in the demo's mesh. */
  readonly DemoBar?: ComponentType;
}

/** A page that the sidebar, the command palette and a shortcut open. */
export interface NavItem {
  readonly href: string;
  readonly label: string;
  readonly Icon: LucideIcon;
  /** Name in the command palette and the keyboard help (default: the label). */
  readonly title?: string;
  /** Key to press after `g`. */
  readonly letter?: string;
  /**
   * `always`: in the sidebar. `used`: in the sidebar once the mesh has content for it. `phone`: only in the bottom bar of a
   * phone, which has no search button.
   */
  readonly visibility: "always" | "used" | "phone";
  /** Checks whether the mesh has content for this page. */
  readonly probe?: ContentProbe;
  /** If true, visiting the page counts as using it. */
  readonly isUsedByVisit?: true;
}

/** A tab of a session's page. */
export interface SessionTab {
  readonly label: string;
  /** The last part of the tab's URL, after the session. */
  readonly path: string;
  /** The shortcut that opens the tab. */
  readonly keys: string;
  /** True if the tab shows data of the mesh, which an observer of one session may not read. */
  readonly showsMesh?: true;
  /** Returns the number of items in the tab, or whether it has any. Empty tabs are under More. */
  readonly countItems?: (session: OutputOf<"get_session">) => number | boolean | undefined;
  /** A read that shows whether the tab has content, if `countItems` returns undefined. */
  readonly createProbe?: (session: string) => ContentProbe;
}

/** The groups of the settings page, in the order in which it shows them. */
export type SettingsGroup = "You" | "Notifications" | "People and access" | "Agents" | "Broker";

export interface SettingsSection {
  /** Identifies the section in the URL. */
  readonly anchor: string;
  readonly title: string;
  /** A sentence about the section and the scope of its settings. */
  readonly about: string;
  /** The heading under which the section is listed. */
  readonly group: SettingsGroup;
  /** Additional words that find the section, such as the names of its settings. */
  readonly keywords?: string;
  readonly Content: ComponentType;
  /** Restricts the section to brokers that admit only members, or to admins. */
  readonly audience?: "members" | "admins";
}

export type PaletteKind = "session" | "person" | "page" | "action" | "task" | "message";

/** A command palette entry that is found without asking the broker. */
export interface PaletteEntry {
  readonly key: string;
  readonly kind: PaletteKind;
  readonly label: string;
  /** Text next to the label, such as the session of a person or task, or that a session is closed. */
  readonly note: string;
  /** Additional words that match this entry. */
  readonly keywords?: readonly string[];
  readonly href?: string;
  readonly run?: () => void;
}

export interface PalettePart {
  /** Returns entries that were read before the user typed anything. */
  readonly useEntries?: () => readonly PaletteEntry[];
  /** A group below the best matches, with results from the broker. */
  readonly Hits?: ComponentType<PaletteHitsProps>;
}

type PostInput = Omit<InputOf<"post_message">, "team_id">;

/** Signs with the key of this device (OWN-8). */
export interface Signer {
  /** Returns the name of the agent that takes a message to this recipient as its user's words, or null. */
  readonly findOwnAgent: (peers: readonly Peer[], recipient: string) => string | null;
  /** Returns the input with a signature, if its only recipient is such an agent. */
  readonly sign: (input: PostInput, peers: readonly Peer[], recipient: string) => Promise<PostInput>;
  /** Returns the signature of an answer to the agent's questions, or undefined if the agent would not count it. */
  readonly signAnswer: (
    answer: Parameters<typeof toAnswerWords>[0],
    peers: readonly Peer[],
    askedBy: string,
  ) => Promise<OwnSignature | undefined>;
}

export interface MessageAction {
  readonly label: string;
  readonly Icon: LucideIcon;
  readonly run: (message: Message) => void;
}

export interface PaletteHitsProps {
  readonly query: string;
  readonly onGo: (href: string) => void;
}

export interface AttentionPart {
  /** Shown after the item's sentence in its row, such as the command of an approval. */
  readonly Line?: ComponentType<{ readonly item: AttentionItem }>;
  readonly Preview?: ComponentType<PreviewProps>;
  readonly Action?: ComponentType<{ readonly item: AttentionItem; readonly attempt: Attempt }>;
}

export interface PreviewProps {
  readonly item: AttentionItem;
  /** Called after an action in the preview. */
  readonly onDone: (note: ActionNote) => void;
}

/** What an action did, in one sentence. */
export interface ActionNote {
  readonly text: string;
  /** The page that shows the result, such as an answer in its session. */
  readonly href?: string;
}

/** An action that runs at most once at a time and reports its result. */
export interface Attempt {
  readonly isBusy: boolean;
  /** Why the last run failed. Null if it did not. */
  readonly failure: string | null;
  readonly run: (action: () => Promise<ActionNote>) => void;
}

export interface SessionParts {
  /** Mounted on every tab, outside the layout. */
  readonly Always?: ComponentType;
  /** An entry of the session's menu. */
  readonly MenuItem?: ComponentType<SessionMenuProps>;
  /** Reads what agents are doing, for the roster. */
  readonly RosterFacts?: ComponentType<RosterFactsProps>;
  /** Shown below the feed and the document. */
  readonly UnderFeed?: ComponentType;
  /** Shown to the right of feed and document on a very wide screen. */
  readonly BesideFeed?: ComponentType;
  /** Replaces the roster while the page shows the past. */
  readonly PastRoster?: ComponentType;
  /** Reads the number of messages per team, for the conclusion page. */
  readonly MessageCounts?: ComponentType<MessageCountsProps>;
  /** Shown on the audit page: how much each team did. */
  readonly Effort?: ComponentType;
  /** Shown over the feed: the changes since the person last read it. */
  readonly CatchUp?: ComponentType<{ readonly since: number; readonly onClose: () => void }>;
  /** Shown above the field in which a person writes the conclusion. */
  readonly ConclusionDraft?: ComponentType<ConclusionDraftProps>;
  /** Buttons below the feed of a closed session. */
  readonly Closed?: ComponentType;
  readonly conclusion?: {
    /** Buttons on the conclusion page. */
    readonly Actions: ComponentType;
    /** Shown at the top of the conclusion page. */
    readonly Mark: ComponentType;
    /** The broker's signature of the conclusion. */
    readonly Seal: ComponentType;
  };
}

/** The files of messages. */
export interface FileParts {
  /** A message's files, in the area that is reserved for them. */
  readonly OfMessage: ComponentType<{ readonly message: Message }>;
  /** The composer's button for files, and the files that were added to the draft. */
  readonly OfComposer: ComponentType<ComposerFilesProps>;
}

export interface ComposerFilesProps {
  /** The composer, on which files can be dropped. */
  readonly form: RefObject<HTMLFormElement | null>;
  /** The area above the field, in which the files are shown. */
  readonly slot: HTMLElement | null;
  /** Set by the component. */
  readonly uploads: Ref<DraftUploads>;
}

/** The uploads of files that were added to the draft and are not part of it yet. */
export interface DraftUploads {
  readonly isRunning: boolean;
  /** Why the draft cannot be sent, or null. */
  readonly problem: string | null;
  /** Resolves once all files are part of the draft. @throws MerkleError if an upload fails */
  settle(): Promise<void>;
}

export interface SessionMenuProps {
  /** Returns a handler that closes the menu before it runs the action. */
  readonly close: (action: () => void) => () => void;
}

/** Facts about a team's agent that the roster does not read itself. */
export interface RosterFact {
  readonly unread: number;
  /** Example: `12k tokens, $0.42`. Null if the agent reported no usage. */
  readonly usage: string | null;
  readonly wait: {
    readonly target: string;
    readonly text: string;
    readonly since: string;
    readonly human: boolean;
  } | null;
  readonly activity: {
    readonly text: string;
    /** Whether the text is quoted from the agent. */
    readonly isQuoted: boolean;
    readonly since: string;
  };
}

export interface RosterFactsProps {
  /** Called with the facts, by team id. */
  readonly onFacts: (facts: ReadonlyMap<string, RosterFact>) => void;
}

export interface MessageCountsProps {
  /** Called with the number of messages by team id. */
  readonly onCounts: (counts: ReadonlyMap<string, number>) => void;
}

/** A drafted conclusion that awaits a decision. */
export interface OpenDraft {
  readonly id: string;
  /** Whether the document has changed since the draft was written. */
  readonly isStale: boolean;
  /** Accepts the draft with this text, which concludes the session. */
  readonly accept: (text: string, signal: AbortSignal) => Promise<unknown>;
}

export interface ConclusionDraftProps {
  /** Id of the draft that the field's text is based on, or "". */
  readonly usedId: string;
  /** Whether the field is empty. If so, the draft is inserted automatically. */
  readonly isEmpty: boolean;
  /** Called with a draft when it appears, and with null when it is withdrawn. */
  readonly onDraft: (draft: OpenDraft | null) => void;
  /**
   * Called when the text in the field starts to be based on this draft. `text`, if given, replaces the field's text.
   */
  readonly onUse: (id: string, text?: string) => void;
}

/** Dialogs that remove text permanently. */
export interface RemovalParts {
  readonly OfMessage: ComponentType<{ readonly message: Message; readonly onClose: () => void }>;
  readonly OfVersion: ComponentType<RemovalOfVersionProps>;
}

export interface RemovalOfVersionProps {
  readonly version: OutputOf<"list_doc_versions">["versions"][number];
  readonly onRemoved: () => void;
  readonly onClose: () => void;
}

/** Parts around the text of a document or file. */
export interface TextParts {
  /** A button in the toolbar above the text. */
  readonly Tool?: ComponentType;
  /** Shown between the toolbar and the text. */
  readonly Above?: ComponentType;
  /** Shown in the margin of the text's newest version. */
  readonly Margin?: ComponentType<TextMarginProps>;
  /** Replaces the text while a proposal is reviewed. */
  readonly Review?: ComponentType<{ readonly proposalId: number }>;
  /** Shown next to the text while the URL contains `?perspective=`. */
  readonly Perspective?: ComponentType<{ readonly chosen: string }>;
}

/** The newest text and how it is rendered. */
export interface ShownText {
  /** The version of a document, or the hash of a file. */
  readonly revision: number | string;
  readonly content: string;
  /** `sections`: markdown, section by section. `lines`: plain text. `code`: one code block. */
  readonly layout: "sections" | "lines" | "code";
}

export interface TextMarginProps {
  readonly text: ShownText;
  /** The element that contains the rendered text. */
  readonly root: RefObject<HTMLElement | null>;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly canWrite: boolean;
}
