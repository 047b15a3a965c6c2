import { type NotifierHarness, realClock, registerAlone } from '@causeway/core/testing';
import { plugin } from '../../src/index.js';
import { openRecipient } from './recipient.js';

const TOKEN = 'token-that-must-stay-secret';
const TIMEOUT_MS = 600;

/** Opens a separate recipient for each case. List abilities that your recipient does not have in `lacks`, with the reason. */
export async function harness(): Promise<NotifierHarness> {
  const recipient = await openRecipient();
  // A URL may contain a key, so it must not appear in reasons or logs either.
  const options = { url: `${recipient.url}?key=${TOKEN}`, token: 'env:TOKEN', timeoutMs: TIMEOUT_MS };
  const registered = registerAlone(plugin, options, { 'env:TOKEN': TOKEN });
  const [notifier] = registered.notifiers;
  if (notifier === undefined) throw new Error('the plugin adds no notifier');
  await registered.start();
  return {
    lacks: {},
    notifier,
    behave: recipient.behave,
    received: recipient.received,
    timeoutMs: TIMEOUT_MS,
    pending: recipient.pending,
    secrets: [TOKEN],
    logged: registered.logged,
    pass: (ms) => realClock.sleep(ms),
    dispose: async () => {
      await registered.stop();
      await recipient.close();
    },
  };
}
