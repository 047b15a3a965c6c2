import type { Devnet, DevnetAccount } from '../../contract/devnet.js';
import { formatUnits } from '../../domain/money.js';
import { ApiError, type DemoClient, type Status } from './client.js';
import type { Scenario } from './scenarios.js';

/** Refunds wait for finality of the deposit. */
const OUTCOME_TIMEOUT_MS = 60_000;
const POLL_MS = 50;
/** Multiple of the minimum, if a scenario's amount is too low. */
const MINIMUM_FACTOR = 5n;
const TERMINAL = new Set(['success', 'failure', 'refund', 'fallback']);

export interface Outcome {
  readonly ok: boolean;
  readonly ms: number;
}

export async function runScenario(
  scenario: Scenario,
  deps: {
    readonly client: DemoClient;
    readonly wallet: (chainId: number) => Devnet;
    readonly payer: DevnetAccount;
    readonly recipient: string;
    readonly refundTo: string;
    readonly say: (text: string) => void;
  },
): Promise<Outcome> {
  const { client, wallet, payer, recipient, refundTo, say } = deps;
  const { byCall, toAddress } = scenario;
  const began = performance.now();
  const elapsed = () => Math.round(performance.now() - began);
  const report = (text: string) => say(`  +${String(elapsed()).padStart(6)} ms  ${text}`);
  const refund = scenario.expected === 'refund';
  const target = refund
    ? { chain: scenario.from, currency: scenario.input, owner: refundTo }
    : { chain: scenario.to, currency: scenario.output, owner: recipient };
  const held = () => wallet(target.chain.id).balance(target.chain.rpcUrl, target.owner, target.currency.address);

  say(scenario.title);
  const before = await held();
  const asked = (amount: bigint) =>
    client.quote({
      user: payer.address,
      recipient,
      refundTo,
      originChainId: scenario.from.id,
      destinationChainId: scenario.to.id,
      originCurrency: scenario.input.address,
      destinationCurrency: scenario.output.address,
      amount: amount.toString(),
      tradeType: scenario.tradeType,
      ...(refund ? { referrer: 'debug-force-refund' } : {}),
      ...(scenario.bySolver ? { forceSolverExecution: true } : {}),
      ...(toAddress ? { useDepositAddress: true, strict: true } : {}),
      ...(byCall === undefined ? {} : { txs: [{ to: recipient, value: byCall.toString(), data: '0x' }] }),
    });
  const quote = await asked(scenario.amount).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    if (isMissing(scenario, error)) return undefined;
    if (error.errorCode !== 'AMOUNT_TOO_LOW' || error.minimum === undefined) throw error;
    const { decimals, symbol } = scenario.tradeType === 'EXACT_INPUT' ? scenario.input : scenario.output;
    report(`the amount is too low; the minimum is ${formatUnits(error.minimum, decimals)} ${symbol}`);
    return asked(error.minimum * MINIMUM_FACTOR);
  });
  if (quote === undefined) {
    report(
      `skipped: ${toAddress ? `${scenario.from.name} has no deposit addresses` : `${scenario.to.name} does not support calls`}`,
    );
    return { ok: true, ms: elapsed() };
  }
  const { currencyIn, currencyOut } = quote.details;
  report(
    `quoted: ${currencyIn.amountFormatted} ${scenario.input.symbol} -> ${currencyOut.amountFormatted} ${scenario.output.symbol}`,
  );
  const requestId = quote.steps.at(-1)?.requestId ?? '';
  if (toAddress) report(`deposit address: ${quote.steps.at(-1)?.depositAddress}`);
  for (const step of quote.steps) {
    for (const item of step.items) {
      const hash = await wallet(scenario.from.id).sendStep(payer, scenario.from.rpcUrl, item.data);
      report(`${step.id} is included: ${hash}`);
    }
  }
  const last = await follow(client, requestId, (status) =>
    report(`${status.status}${status.failReason === 'N/A' ? '' : ` (${status.failReason})`}`),
  );
  const received = (await held()) - before;
  const atLeast = refund ? 1n : BigInt(currencyOut.amount);
  const step = quote.steps.at(-1)?.id;
  if (step !== scenario.lastStep) report(`the last step is ${step} instead of ${scenario.lastStep}`);
  const ok = last.status === scenario.expected && received >= atLeast && step === scenario.lastStep;
  report(
    `${ok ? 'done' : 'FAILED'}: ${target.owner} received ${formatUnits(received, target.currency.decimals)} ${target.currency.symbol} on ${target.chain.name}`,
  );
  return { ok, ms: elapsed() };
}

/** Whether the chains of this build do not support the scenario. */
function isMissing({ byCall, toAddress }: Scenario, { errorCode }: ApiError): boolean {
  if (toAddress) return errorCode === 'UNSUPPORTED_EXECUTION_TYPE';
  return byCall !== undefined && errorCode === 'EXTRA_TXS_NOT_SUPPORTED';
}

async function follow(client: DemoClient, requestId: string, changed: (status: Status) => void): Promise<Status> {
  const deadline = performance.now() + OUTCOME_TIMEOUT_MS;
  let seen = '';
  for (;;) {
    const status = await client.status(requestId);
    if (status.status !== seen) changed(status);
    seen = status.status;
    if (TERMINAL.has(seen) && seen !== 'failure') return status;
    if (performance.now() > deadline) return status;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
