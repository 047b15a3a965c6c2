import type { ChainCodec } from '../../contract/chain-adapter.js';
import type { ChainId } from '../../contract/ids.js';
import type { RequestView } from '../../contract/store.js';

export function protocolRecord(
  { request, deposits, transactions }: RequestView,
  chains: ReadonlyMap<ChainId, ChainCodec>,
  solver: { readonly address: string; readonly chain: string },
) {
  const deposit = deposits.find((row) => row.fundingKey === request.fundingKey) ?? deposits[0];
  const of = (role: 'fill' | 'refund') =>
    transactions
      .filter((row) => row.role === role)
      .map((row) => ({ chainId: nameOf(chains, row.chainId), transactionId: row.hash }));
  const chain = deposit === undefined ? undefined : chains.get(deposit.chainId);
  return {
    orderId: request.orderId,
    hubType: 'onchain',
    isWithdrawable: false,
    solver: { address: solver.address, protocolChainId: solver.chain, chainId: solver.chain },
    deposit:
      deposit === undefined
        ? null
        : {
            origin: {
              amount: deposit.amount.toString(),
              chainId: nameOf(chains, deposit.chainId),
              currency: deposit.currency,
              depositor: deposit.depositor,
              depository: chain?.facts.depository ?? null,
              onchainId: deposit.orderId,
              transactionId: deposit.transactionHash,
            },
            relay: null,
            attestation: null,
          },
    settlement: { destination: { fills: of('fill'), refunds: of('refund') }, relay: null, attestation: null },
  };
}

function nameOf(chains: ReadonlyMap<ChainId, ChainCodec>, id: ChainId): string {
  return chains.get(id)?.facts.name ?? String(id);
}
