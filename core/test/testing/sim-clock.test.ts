import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../src/testing/seeded-random.js';
import { SimClock } from '../../src/testing/sim-clock.js';

const clockOf = (seed = 'clock') => new SimClock(new SeededRandom(seed), 1_000);

describe('virtual time', () => {
  it('passes only by what is due, in order', async () => {
    const clock = clockOf();
    const seen: [string, number][] = [];
    for (const ms of [300, 100, 200]) void clock.sleep(ms).then(() => seen.push([`after ${ms}`, clock.monotonic()]));
    expect(await clock.run({ until: 250 })).toBe('time');
    expect(seen).toEqual([
      ['after 100', 100],
      ['after 200', 200],
    ]);
    expect([clock.monotonic(), clock.now()]).toEqual([250, 1_250]);
    expect(await clock.run()).toBe('idle');
    expect(clock.monotonic()).toBe(300);
  });

  it('follows every promise to its end before it goes on', async () => {
    const clock = clockOf();
    const seen: string[] = [];
    const long = async () => {
      await clock.sleep(10);
      for (let n = 0; n < 500; n += 1) await Promise.resolve();
      process.nextTick(() => void Promise.resolve().then(() => seen.push('long')));
    };
    void long();
    void clock.sleep(10.5).then(() => seen.push('next'));
    await clock.run();
    expect(seen).toEqual(['long', 'next']);
  });

  it('runs tasks of one instant in an order that the seed decides', async () => {
    const order = async (seed: string) => {
      const clock = clockOf(seed);
      const seen: number[] = [];
      for (let n = 0; n < 12; n += 1) void clock.sleep(5).then(() => seen.push(n));
      await clock.run();
      return seen.join();
    };
    expect(await order('one')).toBe(await order('one'));
    const orders = new Set(await Promise.all(['one', 'two', 'three', 'four'].map(order)));
    expect(orders.size).toBe(4);
  });

  it('wakes sleepers by their signal, and lets go of those that slept through', async () => {
    const clock = clockOf();
    const stop = new AbortController();
    let woken = 0;
    for (let n = 0; n < 5; n += 1) void clock.sleep(1_000, stop.signal).then(() => (woken += 1));
    await clock.sleep(0, AbortSignal.abort());
    void clock.sleep(10, stop.signal).then(() => (woken += 1));
    await clock.advance(20);
    expect(woken).toBe(1);
    stop.abort();
    await clock.advance(0);
    expect([woken, clock.monotonic()]).toEqual([6, 20]);
    expect(await clock.run()).toBe('idle');
    expect(clock.monotonic()).toBe(20);
  });

  it('repeats until asked to stop', async () => {
    const clock = clockOf();
    let count = 0;
    const stop = clock.every(100, () => (count += 1));
    await clock.advance(1_050);
    expect(count).toBe(10);
    stop();
    expect(await clock.run()).toBe('idle');
    expect(count).toBe(10);
  });

  it('jumps the wall clock of one process and leaves timers and durations alone', async () => {
    const clock = clockOf();
    const process = clock.process();
    process.jump(-50_000);
    const slept = process.sleep(100).then(() => [process.now(), process.monotonic(), clock.now()]);
    await clock.advance(100);
    expect(await slept).toEqual([-48_900, 100, 1_100]);
  });

  it('holds back the timers of a stopped process until it goes on, and those of a dead one for ever', async () => {
    const clock = clockOf();
    const [stopped, dead] = [clock.process(), clock.process()];
    const seen: string[] = [];
    void stopped.sleep(10).then(() => seen.push('stopped'));
    void dead.sleep(10).then(() => seen.push('dead'));
    stopped.pause();
    dead.kill();
    await clock.advance(5_000);
    expect(seen).toEqual([]);
    stopped.resume();
    await clock.advance(0);
    expect(seen).toEqual(['stopped']);
    expect(stopped.monotonic()).toBe(5_000);
  });

  it('ends when asked to, and with what a check after a step throws', async () => {
    const clock = clockOf();
    clock.every(1, () => undefined);
    expect(await clock.run({ maxSteps: 7 })).toBe('steps');
    expect(await clock.run({ stop: () => clock.steps >= 20 })).toBe('stopped');
    expect(clock.steps).toBe(20);
    const failing = clock.run({
      stop: () => {
        if (clock.steps === 25) throw new Error('unsafe');
        return false;
      },
    });
    await expect(failing).rejects.toThrow('unsafe');
    expect(clock.steps).toBe(25);
  });

  it('takes tens of thousands of steps a second', async () => {
    const clock = clockOf();
    const loop = async () => {
      for (let n = 0; n < 2_000; n += 1) await clock.sleep(3);
    };
    for (let n = 0; n < 10; n += 1) void loop();
    const before = performance.now();
    await clock.run();
    expect(clock.steps).toBe(20_000);
    // Generous for a busy machine; about 30 ms on an idle one.
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});
