import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Devnet, DevnetAccount } from '@causeway/core';
import { devnet as bitcoin } from '@causeway/plugin-bvm/devnet';
import { devnet as evm } from '@causeway/plugin-evm/devnet';
import { devnet as solana } from '@causeway/plugin-svm/devnet';
import { devnet as ton } from '@causeway/plugin-tonvm/devnet';
import { accountOf, LocalBuild, type LocalSide, type Promised } from '../../support/local-build.js';
import { bitcoinSender } from '../../support/senders/bitcoin.js';
import { evmSender } from '../../support/senders/evm.js';
import type { Payment, Sender } from '../../support/senders/sender.js';
import { svmSender } from '../../support/senders/svm.js';
import { tonSender } from '../../support/senders/ton.js';
import { endAll } from '../../support/service.js';
import { sleep } from '../../support/until.js';
import { needsToken, type Paying, type Row } from './address-rows.js';

interface Kind {
  readonly name: string;
  readonly id: number;
  readonly wallet: Devnet;
  readonly sender: Sender;
  readonly coin: string;
  /** Worth 90 dollars, smallest unit. */
  readonly amount: bigint;
  /** Another currency that the chain's service takes, with 6 decimals and worth a dollar. */
  readonly token?: string;
}

/** One chain per family. */
export const KINDS: readonly Kind[] = [
  { name: 'EVM', id: 31337, wallet: evm, sender: evmSender, coin: 'ETH', amount: 3n * 10n ** 16n, token: 'USDC' },
  {
    name: 'Solana',
    id: 792703809,
    wallet: solana,
    sender: svmSender,
    coin: 'SOL',
    amount: 6n * 10n ** 8n,
    token: 'USDC',
  },
  { name: 'Bitcoin', id: 8253038, wallet: bitcoin, sender: bitcoinSender, coin: 'BTC', amount: 150_000n },
  { name: 'TON', id: 224235520, wallet: ton, sender: tonSender, coin: 'TON', amount: 30n * 10n ** 9n, token: 'USDT' },
];
const TOKEN_AMOUNT = 90_000_000n;
/** The chain's clock has whole seconds and lags. */
const LATE_MS = 3_000;

export interface Family extends Kind {
  readonly side: LocalSide;
  /** Where its transfers are paid out: not slow, and not itself. */
  readonly to: LocalSide;
  readonly output: string;
  readonly outputSender: Sender;
}

interface Wish {
  readonly body?: object;
  readonly named?: Row['named'];
  readonly input?: string | undefined;
  readonly payer?: DevnetAccount;
}

/** A deposit address with everything that it was asked for. */
export interface Asked extends Promised {
  readonly family: Family;
  readonly input: string;
  readonly address: string;
  readonly recipient: string;
  readonly refundTo: string;
  readonly recoveryAddress: string;
}

export interface Paid extends Payment {
  readonly payer: string;
  readonly hash: string;
}

export interface Played extends Asked {
  readonly row: Row;
  readonly paid: readonly Paid[];
}

/** The local build with all families and a list of blocked addresses. */
export class AddressWorld {
  readonly #folder: string;
  readonly #blocked = new Set<string>();

  private constructor(
    readonly build: LocalBuild,
    readonly families: readonly Family[],
    folder: string,
  ) {
    this.#folder = folder;
  }

  static async start(): Promise<AddressWorld> {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-blocked-'));
    const file = join(folder, 'blocked.txt');
    writeFileSync(file, '# nobody yet\n');
    const screening = `plugins:\n  - use: "@causeway/plugin-screening-list"\n    options: { file: ${file} }\n`;
    const build = await LocalBuild.start('local.yaml', (config) =>
      config.replaceAll('blockTimeMs: 1000', 'blockTimeMs: 400').replace('\nplugins:\n', `\n${screening}`),
    );
    const sides = KINDS.map(({ id, wallet }) => build.side(id, wallet));
    const families = KINDS.map((kind, n): Family => {
      const at = n === 1 ? 0 : 1;
      const [side, to, output] = [sides[n], sides[at], KINDS[at]];
      if (!side || !to || !output) throw new Error('no such chain');
      return { ...kind, side, to, output: output.coin, outputSender: output.sender };
    });
    return new AddressWorld(build, families, folder);
  }

  async stop(): Promise<void> {
    await this.build.stop();
    await endAll();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** From the next question on. */
  block(address: string): void {
    this.#blocked.add(`* ${address}`);
    const file = join(this.#folder, 'blocked.txt');
    writeFileSync(`${file}.new`, `${[...this.#blocked].join('\n')}\n`);
    renameSync(`${file}.new`, file);
  }

  /** Each has a recipient, a refund and a recovery address of its own, so that balances distinguish payments. */
  async ask(family: Family, wish: Wish = {}): Promise<Asked> {
    const { side, to, sender, outputSender } = family;
    const { payer = accountOf(side, 0), named, input = family.coin } = wish;
    const [recipient, refundTo, recoveryAddress] = [
      outputSender.newAddress(),
      sender.newAddress(),
      sender.newAddress(),
    ];
    const quoted = await this.build.quote({
      ...{ from: side, to, input, output: family.output, payer, recipient },
      amount: input === family.coin ? family.amount : TOKEN_AMOUNT,
      body: {
        ...{ refundTo: named === 'nothing' ? undefined : refundTo, useDepositAddress: true },
        ...(named === 'refund and recovery address' ? { recoveryAddress } : {}),
        ...wish.body,
      },
    });
    const [step, ...others] = quoted.quote.steps;
    if (step === undefined || others.length > 0) throw new Error(`${quoted.quote.steps.length} steps`);
    return { ...quoted, family, input, address: step.depositAddress, recipient, refundTo, recoveryAddress };
  }

  /** Asks for the row's address and pays it. */
  async play(family: Family, row: Row, payers: readonly [DevnetAccount, DevnetAccount]): Promise<Played> {
    const body = {
      ...(row.type === 'strict' ? { strict: true } : {}),
      ...(await this.#amountOf(family, row)),
      ...row.body,
    };
    const input = row.input === undefined ? family.coin : family.token;
    const asked = await this.ask(family, { body, named: row.named, input, payer: payers[0] });
    if (row.isBlocked) this.block(asked.recipient);
    if (row.isLate) await sleep(Number(asked.quote.details['expiresAt']) + LATE_MS - Date.now());
    const paid: Paid[] = [];
    for (const paying of row.pays) {
      const payer = payers[paying.by === undefined ? 0 : 1];
      const payment = paymentTo(asked, paying);
      const hash = row.isByStep
        ? await family.side.pay(payer, asked.quote)
        : await family.sender.send(family.side, payer, [payment]);
      paid.push({ ...payment, payer: payer.address, hash });
    }
    return { ...asked, row, paid };
  }

  /** Of an exact output, the amount is the destination's. */
  async #amountOf(family: Family, { body }: Row): Promise<object> {
    if (body?.['tradeType'] !== 'EXACT_OUTPUT') return {};
    const { amountOut } = await this.ask(family);
    return { amount: amountOut.toString() };
  }
}

export function paymentTo(
  { address, input, family, amountIn }: Asked,
  { percent, in: kind }: Pick<Paying, 'percent' | 'in'>,
): Payment {
  const [symbol, whole] = kind === 'token' ? [family.token ?? '', TOKEN_AMOUNT] : [input, amountIn];
  return { to: address, symbol, amount: (whole * BigInt(percent)) / 100n };
}

/** Whether the family's chain has what the row is paid in. */
export function applies(row: Row, { token }: Pick<Kind, 'token'>): boolean {
  return token !== undefined || !needsToken(row);
}
