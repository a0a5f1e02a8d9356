import type { Element } from "hast";
import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import type { ComponentProps, ComponentType, JSX, ReactElement, ReactNode } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import { cn } from "@/core/utils";
import { CodeBlock } from "./code-block";
import { readText } from "./harmless-tree";
import { isPlainLine, type MarkdownVariant, parseMarkdown } from "./markdown-tree";
import { OutsideImage, OutsideLink } from "./outside-link";

export interface RenderedMarkdownProps {
  readonly text: string;
  readonly variant: MarkdownVariant;
}

/** Renders text as markdown. Raw HTML appears as literal characters. */
export function RenderedMarkdown({ text, variant }: RenderedMarkdownProps) {
  return variant === "feed" ? renderCached(text) : renderMarkdown(text, variant);
}

/**
 * Cache of rendered messages, least recently used first. Rows mount and unmount while the user scrolls, but their text
 * stays the same.
 */
const renderCache = new Map<string, ReactElement>();
const renderCacheMax = 1_000;

/** Renders a message's text, or returns the cached result. */
export function renderCached(text: string): ReactElement {
  const element = renderCache.get(text) ?? renderMarkdown(text, "feed");
  renderCache.delete(text);
  renderCache.set(text, element);
  for (const oldest of renderCache.keys()) {
    if (renderCache.size <= renderCacheMax) break;
    renderCache.delete(oldest);
  }
  return element;
}

function renderMarkdown(text: string, variant: MarkdownVariant): ReactElement {
  if (variant === "feed" && isPlainLine(text)) return <Paragraph>{text}</Paragraph>;
  return toJsxRuntime(parseMarkdown(text, variant), {
    Fragment,
    jsx,
    jsxs,
    components: components[variant],
    ignoreInvalidStyle: true,
    passKeys: true,
    passNode: true,
  });
}

/** The node of the markdown tree that a component renders. */
interface ElementProps {
  readonly node?: Element | undefined;
}

type Components = {
  readonly [Tag in keyof JSX.IntrinsicElements]?: ComponentType<JSX.IntrinsicElements[Tag] & ElementProps>;
};

/** A heading. It is never an `h1`, because the page has its own. The level is shifted below the page's headings. */
function Heading({ node, levelOffset, styles, children }: HeadingProps) {
  const level = Number(node?.tagName.slice(1));
  return (
    // biome-ignore lint/a11y/useSemanticElements: which element it is would depend on the level.
    <div
      role="heading"
      aria-level={Math.min(6, level + levelOffset)}
      dir="auto"
      data-heading={level}
      className={cn("mb-1 font-semibold first:mt-0", styles[level - 1] ?? styles.at(-1))}
    >
      {children}
    </div>
  );
}

interface HeadingProps extends ElementProps {
  /** Number of heading levels that the page itself has above the text. */
  readonly levelOffset: number;
  /** Classes by heading level. The last entry is also used for all deeper levels. */
  readonly styles: readonly string[];
  readonly children?: ReactNode;
}

function FeedHeading({ node, children }: HeadingElementProps) {
  return (
    <Heading node={node} levelOffset={2} styles={["mt-3 text-lg", "mt-3 text-lg", "mt-2"]}>
      {children}
    </Heading>
  );
}

function DocumentHeading({ node, children }: HeadingElementProps) {
  return (
    <Heading
      node={node}
      levelOffset={1}
      styles={["mt-6 text-title leading-7", "mt-6 text-lg leading-6", "mt-4"]}
    >
      {children}
    </Heading>
  );
}

type HeadingElementProps = ComponentProps<"h1"> & ElementProps;

function createHeadings(as: typeof FeedHeading): Components {
  return { h1: as, h2: as, h3: as, h4: as, h5: as, h6: as };
}

const blockMargins = "my-2 first:mt-0 last:mb-0";

function Paragraph({ children }: { readonly children?: ReactNode }) {
  return (
    <p dir="auto" className={blockMargins}>
      {children}
    </p>
  );
}

const common: Components = {
  p: Paragraph,
  ul: ({ children }) => (
    <ul dir="auto" className={cn(blockMargins, "list-disc ps-6")}>
      {children}
    </ul>
  ),
  ol: ({ start, children }) => (
    <ol dir="auto" start={start} className={cn(blockMargins, "list-decimal ps-6")}>
      {children}
    </ol>
  ),
  li: ({ className, children }) => (
    <li
      dir="auto"
      className={cn("my-0.5", className?.includes("task-list-item") === true && "-ms-5 list-none")}
    >
      {children}
    </li>
  ),
  blockquote: ({ children }) => (
    <blockquote dir="auto" className={cn(blockMargins, "border-s-2 ps-3 text-muted-foreground")}>
      {children}
    </blockquote>
  ),
  section: ({ children }) => (
    <section className="mt-3 border-t pt-2 text-sm text-muted-foreground">{children}</section>
  ),
  hr: () => <hr className="my-3" />,
  a: ({ href, children, node }) => (
    <OutsideLink href={href} text={node ? readText(node) : ""}>
      {children}
    </OutsideLink>
  ),
  img: ({ src, alt }) => <OutsideImage src={typeof src === "string" ? src : undefined} alt={alt ?? ""} />,
  pre: ({ node }) => <CodeBlock {...toCode(node)} {...toPosition(node)} />,
  code: ({ children }) => (
    <code
      dir="ltr"
      className="rounded-sm bg-raised px-1 py-px font-mono text-[0.92em] [unicode-bidi:isolate]"
    >
      {children}
    </code>
  ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the column is scrolled by keys as well.
    <figure aria-label="Table" tabIndex={0} className={cn(blockMargins, "overflow-x-auto")}>
      <table className="border-collapse text-sm">{children}</table>
    </figure>
  ),
  th: ({ children, style }) => (
    <th dir="auto" style={style} className="border bg-surface px-2 py-1 text-start font-medium">
      {children}
    </th>
  ),
  td: ({ children, style }) => (
    <td dir="auto" style={style} className="border px-2 py-1 align-top">
      {children}
    </td>
  ),
  input: ({ checked = false }) => (
    <input
      type="checkbox"
      checked={checked}
      disabled
      aria-label={checked ? "done" : "to do"}
      className="me-1.5 align-middle"
    />
  ),
  abbr: ({ title, children }) => (
    <abbr
      title={title}
      className="mx-px rounded-sm border border-warning px-0.5 font-mono text-xs text-warning no-underline"
    >
      {children}
    </abbr>
  ),
};

const components = {
  feed: { ...common, ...createHeadings(FeedHeading) },
  document: { ...common, ...createHeadings(DocumentHeading) },
};

/** Returns the text and language of a code block. */
function toCode(pre: Element | undefined): { code: string; language: string | null } {
  const [child] = pre?.children ?? [];
  if (!pre || child?.type !== "element") return { code: pre ? readText(pre) : "", language: null };
  const names = child.properties["className"];
  const name = (Array.isArray(names) ? names : []).map(String).find((each) => each.startsWith("language-"));
  return { code: readText(child).replace(/\n$/, ""), language: name?.slice("language-".length) ?? null };
}

/** Returns the source position of a code block from its properties. */
function toPosition(pre: Element | undefined): { at?: number; to?: number } {
  const { dataAt, dataTo } = pre?.properties ?? {};
  return {
    ...(typeof dataAt === "number" && { at: dataAt }),
    ...(typeof dataTo === "number" && { to: dataTo }),
  };
}
