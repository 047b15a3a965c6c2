import assert from 'node:assert/strict';
import type { OutboxEvent } from '../../contract/notifier.js';
import type { ConformanceKit } from '../report.js';
import type { ConformanceCase, Guarantee } from '../report-types.js';
import type { DeliveryOutcome, NotifierAbility, NotifierHarness, RecipientBehaviour } from './notifier-harness.js';

let position = 0;

function event(requestId: string, sequence: number, payload: unknown = { status: 'pending', sequence }): OutboxEvent {
  position += 1;
  const id = `event-${position}-${requestId.slice(-4)}-${sequence}`;
  return { position, id, requestId, sequence, kind: 'request.status.updated', payload, createdAt: 1_700_000_000_000 };
}

function request(n: number): string {
  return `0x${n.toString(16).padStart(64, '0')}`;
}

async function deliver(harness: NotifierHarness, one: OutboxEvent): Promise<DeliveryOutcome> {
  const outcome = await harness.notifier.deliver(one);
  if (outcome.outcome === 'retry') {
    assert.ok(Number.isFinite(outcome.afterMs) && outcome.afterMs >= 0, `a pause of ${outcome.afterMs} ms`);
  }
  if (outcome.outcome !== 'delivered') assert.notEqual(outcome.why.trim(), '', 'a reason');
  return outcome;
}

async function expectOutcome(
  harness: NotifierHarness,
  one: OutboxEvent,
  expected: DeliveryOutcome['outcome'],
): Promise<DeliveryOutcome> {
  const outcome = await deliver(harness, one);
  assert.equal(outcome.outcome, expected, JSON.stringify(outcome));
  return outcome;
}

function reported(harness: NotifierHarness): readonly (readonly [string, number])[] {
  return harness.received().map(({ requestId, sequence }) => [requestId, sequence] as const);
}

interface NotifierCase extends Omit<ConformanceCase<NotifierHarness>, 'subject' | 'guarantees' | 'needs'> {
  readonly needs?: readonly NotifierAbility[];
  readonly guarantees?: readonly Guarantee[];
}

/** Common rules of doubtful deliveries: nothing is claimed, and a retry arrives. */
function doubt(name: string, how: RecipientBehaviour & NotifierAbility): NotifierCase {
  return {
    name,
    needs: [how],
    async run(harness) {
      const one = event(request(1), 1);
      harness.behave(how);
      await expectOutcome(harness, one, 'retry');
      harness.behave('well');
      await expectOutcome(harness, one, 'delivered');
      const ids = harness.received().map(({ id }) => id);
      assert.ok(ids.length >= 1, 'at least once');
      assert.deepEqual([...new Set(ids)], [one.id], 'the id does not change over retries');
    },
  };
}

