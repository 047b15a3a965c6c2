import { useEffect, useRef } from 'preact/hooks';

const FIRST_MS = 1_000;
const MAX_WAIT_MS = 30_000;

/** Calls back with each status change of the request, by websocket. It is a hint to load again: polling goes on next to it. */
export function useChanges(requestId: string, onChange: () => void): void {
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    let socket: WebSocket | undefined;
    let timer = 0;
    let ended = false;
    let waitMs = FIRST_MS;
    const open = () => {
      const { protocol, host } = window.location;
      socket = new WebSocket(`${protocol === 'https:' ? 'wss' : 'ws'}://${host}/ws`);
      socket.onopen = () => {
        waitMs = FIRST_MS;
        socket?.send(
          JSON.stringify({ type: 'subscribe', event: 'request.status.updated', filters: { id: requestId } }),
        );
      };
      socket.onmessage = () => latest.current();
      socket.onclose = () => {
        if (ended) return;
        timer = window.setTimeout(open, waitMs);
        waitMs = Math.min(waitMs * 2, MAX_WAIT_MS);
      };
    };
    open();
    return () => {
      ended = true;
      window.clearTimeout(timer);
      socket?.close();
    };
  }, [requestId]);
}
