import type { RequestId } from '../../contract/ids.js';
import { keccak256 } from '../../domain/keccak.js';
import { signDigest } from '../../domain/order-signature.js';
import { apiError } from '../../errors/api-error.js';
import type { ApiDeps } from '../api.js';
import { requestRecord } from '../record/request-record.js';
import { ok, type Route, route } from '../route.js';
import { text } from '../schema.js';
import { SIGNED_REQUEST } from '../schemas/signed-request.js';

type Deps = Pick<ApiDeps, 'store' | 'chains' | 'policy' | 'orderSigner'>;

const DESCRIPTION =
  'What came of a request, signed by the solver: 65 bytes r, s, v over the keccak-256 of `requestData` as compact JSON in ' +
  'the order of keys in which it was sent (`JSON.stringify` of what `JSON.parse` gave). The signer is the solver of every order.';

export function requestSignatureRoutes(deps: Deps): readonly Route[] {
  const versions = [
    ['/requests/:id/signature', 'requestSignature', 'Signed summary of a request'],
    ['/requests/:id/signature/v2', 'requestSignatureV2', 'Signed summary of a request, under its newer path'],
  ] as const;
  return versions.map(([path, operationId, title]) =>
    route({
      method: 'GET',
      path,
      operationId,
      summary: title,
      description: DESCRIPTION,
      tags: ['Requests'],
      rate: 'other',
      access: 'open',
      params: { id: text({ pattern: '^0x[0-9a-fA-F]{64}$', description: 'Request id.' }) },
      answers: { 200: SIGNED_REQUEST },
      errors: ['REQUEST_NOT_FOUND'],
      handle: async ({ params }) => {
        const view = await deps.store.shown(String(params['id']).toLowerCase() as RequestId);
        if (!view) return apiError('REQUEST_NOT_FOUND');
        const requestData = summary(requestRecord(view, deps));
        const digest = keccak256(new TextEncoder().encode(JSON.stringify(requestData)));
        return ok({ requestData, signer: deps.orderSigner.address, signature: signDigest(digest, deps.orderSigner) });
      },
    }),
  );
}

function summary({
  id,
  status,
  user,
  recipient,
  data,
  protocol,
  createdAt,
  updatedAt,
}: ReturnType<typeof requestRecord>) {
  const { quoted, actual } = data.route;
  const side = ({ currency, amount }: typeof quoted.origin.inputCurrency) => ({
    chainId: currency.chainId,
    currency: currency.address,
    amount,
  });
  const out = actual?.origin.outputCurrency ? actual.destination.outputCurrency : null;
  const transactions = (entries: typeof data.inTxs) =>
    entries.map((entry) => ({ chainId: entry.chainId, txHash: entry.txHash, status: entry.status }));
  return {
    id,
    orderId: protocol.orderId,
    status,
    user,
    recipient,
    quoted: {
      input: side(quoted.origin.inputCurrency),
      output: quoted.destination.outputCurrency && side(quoted.destination.outputCurrency),
    },
    actual: actual && { input: side(actual.origin.inputCurrency), output: out && side(out) },
    inTxs: transactions(data.inTxs),
    outTxs: transactions(data.outTxs),
    failReason: data.failReason,
    refundFailReason: data.refundFailReason,
    createdAt,
    updatedAt,
  };
}
