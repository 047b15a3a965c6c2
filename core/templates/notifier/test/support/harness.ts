import { type NotifierHarness, realClock, registerAlone } from '@causeway/core/testing';
import { plugin } from '../../src/index.js';
import { openRecipient } from './recipient.js';

const TOKEN = 'token-that-nobody-may-read';
const TIMEOUT_MS = 600;

/** A recipient of its own for each case. Where yours cannot do something, say so in `lacks`, with the reason. */
export async function harness(): Promise<NotifierHarness> {
  const recipient = await openRecipient();
  // An address may carry a key as well: it must not be told either.
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
