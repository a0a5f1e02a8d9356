"use client";

import { ArrowDown, X } from "lucide-react";
import { type RefObject, useCallback, useEffect, useMemo, useState } from "react";
import { TimeText } from "@/components/time-text";
import { setQuery } from "@/core/address/address";
import { useSession } from "@/sessions/session-context";
import {
  type DocumentSection,
  extractLinkDefinitions,
  findChangedSections,
  splitSections,
} from "@/text/split-sections";
import { Button } from "@/ui/button";
import { type DocumentDraft, openDraftStorage } from "./document-draft";
import { DocumentSections } from "./document-sections";
import { KeepPlace } from "./keep-place";
import { DiscardDraft, SectionEditor } from "./lazy-faces";
import { PlainDocument, renderedCharsMax } from "./plain-document";
import { useVersion } from "./use-document";
import { usePointOut } from "./use-point-out";

export interface DocumentReaderProps {
  readonly doc: { readonly version: number; readonly content: string };
  /** True for the newest version, which may change while it is shown. */
  readonly isLive: boolean;
  readonly canEdit: boolean;
  readonly scroller: RefObject<HTMLElement | null>;
}

/** A section that is edited in place, and its text when editing began. */
interface EditedSection {
  readonly key: string;
  readonly title: string;
  readonly text: string;
  readonly baseVersion: number;
}

/** The text of the document. A new version replaces the old one without moving the scroll position. */
export function DocumentReader({ doc, isLive, canEdit, scroller }: DocumentReaderProps) {
  const { myTeamId } = useSession();
  const version = useVersion(doc.version);
  const isMine = !isLive || (version !== undefined && version.written_by_team_id === myTeamId);
  const { sections, news, acknowledge } = useSeenDocument(doc, isMine);
  const definitions = useMemo(() => extractLinkDefinitions(doc.content), [doc.content]);
  const { pointedOut, pointOut } = usePointOut(scroller);
  const [editedSection, setEditedSection] = useState<EditedSection | null>(null);
  const [draft, forgetDraft] = useKeptDraft(canEdit && editedSection === null);

  const edit = useCallback(
    ({ key, title, text }: DocumentSection) => {
      // If the section's text occurs twice, an edit in place would be ambiguous. Open the editor for the whole document
      // instead.
      if (doc.content.indexOf(text) !== doc.content.lastIndexOf(text)) setQuery({ edit: "1" });
      else setEditedSection({ key, title, text, baseVersion: doc.version });
    },
    [doc],
  );
  const resume = (storedDraft: DocumentDraft) => {
    const section = sections.find(({ text }) => text === storedDraft.section);
    if (storedDraft.section === null) setQuery({ edit: "1" });
    else
      setEditedSection({
        key: section?.key ?? "",
        title: section?.title ?? "of an earlier version",
        text: storedDraft.section,
        baseVersion: storedDraft.baseVersion,
      });
  };

  return (
    <>
      {draft && <DraftNote draft={draft} onResume={() => resume(draft)} onDiscard={forgetDraft} />}
      <KeepPlace scroller={scroller} version={doc.version}>
        {doc.content.length > renderedCharsMax ? (
          <PlainDocument content={doc.content} />
        ) : (
          <DocumentSections
            sections={sections}
            definitions={definitions}
            pointedOut={pointedOut}
            onEdit={canEdit && editedSection === null && draft === null ? edit : undefined}
            editor={
              editedSection && {
                key: editedSection.key,
                content: (
                  <SectionEditor
                    title={editedSection.title}
                    section={editedSection.text}
                    baseVersion={editedSection.baseVersion}
                    onClose={() => setEditedSection(null)}
                    onWhole={() => setQuery({ edit: "1" })}
                  />
                ),
              }
            }
          />
        )}
      </KeepPlace>
      {news && version && editedSection === null && (
        <ChangeNote
          writtenBy={version.written_by}
          version={doc.version}
          since={news.since}
          sections={sections.filter(({ key }) => news.changedKeys.has(key)).map(({ title }) => title)}
          onShow={() => {
            pointOut(news.changedKeys);
            acknowledge();
          }}
          onDismiss={acknowledge}
        />
      )}
    </>
  );
}