const cases: readonly NotifierCase[] = [
  {
    name: 'delivers an event with its complete payload',
    async run(harness) {
      assert.notEqual(harness.notifier.id, '');
      const payload = { status: 'success', nested: [{ amount: '123456789012345678901234567890', none: null }, [], {}] };
      const one = event(request(1), 1, payload);
      const { outcome, answer } = await deliver(harness, one);
      assert.equal(outcome, 'delivered');
      assert.ok((answer?.body.length ?? 0) <= 1_024, 'of an answer 1,024 characters are reported');
      const { id, requestId, sequence } = one;
      assert.deepEqual(harness.received(), [{ id, requestId, sequence, payload }]);
    },
  },
  {
    name: 'delivers any text, also 200 kB',
    async run(harness) {
      const payload = { text: 'quotes \' " \\ \n \u2028 ünï¢ode 🚀 </script> %00 {{x}}', long: 'x'.repeat(200_000) };
      await expectOutcome(harness, event(request(1), 1, payload), 'delivered');
      assert.deepEqual(harness.received()[0]?.payload, payload);
    },
  },
  {
    name: 'delivers the events of a request in order',
    async run(harness) {
      const events = [1, 2, 3, 4, 5].map((sequence) => event(request(1), sequence));
      for (const one of events) await expectOutcome(harness, one, 'delivered');
      assert.deepEqual(
        reported(harness),
        events.map(({ requestId, sequence }) => [requestId, sequence]),
      );
    },
  },
  {
    name: 'reports delivered only after the recipient got the event',
    async run(harness) {
      const one = event(request(1), 1);
      await expectOutcome(harness, one, 'delivered');
      assert.equal(harness.received().length, 1, 'it is there when the promise resolves');
      harness.behave('fails');
      await expectOutcome(harness, event(request(1), 2), 'retry');
      harness.behave('well');
    },
  },
  {
    name: 'tries again under the same id, with the same content',
    async run(harness) {
      const one = event(request(1), 1);
      harness.behave('fails');
      for (let n = 0; n < 3; n += 1) await expectOutcome(harness, one, 'retry');
      harness.behave('well');
      await expectOutcome(harness, one, 'delivered');
      await expectOutcome(harness, one, 'delivered');
      const { id, requestId, sequence, payload } = one;
      assert.ok(harness.received().length >= 2, 'again means again: the outbox decides, not the notifier');
      for (const seen of harness.received()) assert.deepEqual(seen, { id, requestId, sequence, payload });
    },
  },
  doubt('retries after a lost response', 'lostReplies'),
  doubt('retries after a timeout', 'hanging'),
  doubt('retries an unreachable recipient', 'unreachable'),
  {
    name: 'aborts a delivery after the timeout and closes its connection',
    needs: ['hanging'],
    async run(harness) {
      harness.behave('hanging');
      const deliveries = [1, 2, 3].map((n) => deliver(harness, event(request(n), 1)));
      let settled = 0;
      const over = (): void => {
        settled += 1;
      };
      for (const delivery of deliveries) void delivery.then(over, over);
      for (let waited = 0; waited < harness.timeoutMs * 2 && settled < 3; waited += harness.timeoutMs / 10)
        await harness.pass(Math.ceil(harness.timeoutMs / 10));
      assert.equal(settled, 3, `not over after twice ${harness.timeoutMs} ms`);
      for (const delivery of deliveries) assert.equal((await delivery).outcome, 'retry');
      await harness.pass(50);
      assert.equal(harness.pending(), 0, 'connections of deliveries that are over');
      harness.behave('well');
    },
  },
  {
    name: 'delivers to one request while another hangs',
    needs: ['hanging'],
    async run(harness) {
      harness.behave('hanging', request(1));
      const stuck = deliver(harness, event(request(1), 1));
      // A rejection is reported below.
      void stuck.catch(() => undefined);
      await expectOutcome(harness, event(request(2), 1), 'delivered');
      assert.deepEqual(reported(harness), [[request(2), 1]]);
      harness.behave('well', request(1));
      assert.equal((await stuck).outcome, 'retry');
    },
  },
  {
    name: 'delivers many requests at once, each event once',
    async run(harness) {
      const events = Array.from({ length: 50 }, (_, n) => event(request(n), 1));
      const outcomes = await Promise.all(events.map((one) => deliver(harness, one)));
      assert.deepEqual(
        outcomes.filter(({ outcome }) => outcome !== 'delivered'),
        [],
      );
      const ids = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id).sort();
      assert.deepEqual(ids(harness.received()), ids(events));
      await harness.pass(50);
      assert.equal(harness.pending(), 0);
    },
  },
  {
    name: 'reports gone when the recipient refuses all events permanently',
    needs: ['gone'],
    async run(harness) {
      harness.behave('gone');
      await expectOutcome(harness, event(request(1), 1), 'gone');
      harness.behave('well');
      await expectOutcome(harness, event(request(1), 2), 'delivered');
    },
  },
  {
    name: 'never reports gone for transient errors',
    needs: ['unreachable', 'lostReplies', 'hanging'],
    async run(harness) {
      for (const how of ['fails', 'unreachable', 'lostReplies', 'hanging'] as const) {
        harness.behave(how);
        assert.equal((await deliver(harness, event(request(1), 1))).outcome, 'retry', how);
      }
      harness.behave('well');
    },
  },
  {
    name: 'honours the retry delay that the recipient asks for',
    needs: ['pauses'],
    async run(harness) {
      for (const pauseMs of [7_000, 120_000]) {
        harness.behave({ pauseMs });
        const outcome = await expectOutcome(harness, event(request(1), 1), 'retry');
        assert.ok(outcome.outcome === 'retry' && outcome.afterMs >= pauseMs, JSON.stringify(outcome));
      }
      harness.behave('well');
    },
  },
  {
    name: 'never throws, whatever the recipient does',
    guarantees: ['G9', 'G13'],
    async run(harness) {
      const hows = (['fails', 'gone', 'lostReplies', 'hanging', 'unreachable'] as const).filter(
        (how) => how === 'fails' || harness.lacks[how] === undefined,
      );
      for (const how of hows) {
        harness.behave(how);
        await assert.doesNotReject(deliver(harness, event(request(1), 1)), how);
      }
      harness.behave('well');
      for (const payload of [undefined, null, 0, '', [], { toJSON: 1 }])
        await assert.doesNotReject(deliver(harness, event(request(1), 1, payload)));
    },
  },
  {
    name: 'reveals no secret, in reasons or in logs',
    guarantees: [],
    async run(harness) {
      const hows = (['fails', 'gone', 'lostReplies', 'hanging', 'unreachable'] as const).filter(
        (how) => how === 'fails' || harness.lacks[how] === undefined,
      );
      const reasons: string[] = [];
      for (const how of hows) {
        harness.behave(how);
        const outcome = await deliver(harness, event(request(1), 1));
        if (outcome.outcome !== 'delivered') reasons.push(outcome.why);
      }
      harness.behave('well');
      const said = [...reasons, harness.logged()].join('\n');
      for (const secret of harness.secrets) assert.ok(!said.includes(secret), 'a secret was revealed');
    },
  },
];

const ABILITIES: Readonly<Record<NotifierAbility, true>> = {
  gone: true,
  lostReplies: true,
  hanging: true,
  unreachable: true,
  pauses: true,
};

/** Rules for every notifier. See docs/conformance.md. */
export const notifierConformance: ConformanceKit<NotifierHarness> = {
  title: 'notifier',
  abilities: Object.keys(ABILITIES),
  cases: cases.map((one) => ({ subject: 'delivery', guarantees: ['G9'], ...one })),
};
