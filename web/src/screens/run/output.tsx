import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type {
  OutputDocument,
  OutputLine,
  OutputStream,
} from '../../../../src/contracts/http/evidence-page.ts';
import { getJson } from '../../api/http.ts';
import { stepPath, withQuery } from '../../api/paths.ts';
import { navigate } from '../../state/navigation.ts';
import { formatRoute, type Route } from '../../state/routes.ts';
import { countOf, formatBytes, formatCount } from '../../text/numbers.ts';
import { Failure, Skeleton } from '../../ui/document-view.tsx';
import { useRanges } from '../../ui/ranges.ts';
import { VirtualRows } from '../../ui/virtual-rows.tsx';

type RunRoute = Extract<Route, { screen: 'run' }>;

interface Of {
  readonly repo: string;
  readonly run: string;
  readonly step: string;
  readonly streams: readonly OutputStream[];
  readonly version: string;
  readonly line: number | null;
  readonly route: RunRoute;
}

const PAGE = 500;
/** Browsers can't make an element taller than some millions of pixels, so longer output is shown a window at a time. */
const WINDOW_LINES = 400_000;

/** What the programs of a step printed. */
export function Output(of: Of): JSX.Element {
  const [chosen, setChosen] = useState(
    () => of.streams[Math.max(0, firstWithText(of.streams))]?.name ?? null,
  );
  const stream = of.streams.find(({ name }) => name === chosen) ?? of.streams[0];
  // What is empty says least.
  const streams = of.streams.toSorted((a, b) => Number(b.size > 0) - Number(a.size > 0));
  return (
    <>
      {streams.length < 2 ? null : (
        <fieldset class="segments">
          <legend class="sr-only">Output of</legend>
          {streams.map(({ name, size }) => (
            <button
              key={name}
              type="button"
              class="segment"
              aria-pressed={name === stream?.name}
              onClick={() => setChosen(name)}
            >
              {name} <span class="muted number">{formatBytes(size)}</span>
            </button>
          ))}
        </fieldset>
      )}
      {stream === undefined ? (
        <p class="empty">Nothing was printed.</p>
      ) : (
        <Lines key={stream.name} {...of} stream={stream} />
      )}
    </>
  );
}

/** The transcript of an agent, or whatever was printed first. */
function firstWithText(streams: readonly OutputStream[]): number {
  const transcript = streams.findIndex(({ stream, size }) => stream === 'transcript' && size > 0);
  return transcript === -1 ? streams.findIndex(({ size }) => size > 0) : transcript;
}