/** Returns the stored draft that can be resumed. Reads it again whenever nothing is being edited. */
function useKeptDraft(shouldRead: boolean): [DocumentDraft | null, () => void] {
  const { session } = useSession();
  const [draft, setDraft] = useState<DocumentDraft | null>(null);
  const draftStorage = useMemo(
    () => openDraftStorage(session.session_id, globalThis.localStorage),
    [session.session_id],
  );
  useEffect(() => setDraft(shouldRead ? draftStorage.read() : null), [draftStorage, shouldRead]);
  return [
    draft,
    () => {
      draftStorage.clear();
      setDraft(null);
    },
  ];
}

interface DraftNoteProps {
  readonly draft: DocumentDraft;
  readonly onResume: () => void;
  readonly onDiscard: () => void;
}

/** A note that the user has an unsaved draft. */
function DraftNote({ draft, onResume, onDiscard }: DraftNoteProps) {
  return (
    <div
      role="note"
      className="mb-3 flex flex-wrap items-center gap-2 rounded-md border bg-surface px-3 py-1 text-sm"
    >
      <p className="min-w-0 flex-1">
        You have an unsaved draft based on v{draft.baseVersion} (
        <TimeText at={draft.changedAt} />
        ).
      </p>
      <Button size="sm" variant="outline" onClick={onResume}>
        Keep editing
      </Button>
      <DiscardDraft onDiscard={onDiscard} />
    </div>
  );
}

interface DocumentNews {
  /** The version shown before the change. */
  readonly since: number;
  readonly changedKeys: ReadonlySet<string>;
}

interface ShownVersion {
  readonly version: number;
  readonly sections: readonly DocumentSection[];
}

const nothingChanged: ReadonlySet<string> = new Set();

/**
 * Returns the sections that changed since the user last acknowledged the document. The first version shown counts as
 * acknowledged, and so does the user's own version.
 */
function useSeenDocument(
  doc: { readonly version: number; readonly content: string },
  isMine: boolean,
): { sections: readonly DocumentSection[]; news: DocumentNews | null; acknowledge: () => void } {
  const sections = useMemo(() => splitSections(doc.content), [doc.content]);
  const [shownVersion, setShownVersion] = useState<ShownVersion>({ version: doc.version, sections });
  if (isMine && shownVersion.version !== doc.version) setShownVersion({ version: doc.version, sections });
  const news = useMemo<DocumentNews | null>(() => {
    if (shownVersion.version >= doc.version) return null;
    const changedKeys = findChangedSections(shownVersion.sections, sections);
    return { since: shownVersion.version, changedKeys: changedKeys.size > 0 ? changedKeys : nothingChanged };
  }, [shownVersion, doc.version, sections]);
  return { sections, news, acknowledge: () => setShownVersion({ version: doc.version, sections }) };
}

interface ChangeNoteProps {
  readonly writtenBy: string;
  readonly version: number;
  /** The version that was shown before. */
  readonly since: number;
  /** Titles of the sections that changed. */
  readonly sections: readonly string[];
  readonly onShow: () => void;
  readonly onDismiss: () => void;
}

/**
 * Notes that the document changed while it was being read, with a button to show the change. The note is sticky at the bottom of
 * the view, so nothing above it moves when it appears or disappears.
 */
function ChangeNote({ writtenBy, version, since, sections, onShow, onDismiss }: ChangeNoteProps) {
  return (
    <div className="sticky bottom-2 z-10 mx-auto mt-4 flex w-fit max-w-full items-center gap-2 rounded-lg border bg-background ps-3 pe-1 py-1 text-sm shadow-md">
      <p role="status" className="min-w-0 flex-1 truncate">
        <bdi className="font-medium">{writtenBy}</bdi>{" "}
        {sections.length > 0 ? (
          <>
            {" "}
            changed <bdi>{listTitles(sections)}</bdi>
          </>
        ) : (
          " removed text"
        )}
        <span className="text-muted-foreground tabular-nums">
          {" "}
          · v{version}
          {version - since > 1 && `, ${version - since} new versions`}
        </span>
      </p>
      {sections.length > 0 && (
        <Button variant="ghost" size="sm" onClick={onShow}>
          <ArrowDown aria-hidden /> Show
        </Button>
      )}
      <Button variant="ghost" size="icon" className="size-7" onClick={onDismiss}>
        <X aria-hidden />
        <span className="sr-only">Dismiss</span>
      </Button>
    </div>
  );
}

function listTitles(titles: readonly string[]): string {
  const [first = "", ...others] = titles.map((title) => (title === "" ? "the beginning" : title));
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
