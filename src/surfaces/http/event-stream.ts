/** A message of a stream; with an id, a browser that reconnects names the last one that it has. */
export interface StreamMessage {
  readonly event: string;
  readonly id?: number;
  /** One line of JSON. */
  readonly data: string;
}

function formatMessage({ event, id, data }: StreamMessage): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}

export interface StreamSource {
  /** The messages since the last call; empty if nothing has happened. Called only when the client can take more. */
  readonly take: () => readonly StreamMessage[] | Promise<readonly StreamMessage[]>;
  /** Sent if nothing else was, so that both sides notice a lost connection. */
  readonly ping: () => StreamMessage;
  /** Called once, when the stream ends. */
  readonly close: () => void;
}

export interface EventStream {
  readonly body: ReadableStream<Uint8Array>;
  /** There may be something to take. */
  readonly wake: () => void;
  readonly end: () => void;
}

const PING_MS = 15_000;

/**
 * A stream that pulls: a slow client makes its source wait, and nothing piles up in between except in the source,
 * which keeps the latest state and not every change.
 */
export function createEventStream(
  open: (stream: Pick<EventStream, 'wake' | 'end'>) => StreamSource,
): EventStream {
  const encoder = new TextEncoder();
  let isEnded = false;
  let hasNews = true;
  let notify: () => void = () => {};
  const wake = () => {
    hasNews = true;
    notify();
  };
  const end = () => {
    isEnded = true;
    notify();
  };
  const source = open({ wake, end });
  const wait = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PING_MS);
      notify = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  let isClosed = false;
  const close = () => {
    if (!isClosed) source.close();
    isClosed = true;
  };
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    while (!isEnded) {
      let messages: readonly StreamMessage[] = [];
      if (hasNews) {
        hasNews = false;
        messages = await source.take();
        if (messages.length > 0) hasNews = true;
      } else {
        await wait();
        if (!hasNews && !isEnded) messages = [source.ping()];
      }
      if (messages.length > 0 && !isEnded) {
        controller.enqueue(encoder.encode(messages.map(formatMessage).join('')));
        return;
      }
    }
    close();
    controller.close();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      pull,
      cancel: () => {
        end();
        close();
      },
    },
    { highWaterMark: 0 },
  );
  return { body, wake, end };
}