function Lines({
  repo,
  run,
  step,
  stream,
  version,
  line,
  route,
}: Of & { readonly stream: OutputStream }): JSX.Element {
  const path = `${stepPath(repo, run, step)}/output`;
  const [start, setStart] = useState(0);
  const [facts, setFacts] = useState<OutputDocument | null>(null);
  const ranges = useRanges<OutputLine>(
    `${path} ${stream.name} ${start}`,
    version,
    PAGE,
    async (offset, limit) => {
      const found = await getJson<OutputDocument>(
        withQuery(path, {
          stream: stream.stream,
          validator: stream.validator,
          line: start + offset + 1,
          limit,
        }),
      );
      setFacts(found);
      const total = found.total_lines ?? found.counted_lines;
      return {
        rows: found.lines,
        total: Math.min(WINDOW_LINES, Math.max(total - start, offset + found.lines.length)),
      };
    },
  );
  const isGrowing = facts?.growing === true;
  const total = facts === null ? null : (facts.total_lines ?? facts.counted_lines);
  const fresh = useNewLines(total);
  // While the server counts the lines of a large file, or a step prints, there is more to come.
  useEffect(() => {
    if (facts === null || (facts.total_lines !== null && !isGrowing)) return undefined;
    const timer = setTimeout(() => ranges.refetchLast(), 1_000);
    return () => clearTimeout(timer);
  }, [facts, isGrowing]);
  if (ranges.error !== null && ranges.total === null)
    return <Failure error={ranges.error} what="the output" />;
  if (ranges.total === null || facts === null || total === null)
    return <Skeleton what="the output" lines={8} />;
  if (total === 0) return <p class="empty">Nothing was printed{isGrowing ? ' yet' : ''}.</p>;
  return (
    <>
      <p class="facts output-facts">
        <span class="number">{countOf(total, 'line')}</span>
        <span class="number">{formatBytes(facts.size)}</span>
        {facts.total_lines === null ? <span>still counting</span> : null}
        {isGrowing ? <span>still printing</span> : null}
        <JumpToLine
          total={total}
          onJump={(to) => {
            setStart(Math.floor((to - 1) / WINDOW_LINES) * WINDOW_LINES);
            navigate({ ...route, step, tab: 'output', line: to }, 'replace');
          }}
        />
      </p>
      {start === 0 ? null : (
        <button type="button" class="button" onClick={() => setStart(start - WINDOW_LINES)}>
          {`Lines before ${formatCount(start + 1)}`}
        </button>
      )}
      <VirtualRows
        className="output"
        count={ranges.total}
        estimate={() => 20}
        keyOf={(index) => start + index}
        onRange={ranges.need}
        scrollTo={line === null ? null : line - 1 - start}
        scrollKey={line === null ? '' : `${line} ${start}`}
        row={(index) => (
          <Line
            line={ranges.get(index)}
            number={start + index + 1}
            isMarked={line === start + index + 1}
            href={formatRoute({ ...route, step, tab: 'output', line: start + index + 1 })}
          />
        )}
      />
      {start + WINDOW_LINES >= total ? null : (
        <button type="button" class="button" onClick={() => setStart(start + WINDOW_LINES)}>
          {`Lines after ${formatCount(start + WINDOW_LINES)}`}
        </button>
      )}
      {fresh.count === 0 ? null : (
        <button type="button" class="button pill" onClick={fresh.show}>
          {`${formatCount(fresh.count)} new`}
        </button>
      )}
    </>
  );
}

/** Counts the lines that arrived below the viewport. They are shown when the reader wants them. */
function useNewLines(total: number | null): { readonly count: number; readonly show: () => void } {
  const seen = useRef<number | null>(null);
  const [, setShown] = useState(0);
  const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 80;
  if (total !== null && (seen.current === null || isAtEnd)) seen.current = total;
  return {
    count: total === null || seen.current === null ? 0 : Math.max(0, total - seen.current),
    show: () => {
      seen.current = total;
      setShown(total ?? 0);
      scrollTo(0, document.documentElement.scrollHeight);
    },
  };
}

function JumpToLine({
  total,
  onJump,
}: {
  readonly total: number;
  readonly onJump: (line: number) => void;
}): JSX.Element | null {
  const field = useRef<HTMLInputElement>(null);
  if (total < 100) return null;
  return (
    <form
      class="jump"
      onSubmit={(event) => {
        event.preventDefault();
        const line = Number(field.current?.value);
        if (Number.isInteger(line) && line >= 1) onJump(Math.min(line, total));
      }}
    >
      <label>
        <span class="sr-only">Go to line</span>
        <input ref={field} type="text" inputMode="numeric" placeholder="Line" />
      </label>
      <button type="button" class="button" onClick={() => onJump(total)}>
        End
      </button>
    </form>
  );
}

function Line({
  line,
  number,
  href,
  isMarked,
}: {
  readonly line: OutputLine | undefined;
  readonly number: number;
  readonly href: string;
  readonly isMarked: boolean;
}): JSX.Element {
  return (
    <div class={`output-line${isMarked ? ' is-marked' : ''}`}>
      <a class="gutter" href={href} tabIndex={-1} aria-label={`Line ${number}`}>
        {number}
      </a>
      <code class="code">
        {line === undefined
          ? '…'
          : line.spans.map(({ text, style }, index) =>
              style === undefined ? (
                text
              ) : (
                <span key={index} class={style}>
                  {text}
                </span>
              ),
            )}
        {line?.cut === undefined ? null : <span class="muted"> … {formatBytes(line.cut)} not shown</span>}
      </code>
    </div>
  );
}
