"use client";

import type { Topic } from "@merkle/wire";
import { MessageSquarePlus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { ProblemAlert } from "@/components/problem-alert";
import type { ShownText } from "@/parts/feature";
import { useSource } from "@/sessions/source-context";
import { Button } from "@/ui/button";
import { NewTopicForm } from "./new-topic-form";
import { PassagePicker } from "./passage-picker";
import { TopicCard } from "./topic-card";
import { type ShownTopic, showTopic } from "./topic-param";
import { useTopics } from "./use-topics";

export interface TopicListProps {
  readonly text: ShownText;
  readonly topics: readonly Topic[];
  /** Ids of topics that are already shown next to their text. */
  readonly placedIds?: ReadonlySet<number>;
  /** Whether to hide the closed topics and the buttons that start a topic. */
  readonly isShort?: boolean;
  readonly shown: ShownTopic;
  readonly canWrite: boolean;
  readonly onFind: (topic: Topic) => void;
}

/**
 * A list of the topics on the text: first those whose passage was not found, then those about the whole text, then
 * those with a position. Also offers to start a topic without a pointer.
 */
export function TopicList({
  text,
  topics,
  placedIds,
  isShort = false,
  shown,
  canWrite,
  onFind,
}: TopicListProps) {
  const { source } = useSource();
  const unplacedTopics = topics.filter(({ topic_id }) => !placedIds?.has(topic_id));
  const groups = [
    { title: "Text not found", of: unplacedTopics.filter(({ place }) => place?.found === "lost") },
    { title: `On the whole ${source.kind}`, of: unplacedTopics.filter(({ anchor }) => anchor === null) },
    {
      title: "In the text",
      of: unplacedTopics
        .filter(({ place }) => place !== null && place.found !== "lost")
        .sort((a, b) => (a.place?.start ?? 0) - (b.place?.start ?? 0)),
    },
  ];
  return (
    <div className="grid gap-3">
      {canWrite && !isShort && <StartTopicButtons text={text} />}
      {groups.map(
        ({ title, of }) =>
          of.length > 0 && (
            <Group key={title} title={title}>
              {of.map((topic) => (
                <TopicCard
                  key={topic.topic_id}
                  topic={topic}
                  isOpen={shown === topic.topic_id}
                  isBesideText={false}
                  canWrite={canWrite}
                  onToggle={() => showTopic(shown === topic.topic_id ? "list" : topic.topic_id)}
                  onFind={topic.place?.start == null ? undefined : () => onFind(topic)}
                />
              ))}
            </Group>
          ),
      )}
      {topics.length === 0 && (
        <p className="text-sm text-muted-foreground">
          No open comments.{canWrite && ` Select text in the ${source.kind} to comment on it.`}
        </p>
      )}
      {!isShort && <ClosedTopics shown={shown} canWrite={canWrite} />}
    </div>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="grid gap-2">
      <h3 className="text-sm font-medium text-muted-foreground">{title}</h3>
      {children}
    </section>
  );
}

/** Starts a topic about the whole text, or about a passage selected with the keyboard. */
function StartTopicButtons({ text }: Pick<TopicListProps, "text">) {
  const { source } = useSource();
  const [openForm, setOpenForm] = useState<"whole" | "passage" | null>(null);
  const close = () => setOpenForm(null);
  switch (openForm) {
    case "whole":
      return <NewTopicForm revision={text.revision} quote={null} onDone={close} onCancel={close} />;
    case "passage":
      return <PassagePicker text={text} onClose={close} />;
    case null:
      return (
        <div className="flex flex-wrap gap-1.5">
          <Button variant="outline" size="sm" onClick={() => setOpenForm("whole")}>
            <MessageSquarePlus aria-hidden /> Comment on the whole {source.kind}
          </Button>
          {/* A text field would drop carriage returns, so its offsets would not match the source. */}
          {text.content.trim() !== "" && !text.content.includes("\r") && (
            <Button variant="ghost" size="sm" onClick={() => setOpenForm("passage")}>
              Comment on a passage…
            </Button>
          )}
        </div>
      );
  }
}

function ClosedTopics(page: Pick<TopicListProps, "shown" | "canWrite">) {
  const [isWanted, setWanted] = useState(false);
  if (!isWanted) {
    return (
      <Button variant="ghost" size="sm" className="justify-self-start" onClick={() => setWanted(true)}>
        Show closed comments
      </Button>
    );
  }
  return (
    <Group title="Closed">
      <ClosedPage {...page} />
    </Group>
  );
}

/** A page of closed topics, followed by the next page on request. */
function ClosedPage({ before, ...page }: Pick<TopicListProps, "shown" | "canWrite"> & { before?: number }) {
  const { shown, canWrite } = page;
  const { data, problem, refresh } = useTopics({
    status: "closed",
    ...(before !== undefined && { before }),
  });
  const [isMoreWanted, setMoreWanted] = useState(false);
  if (problem && !data) {
    return <ProblemAlert title="Couldn't load closed comments." problem={problem} onRetry={refresh} />;
  }
  if (!data) return <p className="text-sm text-muted-foreground">…</p>;
  if (data.topics.length === 0) return <p className="text-sm text-muted-foreground">No closed comments.</p>;
  return (
    <>
      {data.topics.map((topic) => (
        <TopicCard
          key={topic.topic_id}
          topic={topic}
          isOpen={shown === topic.topic_id}
          isBesideText={false}
          canWrite={canWrite}
          onToggle={() => showTopic(shown === topic.topic_id ? "list" : topic.topic_id)}
        />
      ))}
      {data.next_before !== null &&
        (isMoreWanted ? (
          <ClosedPage {...page} before={data.next_before} />
        ) : (
          <Button
            variant="ghost"
            size="sm"
            className="justify-self-start"
            onClick={() => setMoreWanted(true)}
          >
            Older
          </Button>
        ))}
    </>
  );
}
