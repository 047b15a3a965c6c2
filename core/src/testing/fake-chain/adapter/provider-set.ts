import type { Clock } from '../../../contract/clock.js';
import type { FakeMethod } from '../fake-chain-types.js';
import { type FakeProvider, NoAnswer } from '../fake-provider.js';

const FIRST_PAUSE_MS = 200;
const LAST_PAUSE_MS = 10_000;

interface Member {
  readonly provider: FakeProvider;
  /** Monotonic time before which it is not asked. */
  until: number;
  pauseMs: number;
  reason: string;
}

/**
 * One process's providers in order of preference. Failed ones are not asked for growing pauses; nothing is asked after
 * the process ends.
 */
export class ProviderSet {
  readonly #members: readonly Member[];
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #gate: (() => Promise<void> | undefined) | undefined;

  constructor(
    providers: readonly FakeProvider[],
    clock: Clock,
    signal: AbortSignal,
    gate: (() => Promise<void> | undefined) | undefined,
  ) {
    this.#members = providers.map((provider) => ({ provider, until: 0, pauseMs: FIRST_PAUSE_MS, reason: '' }));
    this.#clock = clock;
    this.#signal = signal;
    this.#gate = gate;
  }

  usable(): readonly FakeProvider[] {
    const now = this.#clock.monotonic();
    return this.#members.filter(({ until }) => until <= now).map(({ provider }) => provider);
  }

  /** Why no provider can be asked; null when one can. */
  problem(): string | null {
    const now = this.#clock.monotonic();
    if (this.#members.some(({ until }) => until <= now)) return null;
    return this.#members.map(({ reason }) => reason).join('; ');
  }

  /** Milliseconds until a provider may be asked again. */
  pause(): number {
    const now = this.#clock.monotonic();
    return Math.max(1, Math.min(...this.#members.map(({ until }) => until - now)));
  }

  /** @throws NoAnswer or OddAnswer. */
  async call<T>(provider: FakeProvider, method: FakeMethod, serve: (node: FakeProvider) => T): Promise<T> {
    const stopped = this.#gate?.();
    if (stopped !== undefined) await stopped;
    if (this.#signal.aborted) throw new NoAnswer('the process has ended');
    const member = this.#members[provider.index];
    try {
      const answer = await provider.call(method, serve);
      if (member !== undefined) {
        member.until = 0;
        member.pauseMs = FIRST_PAUSE_MS;
      }
      return answer;
    } catch (error) {
      if (error instanceof NoAnswer && member !== undefined && !this.#signal.aborted) {
        member.until = this.#clock.monotonic() + member.pauseMs;
        member.pauseMs = Math.min(member.pauseMs * 2, LAST_PAUSE_MS);
        member.reason = `provider ${provider.index}: ${error.message}`;
      }
      throw error;
    }
  }

  /** Answered by the first provider that can. @throws NoAnswer or OddAnswer. */
  async run<T>(method: FakeMethod, serve: (node: FakeProvider) => T): Promise<T> {
    let last: unknown;
    for (const provider of this.usable()) {
      try {
        return await this.call(provider, method, serve);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        last = error;
      }
    }
    throw last ?? new NoAnswer(this.problem() ?? 'no provider');
  }
}
