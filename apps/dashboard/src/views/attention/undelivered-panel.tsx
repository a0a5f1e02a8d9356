"use client";

import { shortenAddress } from "@merkle/wire/text";
import { useId } from "react";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { ReadPanel } from "@/components/read-panel";
import { ListRow, RowList } from "@/components/row-list";
import { TimeText } from "@/components/time-text";
import { toPlainBrief } from "@/text/markdown/plain-brief";

/** The messages that have been undelivered for hours. `session` names a session, or `all` for all open sessions. */
export function UndeliveredPanel({ session }: { readonly session: string }) {
  const id = useId();
  const read = useRead("list_undelivered", session === "all" ? {} : { session }, { on: ["attention"] });
  return (
    <section aria-labelledby={id} className="grid min-w-0 gap-2">
      <div className="flex items-end justify-between gap-4">
        <h2 id={id} className="text-lg leading-7 font-semibold">
          Undelivered
        </h2>
        <PageLink href="/" className="text-sm text-link hover:underline pointer-coarse:py-3">
          All sessions
        </PageLink>
      </div>
      <ReadPanel read={read} failureTitle="Couldn't load undelivered messages.">
        {({ messages, total, for_s }) =>
          total === 0 ? (
            <p className="text-muted-foreground">
              Every message older than {describeSpan(for_s)} has been delivered.
            </p>
          ) : (
            <>
              <RowList label="Undelivered messages">
                {messages.map((message) => (
                  <ListRow
                    key={`${message.session_id} ${message.sequence}`}
                    title={
                      <PageLink
                        href={`/sessions/${message.session}?m=${message.sequence}`}
                        dir="auto"
                        className="line-clamp-2 hover:underline"
                      >
                        {message.text === "" ? `Message ${message.sequence}` : toPlainBrief(message.text)}
                      </PageLink>
                    }
                    facts={
                      <>
                        <bdi>{message.team}</bdi> to <bdi>{nameRecipients(message.to)}</bdi> in{" "}
                        <bdi>{message.session_title}</bdi> · <TimeText at={message.posted_at} />
                      </>
                    }
                  />
                ))}
              </RowList>
              {total > messages.length && (
                <p className="text-sm text-muted-foreground">and {total - messages.length} more</p>
              )}
            </>
          )
        }
      </ReadPanel>
    </section>
  );
}

function nameRecipients(to: readonly string[]): string {
  return to.map((each) => (each === "*" ? "everyone" : shortenAddress(each))).join(", ");
}

function describeSpan(seconds: number): string {
  const hours = Math.round(seconds / 360) / 10;
  return hours >= 1 ? `${hours} h` : `${seconds} s`;
}
